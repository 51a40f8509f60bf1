"""``kibitz replay`` on a running Kibitz: printed whole, and by keys in a terminal."""

import os
import pty
import re
import select
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from services.ids import new_id
from tests.e2e.conftest import KIBITZ, ROOT, Kibitz, environment, run
from tests.waiting import until

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def finished(kibitz: Kibitz) -> tuple[str, int]:
    """The finished match that it names at its start, of three games for three seats, and how many events it has."""
    match = re.findall(r" replay ([0-9a-f-]{36})", kibitz.said())[0]
    with kibitz.client() as http:
        return match, http.get(f"/matches/{match}/replay").json()["versions"]


class Terminal:
    """The master side of a terminal in which a replay runs."""

    def __init__(self, file: int, process: "subprocess.Popen[bytes]") -> None:
        self._file = file
        self._process = process
        self.raw = b""

    def press(self, keys: bytes) -> None:
        self._read()
        self.raw = b""
        os.write(self._file, keys)

    def interrupt(self) -> None:
        """As Ctrl-C does in a terminal."""
        self._process.send_signal(signal.SIGINT)
        self.ended()

    def ended(self) -> int:
        """Its exit code, once there is one. Who is not read from cannot end: it may have more to draw than fits."""
        until(lambda: self._read() is not None and self._process.poll() is not None)
        return self._process.wait()

    def shows(self, text: str) -> None:
        """Waits until ``text`` has been drawn since the last key."""
        until(lambda: text in self._read())

    def _read(self) -> str:
        with suppress(OSError):  # nobody is at the other side any more
            while select.select([self._file], [], [], 0)[0]:
                self.raw += os.read(self._file, 65536)
        return ESCAPES.sub("", self.raw.decode(errors="replace"))


@contextmanager
def terminal(kibitz: Kibitz, *arguments: str, code: int = 0) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*KIBITZ, "replay", *arguments, "--url", kibitz.url],
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment() | {"TERM": "xterm", "COLUMNS": "140", "LINES": "60"},
    )
    os.close(theirs)
    shown = Terminal(ours, process)
    try:
        yield shown
        os.write(ours, b"q")
        assert shown.ended() == code
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_a_pipe_gets_every_event_with_its_sentence(served: Kibitz):
    match, versions = finished(served)
    done = run("replay", match, "--url", served.url)
    assert done.returncode == 0, done.stderr
    numbers = [int(number) for number in re.findall(r"^#(\d+)  \S", done.stdout, re.MULTILINE)]
    assert numbers == list(range(1, versions + 1))


def test_keys_move_through_a_match(served: Kibitz):
    match, versions = finished(served)
    with served.client() as http:
        hands = http.get(f"/matches/{match}/replay").json()["hands"]
    with terminal(served, match) as screen:
        screen.shows(f"event 1 of {versions}")
        for keys, version in (
            (b"n", 2), (b"\x1b[C", 3), (b"\x1b[D", 2), (b"]", hands[0]["first"]), (b"]", hands[1]["first"]),
            (b"[", hands[0]["first"]), (b"\x1b[F", versions), (b"n", versions), (b"\x1b[H", 1), (b"p", 1),
        ):  # fmt: skip
            screen.press(keys)
            screen.shows(f"event {version} of {versions}")
        screen.press(b"s")
        screen.shows("as seat 0 saw it")
        screen.press(b"G[a")
        screen.shows("playing, 1 a second")
        screen.press(b"+")
        screen.shows("playing, 2 a second")


def test_a_seat_sees_its_own_cards_only_and_all_sees_everybodys(served: Kibitz):
    match, _ = finished(served)
    everything = run("replay", match, "--url", served.url, "--seat", "all").stdout
    own = run("replay", match, "--url", served.url, "--seat", "1").stdout
    public = run("replay", match, "--url", served.url, "--seat", "public").stdout
    assert "hands" in everything
    assert "hands" not in own
    assert re.search(r"\bhand\b", own)
    assert everything.count("ASS") > own.count("ASS") >= public.count("ASS")


def test_an_unknown_match_is_one_line(served: Kibitz):
    done = run("replay", new_id(), "--url", served.url)
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)


def test_a_match_at_play_is_shown_as_far_as_it_has_come_at_every_end(served: Kibitz):
    with served.client() as http:
        host = {"Authorization": f"Bearer {http.post('/players', json={'name': 'Host'}).json()['token']}"}
        path = http.post("/matches", json={"game": "whos-the-ass", "seats": 3}, headers=host).headers["location"]
        match = path.rpartition("/")[2]
        with terminal(served, match) as screen:
            screen.shows("event 1 of 1")
            http.post(f"/matches/{match}/seats", json={}, headers=host).raise_for_status()
            version = http.get(f"/matches/{match}").json()["version"]
            assert version > 1
            screen.press(b"G")
            screen.shows(f"event {version} of {version}")


def test_ctrl_c_interrupts(served: Kibitz):
    with terminal(served, finished(served)[0], code=130) as screen:
        screen.shows("event 1 of ")
        screen.interrupt()


def test_a_seat_that_there_is_not_is_one_line(served: Kibitz):
    done = run("replay", finished(served)[0], "--url", served.url, "--seat", "99")
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)


def test_commands_find_the_servers_of_the_data_folder_that_is_served(served: Kibitz):
    match, _ = finished(served)
    assert run("replay", match, "--data", str(served.data)).returncode == 0
    done = run("verify", match, "--data", str(served.data))
    assert done.returncode == 0, done.stderr
    assert "VALID" in done.stdout
    done = run("rebuild", "--data", str(served.data))
    assert done.returncode == 0, done.stderr
