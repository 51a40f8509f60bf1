"""What can go wrong with a request, apart from a store that is away."""

from domain.game import OutOfTurn, Refused
from domain.match.clock import TooLate
from domain.match.seating import NotYours, WrongState


def status_of(refused: Refused) -> int:
    """The HTTP status of a refusal: 403 not yours, 409 not now, 422 the rules say no."""
    match refused:
        case NotYours():
            return 403
        case OutOfTurn() | TooLate() | WrongState():
            return 409
        case _:
            return 422


class NotFound(Exception):
    """There is no such thing. ``what`` says which: a match, a player, a game."""

    def __init__(self, what: str) -> None:
        super().__init__(f"there is no such {what}")
        self.what = what


class BadRequest(Exception):
    """The request is not understood; the text says where it goes wrong."""


class Forbidden(Exception):
    """The caller may not see or do this; the text says why."""


class Full(Exception):
    """There is as much of it as there may be; the text says of what."""


class KeyReused(Exception):
    """The idempotency key was used before, with another request."""

    def __init__(self) -> None:
        super().__init__("this Idempotency-Key was used before with another request")


class VersionMismatch(Exception):
    """``If-Match`` named another version than the match is at."""

    def __init__(self, expected: int, version: int) -> None:
        super().__init__(f"the match is at version {version}, not {expected}")
        self.expected = expected
        self.version = version
