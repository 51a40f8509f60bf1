"""What a match is asked, and what that led to."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from domain.game import Seat
from domain.match.state import Clock, Spectators
from services import dealer
from services.draft import Draft

GivenOptions = Annotated[
    dict[str, Any],
    msgspec.Meta(
        description="Those of the game; `GET /v1/games` has their bounds.",
        extra_json_schema={
            "additionalProperties": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "boolean"}]}
        },
    ),
]
"""Values of any type: what is wrong with one is for the rules to say, with its name and bounds."""


class OpenRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a match is to be. ``options`` that are not named take their defaults."""

    game: str
    seats: int
    options: GivenOptions = {}
    clock: Clock | None = None
    spectators: Spectators = "open"


class Done(msgspec.Struct, frozen=True):
    """What a command led to. ``events`` are JSON as the caller may see them; ``head`` is the hash of the last event.

    ``version`` and ``head`` are those right after the command; ``replayed`` says that it had been done before.
    """

    match: str
    version: int
    head: bytes
    seat: Seat | None
    events: tuple[bytes, ...]
    replayed: bool = False


class Request(msgspec.Struct, frozen=True):
    """One command on its way: ``decide`` puts it into a draft; ``body`` is what a refusal keeps as evidence.

    ``at`` is when it came: what it then waits for costs nobody's time. ``right`` names the row of the table of rights
    by which ``player``, who has that ``role``, may; empty for what everybody with a token may, for the clock, and for
    what asks it when it decides.
    """

    player: str
    cmd: str
    decide: Callable[[Draft, dealer.Dealer], None]
    body: bytes = b""
    expected: int | None = None
    new: bool = False
    at: int = 0
    right: str = ""
    role: str = "player"
