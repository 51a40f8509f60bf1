"""Seeds, commitments, anchor and secrets, read off the events alone: the rules of a match are not asked."""

from typing import Any

import msgspec

from domain import fairness
from domain.game import Seat
from domain.hidden import b64u, unb64u_32
from domain.match import state as facts
from services.audit.record import Record
from services.audit.report import HandSeeds


class _Seat(msgspec.Struct):
    commitment: str
    custody: str
    seed: bytes | None = None


class Seeds:
    """Follows the events one by one. ``salt`` is the hash of the event that fixed the last commitment."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._seats: dict[Seat, _Seat] = {}
        self._void: set[str] = set()
        self._salt = ""
        self._started = False
        self._secret: bytes | None = None  # the last one that led to the anchor, and its hand
        self._hand = 0
        self._version = 0
        self._prev = ""

    def check(self) -> None:
        """Fills in the keys of the record, and finds what does not fit."""
        for event in self._record.events:
            if event.recorded is not None:
                self._version, self._prev = event.version, event.recorded.prev
                self._see(event.recorded.body)

    @property
    def hands(self) -> tuple[HandSeeds, ...]:
        """Every hand that has been dealt, as far as the events say."""
        own = tuple(sorted(seat for seat, sitting in self._seats.items() if sitting.custody == "own" and sitting.seed))
        last = max((*self._record.ends, self._record.sealed_hand))
        return tuple(
            HandSeeds(hand, own, hand in self._record.keys) for hand in range(1, min(last, fairness.HANDS) + 1)
        )

    def _fail(self, text: str) -> None:
        self._record.findings.fail("seeds", text, self._version)

    def _see(self, body: Any) -> None:
        match body:
            case facts.MatchOpened(anchor=anchor):
                self._secret = unb64u_32(anchor)
                if self._secret is None:
                    self._fail("The anchor is not 32 bytes, base64url.")
            case facts.SeatTaken(seat=seat, commitment=commitment, custody=custody):
                self._committed(seat, commitment, custody)
            case facts.SeedCommitted(seat, commitment, custody):
                self._seats.pop(seat, None)
                self._committed(seat, commitment, custody)
            case facts.SeatLeft(seat):
                self._seats.pop(seat, None)
            case facts.SeatPutOut():
                self._void |= {sitting.commitment for sitting in self._seats.values()}
                self._seats.clear()
                self._salt = ""
            case facts.SeedRevealed(seat, seed, custody):
                self._revealed(seat, seed, custody)
            case facts.MatchStarted(salt):
                self._begun(salt)
            case facts.HandEnded() | facts.MatchEnded() | facts.MatchAbandoned() if body.hand and body.secret:
                self._opened(body.hand, body.secret)
            case _:
                pass

    def _committed(self, seat: Seat, commitment: str, custody: str) -> None:
        if unb64u_32(commitment) is None:
            self._fail(f"The commitment of seat {seat} is not 32 bytes, base64url.")
        if commitment in self._void or any(sitting.commitment == commitment for sitting in self._seats.values()):
            self._fail(f"The commitment of seat {seat} was made before in this match: a seed serves once.")
        if any(sitting.seed for sitting in self._seats.values()):
            self._fail(f"Seat {seat} commits after a seed was revealed.")
        self._seats[seat] = _Seat(commitment, custody)

    def _revealed(self, seat: Seat, text: str, custody: str) -> None:
        seed, sitting = unb64u_32(text), self._seats.get(seat)
        if sitting is None or seed is None or b64u(fairness.commitment(seed)) != sitting.commitment:
            self._fail(f"The seed of seat {seat} does not fit its commitment.")
            return
        if sitting.custody != custody:
            self._fail(f"The seed of seat {seat} was in other hands when it was committed to.")
        if sitting.seed is not None:
            self._fail(f"Seat {seat} reveals its seed twice.")
        sitting.seed = seed
        self._salt = self._salt or self._prev

    def _begun(self, salt: str) -> None:
        revealed = {seat for seat, sitting in self._seats.items() if sitting.seed}
        missing = set(range(min(self._record.bundle.seats, 64))) - revealed
        if missing:
            self._fail(f"The match starts without the seed of seat {min(missing)}.")
        if salt != self._salt:
            self._fail("The salt is not the hash of the event that fixed the last commitment.")
        self._started = True

    def _opened(self, hand: int, text: str) -> None:
        secret = unb64u_32(text)
        if secret is None:
            self._fail(f"The secret of hand {hand} is not 32 bytes, base64url.")
        elif self._secret is None:
            self._fail(f"The secret of hand {hand} leads to no anchor: there is none.")
        elif not self._hand < hand <= fairness.HANDS:
            self._fail(f"The secret of hand {hand} is published out of its order.")
        elif fairness.secret_of(self._record.bundle.match, secret, self._hand, hand) != self._secret:
            self._fail(f"The secret of hand {hand} does not lead to the anchor.")
        else:
            self._secret, self._hand = secret, hand
            seeds = [sitting.seed for _, sitting in sorted(self._seats.items()) if sitting.seed is not None]
            salt = unb64u_32(self._salt)
            if self._started and salt is not None and len(seeds) == self._record.bundle.seats:
                self._record.keys[hand] = fairness.hand_key(salt, secret, seeds)
