"""All of ``deploy/compose.yaml``, brought up under a name and on a port of its own, and what can be asked of it."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import httpx

from tests.waiting import free_port

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "deploy" / "compose.yaml"
FASTER = """
services:
  api:
    environment:
      KIBITZ_BOT_PACE: "0.02"
      KIBITZ_RATE_READS: "30"
"""
"""Over the file itself, for the test alone: bots that do not take their time, and a limit that is soon reached."""


class Stack:
    """``folder`` takes secrets and what else is needed. ``url`` is the entrance, through the proxy. Commands that are
    ``run`` find the stack by their environment.
    """

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        (folder / "faster.yaml").write_text(FASTER)
        self.name = f"kibitz-test-{port}"
        self._environment = os.environ | {
            "COMPOSE_FILE": f"{COMPOSE}:{folder / 'faster.yaml'}",
            "COMPOSE_PROJECT_NAME": self.name,
            "SECRETS": str(folder / "secrets"),
            "PORT": str(port),
            "IMAGE": "kibitz:test",
        }
        if base := os.environ.get("KIBITZ_TEST_BASE_IMAGE"):
            self._environment["BASE"] = base
        self.run(str(ROOT / "deploy" / "secrets.sh"), str(folder / "secrets"))

    def run(self, *command: str, check: bool = True) -> str:
        """A command to its end: what it said. It fails the test if it fails, unless ``check`` is false."""
        done = subprocess.run(
            command,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=600,
        )
        assert not check or done.returncode == 0, f"{' '.join(command)}\n{done.stdout}"
        return done.stdout

    def compose(self, *arguments: str, check: bool = True) -> str:
        return self.run("docker", "compose", *arguments, check=check)

    def up(self) -> None:
        """Starts what is not there, and waits until everything that is to be healthy is."""
        self.compose("up", "--detach", "--wait", "--no-build")

    def containers(self, service: str) -> list[str]:
        """Their ids, also of those that have ended."""
        return self.compose("ps", "--all", "--quiet", service).split()

    def inspected(self, container: str) -> dict[str, Any]:
        [found] = json.loads(self.run("docker", "inspect", container))
        return found

    def inside(self, service: str, *command: str, check: bool = True) -> str:
        """What a command says that is run in a container of ``service``."""
        return self.compose("exec", "--no-TTY", service, *command, check=check)

    def client(self, token: str = "") -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=f"{self.url}/v1", headers=headers, timeout=30)

    def figures(self) -> dict[str, int]:
        """How many requests the proxy has given to each process so far, by its place."""
        asked = "exec 3<>/dev/tcp/127.0.0.1/8404; printf 'GET /metrics HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3"
        said = self.inside("proxy", "bash", "-c", asked)
        lines = [line for line in said.splitlines() if line.startswith("haproxy_server_loadbalanced_total{")]
        counts = {line.split('server="')[1].split('"')[0]: int(float(line.split()[-1])) for line in lines}
        return {place: count for place, count in counts.items() if count}
