"""A match played in memory, as the service plays it: commands in, recorded events out, every duty done at once.

It keeps the secrets and the seeds, seals and chains the events, and lets nothing depend on a clock: ``at`` is set by
whoever drives. What it guarantees: ``log`` is a stream that the store would take, and ``state`` is its fold.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import pytest

from domain import fairness
from domain.event import START, SYSTEM, Actor, Recorded, canonical_bytes, chained
from domain.game import Drawn, GameMove, Refused, Seat
from domain.games import GAMES
from domain.hidden import Opening, b64u, seal, unb64u
from domain.match import EVENTS, commands, rules, seating
from domain.match.state import Clock, State, evolve

GAME = "whos-the-ass"
MATCH = "01890a5d-ac96-774b-bcce-b302099a8057"
HOST = "host"

Choose = Callable[[Sequence[Any]], Any]
"""Picks one of several moves: the only chance in a drive, and the driver's own."""

secret_of = lru_cache(maxsize=4096)(fairness.secret_of)


class Logged(NamedTuple):
    """An event as it happened, with what the store keeps of it: code, canonical bytes, openings and their hand."""

    event: Recorded[Any]
    code: int
    data: bytes
    openings: tuple[Opening, ...]
    hand: int


def seed_of(player: str, round_: int = 0) -> bytes:
    """The seed of a player of these tests; another one for each ``round_`` of commitments."""
    return hashlib.sha256(f"{player}/{round_}".encode()).digest()


def commitment_of(player: str, round_: int = 0) -> str:
    return b64u(fairness.commitment(seed_of(player, round_)))


class Drive:
    def __init__(self, *, match: str = MATCH, secret: bytes = b"\x07" * 32, at: int = 1_700_000_000_000) -> None:
        self.match = match
        self.secret = secret
        self.at = at
        self.state = State()
        self.log: list[Logged] = []
        self._head = START

    # --- what people do ---

    def open(
        self,
        seats: int = 3,
        *,
        game: str = GAME,
        clock: int | None = None,
        bank: int | None = None,
        host: str = HOST,
        **options: Any,
    ) -> list[Any]:
        """A clock without a bank is that of an old match (clause 5.8)."""
        ticking = None if clock is None else Clock(clock, bank)
        return self.do(commands.Open(game, options, seats, host, self.anchor, ticking))

    def sit(self, player: str, seat: Seat | None = None, *, round_: int = 0) -> list[Any]:
        """A player sits down with a seed of its own."""
        return self.do(commands.TakeSeat(player, seat, commitment_of(player, round_), "own"))

    def sit_without_seed(self, player: str, seat: Seat | None = None) -> list[Any]:
        return self.do(commands.TakeSeat(player, seat, self._server_commitment(), "server"))

    def bot(self, player: str, seat: Seat | None = None, *, by: str = HOST) -> list[Any]:
        taken = commands.TakeSeat(player, seat, self._server_commitment(), "server", "bot", "random", by)
        return self.do(taken)

    def commit(self, player: str, round_: int) -> list[Any]:
        return self.do(commands.CommitSeed(self.seat(player), commitment_of(player, round_), "own"))

    def reveal(self, player: str, round_: int = 0) -> list[Any]:
        seat = self.seat(player)
        return self.do(commands.RevealSeed(seat, b64u(seed_of(player, round_))), by=seat)

    def leave(self, player: str) -> list[Any]:
        return self.do(commands.LeaveSeat(player))

    def act(self, seat: Seat, move: GameMove, after: int = 1000) -> list[Any]:
        return self.do(commands.Act(seat, move), by=seat, after=after)

    def resign(self, player: str) -> list[Any]:
        return self.do(commands.Resign(player, self.hand_secret()))

    def expire(self, after: int = 0) -> list[Any]:
        """The clock looks at the match ``after`` milliseconds from now."""
        return self.do(commands.Expire(), after=after)

    # --- what the service does ---

    def do(self, command: commands.Command, *, by: Actor = SYSTEM, after: int = 1000, settle: bool = True) -> list[Any]:
        """The events of ``command`` and, unless told otherwise, of all duties that it leads to.

        Raises ``Refused``; then state, log and time are as before.
        """
        first = len(self.log)
        events = rules.decide(self.state, command, self.at + after)
        self.at += after
        for event in events:
            self._record(event, by, f"cmd-{first}")
        while settle and (due := rules.duty(self.state)) is not None:
            self.do(self.answer(due), settle=False)
        return [logged.event.body for logged in self.log[first:]]

    def answer(self, duty: commands.Duty) -> commands.Command:
        match duty:
            case commands.MustCommit(seat):
                return commands.CommitSeed(seat, self._server_commitment(), "server")
            case commands.MustReveal(seat):
                sitting = self.state.seats[seat]
                assert sitting is not None
                return commands.RevealSeed(seat, b64u(self._server_seed(sitting.committed)))
            case commands.MustStart():
                return commands.Start()
            case commands.MustDraw(hand, number, lists):
                drawn = fairness.draw(self._key(hand), hand, number, lists)
                return commands.Draw(Drawn(drawn, self.at + 1000 - self.state.started_at))
            case commands.MustCloseHand():
                return commands.CloseHand(self.hand_secret())
            case commands.MustEndMatch():
                return commands.EndMatch()
            case commands.MustPlayFallback(seat):
                return commands.PlayFallback(seat)

    @property
    def anchor(self) -> str:
        return b64u(secret_of(self.match, self.secret, 0))

    def hand_secret(self) -> str:
        """``x_h`` of the hand that is under way or comes next."""
        return b64u(secret_of(self.match, self.secret, self.state.ended + 1))

    # --- looking and playing on ---

    def seat(self, player: str) -> Seat:
        seat = seating.seat_of(self.state, player)
        assert seat is not None
        return seat

    def legal(self, seat: Seat) -> list[GameMove]:
        return [*GAMES[self.state.game].legal(self.state.play, seat)]

    def start(self, *players: str, **options: Any) -> "Drive":
        """Opens, seats ``players`` (a name that begins with ``bot`` is a bot), and starts."""
        self.open(len(players), host=HOST, **options)
        for player in players:
            self.bot(player) if player.startswith("bot") else self.sit(player)
        for player in players:
            if not player.startswith("bot"):
                self.reveal(player)
        assert self.state.started  # a deal with a four in it may end the match at once
        return self

    def play(self, choose: Choose, moves: int | None = None) -> Iterator[list[Any]]:
        """Legal moves, as ``choose`` picks seats and moves, until the match is over or ``moves`` have been made."""
        while self.state.status == "playing" and moves != 0:
            seat = choose(sorted(rules.to_act(self.state)))
            yield self.act(seat, choose(self.legal(seat)))
            moves = None if moves is None else moves - 1

    def refused(self, clause: str, command: Callable[[], object], kind: type[Refused] = Refused) -> Refused:
        """``command`` is refused by that clause of the match, and nothing has changed."""
        before = (self.state, list(self.log), self.at)
        with pytest.raises(kind) as caught:
            command()
        assert type(caught.value) is kind
        assert (caught.value.clause, caught.value.rulebook) == (clause, "match")
        assert (self.state, self.log, self.at) == before
        return caught.value

    # --- inside ---

    def _record(self, event: Any, by: Actor, cmd: str) -> None:
        version = self.state.version + 1
        kind = EVENTS.of(event)
        hand = self.state.ended + 1
        sealed, openings = seal(event, lambda path: fairness.field_salt(self._key(hand), hand, version, path))
        envelope: dict[str, Any] = {
            "match": self.match,
            "version": version,
            "at": self.at,
            "type": kind.name,
            "schema": kind.schema,
            "seat": by,
            "cmd": cmd,
            "prev": b64u(self._head),
        }
        data = canonical_bytes(Recorded(body=sealed, **envelope))
        happened = Recorded(body=event, **envelope)
        self.state = evolve(self.state, happened)
        self._head = chained(data)
        self.log.append(Logged(happened, kind.code, data, openings, hand if openings else 0))

    def _key(self, hand: int) -> bytes:
        seeds = [unb64u(sitting.seed) for sitting in self.state.seats if sitting is not None]
        return fairness.hand_key(unb64u(self.state.salt), secret_of(self.match, self.secret, hand), seeds)

    def _server_seed(self, committed: int) -> bytes:
        return hashlib.sha256(self.secret + committed.to_bytes(4, "big")).digest()

    def _server_commitment(self) -> str:
        return b64u(fairness.commitment(self._server_seed(self.state.version + 1)))
