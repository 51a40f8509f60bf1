"""Whole matches without a database: decided, sealed and chained exactly as the service does it."""

import random
import secrets
from collections.abc import Callable, Sequence
from typing import NamedTuple

from domain import fairness
from domain.event import SYSTEM, Actor
from domain.games import GAMES
from domain.hidden import b64u
from domain.match import commands, rules
from domain.match.state import State
from services.audit import Report, verify
from services.dealer import Dealer, anchor_of, new_secret
from services.disclosure import bundle
from services.draft import Draft
from services.ids import new_id
from services.store.records import Append, Appended, StoredEvent, StoredOpening


def take(command: commands.Command, actor: Actor = SYSTEM) -> Callable[[Draft], None]:
    """For ``Played.do``: one command by one actor."""
    return lambda draft: draft.take(command, actor)


def audited(events: Sequence[StoredEvent], openings: Sequence[StoredOpening]) -> Report:
    """What is said of the record as it lies in the store, with everything opened that it has."""
    return verify(bundle(events, openings, "all", 0))


class Origin(NamedTuple):
    """What makes two matches played alike the same byte for byte: id, secret, players, command ids, when it begins."""

    match: str
    secret: bytes
    players: Sequence[str]
    ids: Callable[[], str] = new_id
    at: int = 1_000
    host: str = "host"


def somewhere() -> Origin:
    """A match that there is no other like."""
    return Origin(new_id(), new_secret(), [f"player {seat}" for seat in range(12)])


class Played:
    """One match that is being played; what the store would hold is in ``events`` and ``openings``."""

    def __init__(
        self, options: dict, seats: int, game: str = "whos-the-ass", taste: int = 0, origin: Origin | None = None
    ) -> None:
        self.match, self.secret, self.players, self.new_id, self.now, host = origin or somewhere()
        self.keeper = Dealer(self.match, self.secret)
        self.state, self.head = State(), b""
        self.events: list[StoredEvent] = []
        self.openings: list[StoredOpening] = []
        self.appends: list[Append] = []
        self.taste = random.Random(taste)
        opening = commands.Open(game, options, seats, host, anchor_of(self.match, self.secret))
        self.do(take(opening))

    def do(self, decide: Callable[[Draft], None]) -> None:
        self.now += 10
        draft = Draft(self.match, self.state, self.head, self.keeper, self.new_id(), self.now)
        decide(draft)
        draft.settle()
        self.appends.append(draft.append())
        steps = draft.steps(Appended(draft.state.version, draft.state.version))
        self.events += [step.event for step in steps]
        self.openings += [opening for step in steps for opening in step.openings]
        self.state, self.head = draft.state, draft.head

    def seat_all(self, own: frozenset[int] = frozenset()) -> dict[int, bytes]:
        """Fills the table; the seats in ``own`` bring seeds of their own, which are returned."""
        seeds = {seat: secrets.token_bytes(32) for seat in own}
        for seat in range(len(self.state.seats)):
            if seat in own:
                taken = commands.TakeSeat(self.players[seat], seat, b64u(fairness.commitment(seeds[seat])), "own")
            else:
                text = self.keeper.commitment(seat, self.state.version + 1)
                taken = commands.TakeSeat(self.players[seat], seat, text, "server")
            self.do(take(taken))
        return seeds

    def reveal(self, seeds: dict[int, bytes]) -> None:
        for seat, seed in seeds.items():
            self.do(take(commands.RevealSeed(seat, b64u(seed)), seat))

    def move(self) -> None:
        """One random legal move of a seat that is due."""
        seat = min(rules.to_act(self.state))
        move = self.taste.choice(GAMES[self.state.game].legal(self.state.play, seat))
        self.do(take(commands.Act(seat, move), seat))

    def play_out(self) -> "Played":
        while self.state.status == "playing":
            self.move()
        return self


def finished(seats: int = 3, own: frozenset[int] = frozenset({1}), taste: int = 0, **options) -> Played:
    """A match that is over, played at random."""
    played = Played({"games": 2, **options}, seats, taste=taste)
    played.reveal(played.seat_all(own))
    return played.play_out()
