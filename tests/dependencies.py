"""Whether what Kibitz is made of has known holes: asks a vulnerability service, keeps the answer, and holds to it.

    python -m tests.dependencies            does what was answered hold for the lock files as they are?
    python -m tests.dependencies --ask      ask anew (pip-audit, in an environment of its own) and keep the answer

The answer, ``dependencies.json``, has the date, the hash of each lock file and what was found, so that ``make check``
needs no network and cannot be green for packages that nobody asked about. A hole that does not concern Kibitz stays in
it with the reason, written there by hand: ``accepted``. Only an answer about every package is kept. As long as none is
there at all, ``make check`` says so and goes on; with ``KIBITZ_AUDIT=required`` it does not.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import venv
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
LOCKS: Final = ("requirements.lock", "requirements-dev.lock")
ANSWER: Final = "dependencies.json"
TOOL: Final = "requirements-audit.lock"
_OLD: Final = 90
"""After how many days an answer is said to be old."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.dependencies", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--ask", action="store_true", help="ask a vulnerability service and keep its answer")
    parser.add_argument("--service", choices=("pypi", "osv"), default="pypi", help="whom to ask")
    parser.add_argument("--osv-url", help="a mirror of OSV, with --service osv")
    asked = parser.parse_args()
    if not asked.ask:
        return told(*held(ROOT, required=os.environ.get("KIBITZ_AUDIT") == "required"))
    whom = ["--vulnerability-service", asked.service, *(["--osv-url", asked.osv_url] if asked.osv_url else [])]
    return told(*ask(ROOT, [str(_tool(ROOT)), *whom]))


def told(code: int, said: str) -> int:
    print(f"dependencies: {said}", file=sys.stderr if code else sys.stdout)
    return code


def held(root: Path, *, required: bool = False, today: date | None = None) -> tuple[int, str]:
    """The exit code of a check, and what it says."""
    path = root / ANSWER
    if not path.exists():
        said = "NOT AUDITED: nobody has asked a vulnerability service yet; make audit does, where there is one"
        return (1 if required else 0), said
    kept = json.loads(path.read_bytes())
    if kept["locks"] != hashes(root):
        return 1, f"the lock files are not those that were asked about on {kept['date']}: make audit"
    open_ = [hole for hole in kept["holes"] if not hole["accepted"]]
    if open_:
        return 1, "; ".join(f"{hole['package']} {hole['version']} has {hole['id']}" for hole in open_)
    age = ((today or _today()) - date.fromisoformat(kept["date"])).days
    old = f"; that is {age} days ago: make audit" if age > _OLD else ""
    return 0, f"{kept['packages']} packages, {len(kept['holes'])} known holes accepted, asked on {kept['date']}{old}"


def ask(root: Path, tool: list[str]) -> tuple[int, str]:
    """Asks, and keeps the answer if it is about every package. Reasons that were given stay with their holes."""
    files = [word for lock in LOCKS for word in ("-r", str(root / lock))]
    how = ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
    done = subprocess.run([*tool, *how, *files], capture_output=True, text=True, check=False)
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return 1, f"no answer: {(done.stderr.strip().splitlines() or ['nothing was said'])[-1]}"
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if unknown or not packages:
        return (
            1,
            f"the service knows {len(packages) - len(unknown)} of {len(packages)} packages: the answer is not kept",
        )
    before = root / ANSWER
    reasons = (
        {hole["id"]: hole["accepted"] for hole in json.loads(before.read_bytes())["holes"]} if before.exists() else {}
    )
    holes = [
        {
            "package": package["name"],
            "version": package["version"],
            "id": hole["id"],
            "fixed_in": hole["fix_versions"],
            "accepted": reasons.get(hole["id"], ""),
        }
        for package in packages
        for hole in package["vulns"]
    ]
    kept = {"date": _today().isoformat(), "locks": hashes(root), "packages": len(packages), "holes": holes}
    before.write_text(json.dumps(kept, indent=2) + "\n")
    return held(root)


def _today() -> date:
    return datetime.now(UTC).date()


def hashes(root: Path) -> dict[str, str]:
    return {lock: hashlib.sha256((root / lock).read_bytes()).hexdigest() for lock in LOCKS}


def _tool(root: Path) -> Path:
    """pip-audit, in an environment that the first call makes: nothing of Kibitz needs it."""
    home = root / "build" / "audit"
    lock = (root / TOOL).read_bytes()
    made = home / TOOL
    if not made.exists() or made.read_bytes() != lock:
        venv.create(home, with_pip=True, clear=True)
        command = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", TOOL]
        subprocess.run(command, check=True, cwd=root)
        made.write_bytes(lock)
    return home / "bin" / "pip-audit"


if __name__ == "__main__":
    sys.exit(main())
