"""The dealer: keeps the secrets of a match and does what the match is due from the service.

All entropy of a match is the 32 random bytes that its chain of secrets ends in. Everything else follows from them and
from the seats' seeds by ``domain.fairness``, so a deal can be made again by anybody once its secret is published.
"""

import hmac
import secrets
from collections.abc import Sequence
from typing import Final

from domain import fairness
from domain.game import Drawn
from domain.hidden import b64u, unb64u
from domain.match import commands
from domain.match.state import State


def new_secret() -> bytes:
    """``x_N`` of a new match."""
    return secrets.token_bytes(32)


def anchor_of(match: str, secret: bytes) -> str:
    """``x_0``, as ``MatchOpened`` publishes it."""
    return b64u(fairness.secret_of(match, secret, 0))


def server_seed(secret: bytes, seat: int, attempt: int) -> bytes:
    """The seed that the server keeps for a seat. ``attempt`` tells one commitment of a seat from the next."""
    return hmac.digest(secret, f"kibitz/v1/seed/{seat}/{attempt}".encode(), "sha256")


def server_commitment(secret: bytes, seat: int, attempt: int) -> str:
    return b64u(fairness.commitment(server_seed(secret, seat, attempt)))


_STRIDE: Final = 32
"""Every so many secrets of a chain one is remembered: to walk all of it takes 500 hashes."""


class Dealer:
    """The secrets of one match. Remembers the key of the hand under way, and some of the secrets that are to come."""

    def __init__(self, match: str, secret: bytes) -> None:
        self._match = match
        self._secret = secret
        self._known = {fairness.HANDS: secret}
        self._hand = -1
        self._hand_secret = b""
        self._hand_key = b""

    def do(self, state: State, duty: commands.Duty, at: int) -> commands.Command:
        """The command that fulfils ``duty`` at time ``at``."""
        match duty:
            case commands.MustCommit(seat):
                return commands.CommitSeed(seat, self.commitment(seat, state.version + 1), "server")
            case commands.MustReveal(seat):
                return commands.RevealSeed(seat, b64u(self._seed(state, seat)))
            case commands.MustStart():
                return commands.Start()
            case commands.MustDraw(hand, number, lists):
                return commands.Draw(Drawn(self._draw(state, hand, number, lists), at - state.started_at))
            case commands.MustCloseHand(hand):
                return commands.CloseHand(b64u(self.secret(hand)))
            case commands.MustEndMatch():
                return commands.EndMatch()
            case commands.MustPlayFallback(seat):
                return commands.PlayFallback(seat)

    def commitment(self, seat: int, version: int) -> str:
        """What the server commits to for a seat by the event with that version."""
        return server_commitment(self._secret, seat, version)

    def secret(self, hand: int) -> bytes:
        """``x_h``: published when the hand is over, never before."""
        if hand != self._hand:
            self._hand, self._hand_key = hand, b""
            above = min(fairness.HANDS, hand + -hand % _STRIDE)
            self._hand_secret = fairness.secret_of(self._match, self._mark(above), hand, above)
        return self._hand_secret

    def _mark(self, hand: int) -> bytes:
        """``x_h`` of a hand whose number is a multiple of the stride."""
        if hand not in self._known:
            later = hand + _STRIDE
            self._known[hand] = fairness.secret_of(self._match, self._mark(later), hand, later)
        return self._known[hand]

    def salt(self, state: State, version: int, path: str) -> bytes:
        """The salt of a hidden field of the hand under way."""
        hand = state.ended + 1
        return fairness.field_salt(self._key(state, hand), hand, version, path)

    def _draw(
        self, state: State, hand: int, number: int, lists: Sequence[Sequence[str]]
    ) -> tuple[tuple[str, ...], ...]:
        return fairness.draw(self._key(state, hand), hand, number, lists)

    def _key(self, state: State, hand: int) -> bytes:
        secret = self.secret(hand)
        if not self._hand_key:
            seeds = [unb64u(seat.seed) for seat in state.seats if seat is not None]
            self._hand_key = fairness.hand_key(unb64u(state.salt), secret, seeds)
        return self._hand_key

    def _seed(self, state: State, seat: int) -> bytes:
        sitting = state.seats[seat]
        assert sitting is not None, "only seats that are taken have seeds"
        return server_seed(self._secret, seat, sitting.committed)
