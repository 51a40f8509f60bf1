"""``kibitz replay``: moves through a match event by event."""

import re
import sys
import time
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.live import Live

from domain.match.state import OVER
from services.cli.failures import UNKNOWN, USAGE, Failure, check_id
from services.cli.keys import Reader, keyboard
from services.cli.screen import page, screen
from services.cli.source import Index, Source, Step

SEAT: Final = re.compile(r"[0-9]{1,3}|public|all", re.ASCII)
SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


class Replay:
    """Where in a match one is, and through whose eyes one looks."""

    def __init__(self, source: Source, match: str, seat: str | None) -> None:
        self._source = source
        self._steps: dict[tuple[int, str], Step] = {}
        self.match = match
        self.over = False
        self.look()
        if seat is not None and seat.isdigit() and int(seat) >= len(self.names):
            raise Failure(f"there is no seat {seat} in this match; they are 0 to {len(self.names) - 1}", UNKNOWN)
        self.seat = self.views[0] if seat is None else seat
        self._first_seat = self.seat
        self.version = 1
        self._step_at_start = self.step

    def look(self) -> None:
        """Asks how far the match has come. One that is over has come to its end, and is not asked for again."""
        if self.over:
            return
        self.index: Index = self._source.index(self.match)
        now = self._source.match(self.match)
        self.names: Sequence[str] = [taken.get("name") or taken.get("player") or "" for taken in now["seats"]]
        over = now["status"] in OVER
        self.views = ["all" if over else "public", *(str(number) for number in range(len(self.names)) if over)]
        self.over = over

    @property
    def step(self) -> Step:
        place = self.version, self.seat
        if place not in self._steps:
            self._steps[place] = self._source.step(self.match, *place)
        return self._steps[place]

    @property
    def at_end(self) -> bool:
        return self.version >= self.index.versions

    def go(self, key: str) -> None:
        """Moves as ``key`` (a name of ``keys.NAMES``) says, within the match."""
        hands = [hand.first for hand in self.index.hands]
        marks = [mark.version for mark in self.index.marks]
        match key:
            case "next":
                self._to(self.version + 1)
            case "back":
                self._to(self.version - 1)
            case "first":
                self._to(1)
            case "last":
                self.look()
                self._to(self.index.versions)
            case "hand":
                self._to(_after(hands, self.version, self.index.versions))
            case "hand back":
                self._to(_before(hands, self.version))
            case "mark":
                self._to(_after(marks, self.version, self.index.versions))
            case "mark back":
                self._to(_before(marks, self.version))
            case "seat":
                views = [*dict.fromkeys((self._first_seat, *self.views))]
                self.seat = views[(views.index(self.seat) + 1) % len(views)]
            case _:
                pass

    def _to(self, version: int) -> None:
        self.version = min(max(1, version), self.index.versions)


def _after(places: Sequence[int], version: int, end: int) -> int:
    place = bisect_right(places, version)
    return places[place] if place < len(places) else end


def _before(places: Sequence[int], version: int) -> int:
    place = bisect_left(places, version)
    return places[place - 1] if place else 1


def print_all(replay: Replay, console: Console, speed: float | None) -> None:
    """Every step below the other; ``speed`` in steps a second, as fast as it goes without."""
    while True:
        console.print(page(replay.step, replay.names, replay.seat))
        if replay.at_end:
            return
        if speed:
            time.sleep(1 / speed)
        replay.go("next")


def browse(replay: Replay, console: Console, speed: float) -> None:
    """By keys, on the whole screen, until somebody quits."""
    with keyboard() as read, Live(console=console, screen=True, auto_refresh=False) as live:
        _browse(replay, live, read, speed)


def _browse(replay: Replay, live: Live, read: Reader, speed: float) -> None:
    playing, key = False, ""
    while key != "quit":
        status = f"playing, {speed:g} a second" if playing else ""
        picture = screen(replay.match, replay.index, replay.step, replay.names, replay.seat, status)
        live.update(picture, refresh=True)
        key = read(1 / speed if playing else None)
        match key:
            case "":
                if playing:
                    replay.go("next")
                    playing = not replay.at_end
            case "auto":
                playing = not playing and not replay.at_end
            case "faster":
                speed = SPEEDS[min(bisect_right(SPEEDS, speed), len(SPEEDS) - 1)]
            case "slower":
                speed = SPEEDS[max(bisect_left(SPEEDS, speed) - 1, 0)]
            case _:
                replay.go(key)


def check(match: str, seat: str | None, speed: float | None) -> None:
    """Raises ``Failure`` for what can be seen to be wrong before anybody is asked."""
    check_id(match)
    if seat is not None and not SEAT.fullmatch(seat):
        raise Failure(f"--seat is the number of a seat, public or all, and not {seat}", USAGE)
    if speed is not None and not 0 < speed <= 1000:
        raise Failure("--speed is a number of events a second, above 0 and at most 1000", USAGE)


def run(source: Source, match: str, seat: str | None, *, everything: bool, speed: float | None) -> None:
    """The command, of what ``check`` has found right. Without a terminal it prints everything."""
    replay = Replay(source, match, seat)
    console = Console(highlight=False)
    if everything or not (sys.stdin.isatty() and console.is_terminal):
        print_all(replay, console, speed)
    else:
        browse(replay, console, speed or 1.0)
