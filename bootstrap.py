"""Makes the environment: a virtual environment with everything that the lock file names, and the ``kibitz`` command.

    python3 bootstrap.py .venv

It needs the standard library only, so that any Python 3.11 can run it on a fresh machine. Every package is checked
against its hash. A second call costs nothing; a changed lock file installs anew; a call that was interrupted is made
good by the next; two at the same time wait for each other.
"""

import hashlib
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent
INSTALLER = "requirements-bootstrap.lock"
LOCK = "requirements-dev.lock"
INPUTS = (INSTALLER, LOCK, "pyproject.toml", "bootstrap.py")


def main(folder: str) -> None:
    target = ROOT / folder  # an absolute folder stays what it is
    stamp = target / "installed"
    with one_at_a_time(target):
        wanted = fingerprint(target)
        if not is_written(stamp, wanted):
            say(f"setting up {folder} with Python {sys.version.split()[0]} (once; some minutes on a slow network)")
            stamp.unlink(missing_ok=True)
            make(target)
            install(target)
            stamp.write_text(wanted)
            say(f"{folder} is ready")


@contextmanager
def one_at_a_time(target: Path) -> Iterator[None]:
    """Two makes at once wait for each other; where files cannot be locked, they must not be started at once."""
    target.mkdir(parents=True, exist_ok=True)
    with (target / "setup.lock").open("w") as lock:
        try:
            import fcntl  # noqa: PLC0415 - not on every system

            fcntl.flock(lock, fcntl.LOCK_EX)
        except (ImportError, OSError):
            pass
        yield


def fingerprint(target: Path) -> str:
    """Changes with every input of the environment: the locks, the project's table of commands, Python, the folder."""
    seen = hashlib.sha256(f"{sys.version}\0{sys.base_prefix}\0{target}\0{ROOT}\0".encode())
    for name in INPUTS:
        seen.update((ROOT / name).read_bytes() + b"\0")
    return seen.hexdigest()


def is_written(stamp: Path, wanted: str) -> bool:
    return stamp.is_file() and stamp.read_text() == wanted


def make(target: Path) -> None:
    """A virtual environment of this Python. One that is half made, or of another Python, is made anew."""
    python = python_of(target)
    probe = "import sys, pip; print(sys.version, sys.base_prefix)"
    if python.exists():
        found = subprocess.run([python, "-c", probe], capture_output=True, text=True, check=False)  # noqa: S603
        if found.stdout.strip() == f"{sys.version} {sys.base_prefix}":
            return
    lock = target / "setup.lock"
    for path in target.iterdir():  # not the lock that is held
        if path != lock:
            remove(path)
    venv.create(target, with_pip=True, symlinks=os.name != "nt")


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        for inner in path.iterdir():
            remove(inner)
        path.rmdir()
    else:
        path.unlink()


def install(target: Path) -> None:
    """Everything locked, then the project itself. Where uv cannot install, pip does: the hashes are the same."""
    python = str(python_of(target))
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet", "--require-hashes"]
    uv = [python, "-m", "uv", "pip", "install", "--quiet", "--compile-bytecode", "--python", python]
    by_uv = run([*pip, "-r", INSTALLER]) and run([*uv, "--require-hashes", "-r", LOCK])
    if not by_uv:
        say("uv could not install; trying pip")
        if not run([*pip, "-r", LOCK]):
            sys.exit("setup: the packages could not be installed; is the package index reachable? Then run make again.")
    project = ["--no-deps", "--no-build-isolation", "--editable", "."]
    if not run([*pip[:-1], *project]):
        sys.exit("setup: the project could not be installed into its environment; see the lines above")


def python_of(target: Path) -> Path:
    return target / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def run(command: list[str]) -> bool:
    return subprocess.run(command, cwd=ROOT, check=False, stdin=subprocess.DEVNULL).returncode == 0  # noqa: S603


def say(text: str) -> None:
    sys.stderr.write(f"setup: {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else ".venv")
    except KeyboardInterrupt:
        sys.exit("setup: interrupted; the next run goes on")
    except OSError as error:
        sys.exit(f"setup: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"setup: a virtual environment could not be made ({error}); Debian has it in the package python3-venv")
