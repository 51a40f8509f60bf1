"""The proxy of ``deploy/proxy`` before real processes, and before some that fail as processes do.

HAProxy itself, by the file that is deployed but for addresses and time-outs; without HAProxy on PATH it is skipped.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.e2e.conftest import ROOT, Kibitz
from tests.e2e.play import Answers, open_match, play, version
from tests.waiting import PATIENCE, free_ports, until

_get, _post = partial(httpx.get, timeout=PATIENCE), partial(httpx.post, timeout=PATIENCE)
CONFIG = ROOT / "deploy" / "proxy" / "haproxy.cfg"
TLS = ROOT / "deploy" / "proxy" / "tls.cfg"
NOWHERE = "01890000-0000-7000-8000-000000000000"

pytestmark = pytest.mark.skipif(shutil.which("haproxy") is None, reason="there is no haproxy on PATH")


def changed(config: Path, folder: Path, changes: dict[str, str]) -> str:
    """The name of a copy in ``folder``, in which each pattern, found once, is replaced."""
    text = config.read_text()
    for old, new in changes.items():
        text, count = re.subn(old, new, text, flags=re.MULTILINE)
        assert count == 1, old
    (folder / config.name).write_text(text)
    return str(folder / config.name)


class Proxy:
    """HAProxy on free ports before ``servers``, given as ``host:port``; by TLS too, with a ``certificate``.
    ``told`` is what its environment says beside the servers: FRONT, REFUSE. For a request it waits ``seconds``.
    """

    def __init__(
        self, folder: Path, servers: list[str], certificate: Path | None = None, seconds: int = 600, **told: str
    ) -> None:
        port, figures, tls, plain = free_ports(4)
        self.url, self._figures = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{figures}"
        self.tls, self.plain = f"https://127.0.0.1:{tls}", f"http://127.0.0.1:{plain}"
        places = "\n".join(f"  server api{place} {address}" for place, address in enumerate(servers, start=1))
        changes = {
            r"^  server-template .*$": places,
            r"bind :8080$": f"bind 127.0.0.1:{port}",
            r"bind :8404$": f"bind 127.0.0.1:{figures}",
            r"timeout http-request 10s$": f"timeout http-request {seconds}s",
            r"timeout check 2s$": "timeout check 60s",  # a process that a busy machine holds up is there all the same
        }
        files = ["-f", changed(CONFIG, folder, changes)]
        if certificate is not None:
            secure = {
                "bind :8443": f"bind 127.0.0.1:{tls}",
                "bind :8081": f"bind 127.0.0.1:{plain}",
                "/run/secrets/certificate.pem": str(certificate),
            }
            files += ["-f", changed(TLS, folder, secure)]
        self._log = folder / "haproxy.log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(["haproxy", "-db", *files], env=os.environ | told, stdout=log, stderr=log)

    def ready(self) -> bool:
        """Returns when it serves; or that it cannot, since somebody was quicker to take one of the ports."""
        until(lambda: self._answers() or self.process.poll() is not None)
        said = self._log.read_text()
        assert self.process.poll() is None or "Address already in use" in said, said
        return self.process.poll() is None

    def client(self, token: str = "") -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=f"{self.url}/v1", headers=headers, timeout=PATIENCE)

    def counts(self) -> dict[str, int]:
        """How many requests each process was given so far, by its place."""
        said = _get(f"{self._figures}/metrics").text
        found = re.findall(r'^haproxy_server_loadbalanced_total\{.*server="(\w+)"\} (\d+)$', said, re.MULTILINE)
        return {place: int(count) for place, count in found}

    def since(self, before: dict[str, int]) -> list[int]:
        return sorted(count - before[place] for place, count in self.counts().items())

    def logged(self) -> list[str]:
        """Its lines about requests so far: whose address, what, and the status."""
        lines = self._log.read_text().splitlines()
        return [line for line in lines if re.search(r'"[A-Z]+ .*"$', line)]

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    def _answers(self) -> bool:
        try:
            return _get(f"{self._figures}/health").status_code == 200
        except httpx.TransportError:
            return False


@contextmanager
def proxied(
    folder: Path, servers: list[str], certificate: Path | None = None, seconds: int = 600, **told: str
) -> Iterator[Proxy]:
    proxy = Proxy(folder, servers, certificate, seconds, **told)
    try:
        while not proxy.ready():
            proxy = Proxy(folder, servers, certificate, seconds, **told)
        yield proxy
    finally:
        proxy.stop()


@pytest.fixture
def two(folder: Path, beside: Callable[..., Kibitz]) -> Iterator[tuple[Proxy, list[Kibitz]]]:
    """A proxy before two processes on one database."""
    processes = [beside("--no-demo"), beside("--no-demo")]
    with proxied(folder, [kibitz.ready().url.removeprefix("http://") for kibitz in processes]) as proxy:
        yield proxy, processes


class Standin:
    """What is no Kibitz: it keeps the head of each request that it gets, and gives ``answer``; none: it hangs up."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self.heads: list[bytes] = []
        self._line = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._line.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                caller, _ = self._line.accept()
            except OSError:
                return
            with caller:
                head = b""
                while b"\r\n\r\n" not in head and (more := caller.recv(65536)):
                    head += more
                if head.startswith(b"GET /health/live "):
                    caller.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                elif head:
                    self.heads.append(head)
                    caller.sendall(self._answer)

    def __enter__(self) -> "Standin":
        return self

    def __exit__(self, *_: object) -> None:
        self._line.shutdown(socket.SHUT_RDWR)
        self._line.close()


DONE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"


@pytest.mark.parametrize(
    "told", [{}, {"FRONT": "", "REFUSE": ""}, {"FRONT": "10.0.0.0/8", "REFUSE": "2001:db8::1 ::/1"}]
)
def test_the_file_is_one_that_haproxy_takes_without_a_warning(told: dict[str, str]):
    command, environment = ["haproxy", "-c", "-dW", "-f", str(CONFIG)], os.environ | {"API": "a:1"} | told
    checked = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert "WARNING" not in checked.stderr


def test_all_about_one_match_goes_to_one_process_and_the_rest_to_each(two: tuple[Proxy, list[Kibitz]]):
    proxy, _ = two
    match, [token, *_] = open_match(proxy)
    with proxy.client(token) as http:
        before = proxy.counts()
        for path in ("", "/moves", "/score-sheet", "/replay", "/clock") * 4:
            assert http.get(f"/matches/{match}{path}").is_success
        assert proxy.since(before) == [0, 20]
        before = proxy.counts()
        for _ in range(32):
            http.get("/games")
        assert proxy.since(before)[0] >= 8
        before = proxy.counts()
        for number in range(32):
            moves = [{"match": NOWHERE, "key": f"k{number}", "move": {"type": "play", "cards": ["10H"]}}]
            http.post("/moves:batch", json={"moves": moves})
        assert proxy.since(before)[0] >= 8
        # many matches are spread over the processes
        before = proxy.counts()
        for number in range(64):
            http.get(f"/matches/{NOWHERE[:-2]}{number:02}")
        assert proxy.since(before)[0] > 0


def test_a_stream_comes_event_by_event_and_a_socket_is_opened(two: tuple[Proxy, list[Kibitz]]):
    proxy, _ = two
    match, tokens = open_match(proxy)
    address = f"{proxy.url.replace('http', 'ws', 1)}/v1/matches/{match}/socket"
    with (
        proxy.client() as http,
        http.stream("GET", f"/matches/{match}/stream") as stream,
        connect(
            address,
            subprotocols=[Subprotocol("kibitz.v1")],
            compression=None,
            open_timeout=PATIENCE,
            ping_interval=None,
        ) as opened,
    ):
        # given all that there is at first
        lines, latest = stream.iter_lines(), version(proxy, match)
        assert next(int(line[4:]) for line in lines if line == f"id: {latest}") == latest
        while json.loads(opened.recv(timeout=PATIENCE))["id"] < latest:
            pass
        # when one moves, both are told while they stay open
        for token in tokens:
            with proxy.client(token) as mover:
                for move in mover.get(f"/matches/{match}/moves").json()["moves"][:1]:
                    assert mover.post(f"/matches/{match}/moves", json=move).is_success
        assert next(int(line[4:]) for line in lines if line.startswith("id: ")) == latest + 1
        assert json.loads(opened.recv(timeout=PATIENCE))["id"] == latest + 1


def test_a_match_goes_on_when_a_process_is_killed(two: tuple[Proxy, list[Kibitz]]):
    proxy, processes = two
    match, tokens = open_match(proxy)
    answers: Answers = {}
    player = threading.Thread(target=play, args=(proxy, match, tokens, answers), kwargs={"patient": False})
    player.start()
    until(lambda: len(answers) > 5)
    # whichever of the two has the match in its memory
    asked = proxy.counts()
    busiest = max(asked, key=lambda place: asked[place])
    processes[int(busiest.removeprefix("api")) - 1].process.kill()
    player.join(240)
    assert not player.is_alive()
    with proxy.client() as http:
        assert http.get(f"/matches/{match}").json()["status"] == "finished"


def test_what_a_process_did_not_answer_is_asked_of_another_if_that_can_do_no_harm(folder: Path):
    with Standin(b"") as silent, Standin(DONE) as well, proxied(folder, [silent.address, well.address]) as proxy:
        # whatever is read, or has a key, is answered, even if the one asked first hangs up
        with proxy.client() as http:
            for number in range(6):
                assert http.get("/games").status_code == 200
                keyed = http.post("/matches", json={}, headers={"Idempotency-Key": f"k{number}"})
                assert keyed.status_code == 200
            assert silent.heads
        # without a key it is not asked again: nobody knows whether the first one was done
        answers = [_post(f"{proxy.url}/v1/matches", json={}) for _ in range(4)]
        failed = [answer for answer in answers if answer.status_code == 502]
        assert failed
        assert failed[0].json() == {"type": "about:blank", "title": "Bad Gateway", "status": 502}
        assert failed[0].headers["content-type"] == "application/problem+json"
        assert failed[0].headers["retry-after"] == "1"
        heads = silent.heads + well.heads
        assert sum(b"idempotency-key" not in head.lower() for head in heads if head.startswith(b"POST")) == 4


def test_nobody_says_his_own_address_or_reads_the_figures(folder: Path):
    with Standin(DONE) as kibitz, proxied(folder, [kibitz.address]) as proxy, proxy.client() as http:
        http.get("/games", headers={"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"})
        [head] = kibitz.heads
        assert re.findall(rb"(?im)^x-forwarded-(\w+): (.*)\r$", head) == [(b"for", b"127.0.0.1"), (b"proto", b"http")]
        for path in ("/metrics", "/%6Detrics", "//metrics", "/metrics/", "/METRICS", "/metrics?a=b"):
            assert http.get(f"{proxy.url}{path}").status_code == 404, path
        assert len(kibitz.heads) == 1


@pytest.mark.parametrize(("front", "believed"), [("10.0.0.0/8 127.0.0.0/8", True), ("10.0.0.0/8", False)])
def test_a_proxy_before_it_is_believed_if_it_is_named(front: str, believed: bool, folder: Path):
    with Standin(DONE) as kibitz, proxied(folder, [kibitz.address], FRONT=front) as proxy, proxy.client() as http:
        http.get("/games", headers={"X-Forwarded-For": "198.51.100.1, 203.0.113.9", "X-Forwarded-Proto": "https"})
        [head] = kibitz.heads
        [proto] = re.findall(rb"(?im)^x-forwarded-proto: (.*)\r$", head)
        path = b", ".join(re.findall(rb"(?im)^x-forwarded-for: (.*)\r$", head))
        assert proto == (b"https" if believed else b"http")
        assert path == (b"198.51.100.1, 203.0.113.9, 127.0.0.1" if believed else b"127.0.0.1")


@pytest.mark.parametrize(
    ("status", "named"), [("429 Too Many", True), ("503 Away", True), ("404 None", False), ("200 OK", False)]
)
def test_the_log_names_whoever_is_over_a_limit_and_what_failed_and_nobody_else(status: str, named: bool, folder: Path):
    answer = f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
    with Standin(answer) as kibitz, proxied(folder, [kibitz.address]) as proxy:
        assert _get(f"{proxy.url}/v1/games").status_code == int(status[:3])
        # what is logged comes when an answer is through: that of the next request, which always is, comes after it
        _get(f"{proxy.url}/metrics")
        until(lambda: len(proxy.logged()) == 1 + named)
        lines = [line for line in proxy.logged() if "/metrics" not in line]
    assert len(lines) == named
    assert all(line.startswith("127.0.0.1:") and f" {status[:3]} " in line for line in lines)


@pytest.mark.parametrize(("refuse", "status"), [("10.0.0.0/8 127.0.0.1", 403), ("10.0.0.0/8", 200), ("", 200)])
def test_an_address_that_is_to_be_refused_reaches_no_process(refuse: str, status: int, folder: Path):
    with Standin(DONE) as kibitz, proxied(folder, [kibitz.address], REFUSE=refuse) as proxy, proxy.client() as http:
        answer = http.get("/games")
        assert answer.status_code == status
        assert bool(kibitz.heads) == (status == 200)
        assert status == 200 or answer.headers["content-type"] == "application/problem+json"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl on PATH")
def test_by_tls_it_is_the_same_entrance(folder: Path):
    asked = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=kibitz"
    made = ["openssl", *asked.split(), "-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(made, check=True, capture_output=True)
    certificate = folder / "both.pem"
    certificate.write_bytes((folder / "cert.pem").read_bytes() + (folder / "key.pem").read_bytes())
    with Standin(DONE) as kibitz, proxied(folder, [kibitz.address], certificate) as proxy:
        answer = _get(f"{proxy.tls}/v1/games", verify=False)
        assert answer.status_code == 200
        assert answer.headers["strict-transport-security"] == "max-age=63072000"
        [head] = kibitz.heads
        assert re.findall(rb"(?im)^x-forwarded-proto: (.*)\r$", head) == [b"https"]
        assert _get(f"{proxy.tls}/metrics", verify=False).status_code == 404
        # who comes without TLS is sent on to it, with method and body, and is not served
        for host in ("cards.example.org", "cards.example.org:8081"):  # which is where it came without
            sent_on = _post(f"{proxy.plain}/v1/matches?a=b", headers={"Host": host}, json={})
            assert sent_on.status_code == 308
            assert sent_on.headers["location"] == "https://cards.example.org/v1/matches?a=b"
        assert len(kibitz.heads) == 1


def test_who_sends_slowly_on_purpose_is_not_waited_for(folder: Path):
    with Standin(DONE) as kibitz, proxied(folder, [kibitz.address], seconds=1) as proxy:
        for begun in (
            b"GET /v1/games HTTP/1.1\r\nHost: k\r\nX-",
            b"POST /v1/matches HTTP/1.1\r\nHost: k\r\nContent-Length: 9\r\n\r\n{",
        ):
            with socket.create_connection(("127.0.0.1", int(proxy.url.rpartition(":")[2])), timeout=PATIENCE) as line:
                line.sendall(begun)
                assert line.recv(65536).startswith(b"HTTP/1.1 408 ")
        assert kibitz.heads == []
