"""Answers: JSON with the right headers, entity tags, and how long whoever may keep what."""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

import msgspec
from litestar import Response

from domain.games import GAMES
from domain.hidden import b64u
from services.api.caller import Sight
from services.api.reading import AnyRequest, header
from services.api.refusals import raws
from services.api.shapes import Done
from services.readmodels import LIMIT
from services.requests import Done as Outcome

JSON: Final = "application/json"
VARY: Final = "Authorization, Accept, Accept-Language"

REVALIDATE: Final = "private, no-cache"
"""Keep it, but ask each time whether it is still right."""
FOREVER: Final = "public, max-age=31536000, immutable"
FOR_NOW: Final = "public, max-age=30, immutable"
"""What a match that is over shows until, perhaps, a dispute is opened or ruled on."""
FOR_ALL: Final = "public, no-cache"

Row = TypeVar("Row")

Limit = Annotated[int, msgspec.Meta(ge=1, le=LIMIT, description="How many items at most.")]
Cursor = Annotated[str, msgspec.Meta(max_length=512, description="`next` of the page before.")]


GameId = Annotated[
    str, msgspec.Meta(description="Only matches of this game.", extra_json_schema={"enum": sorted(GAMES)})
]


class ListQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    limit: Limit = 50
    cursor: Cursor | None = None


class Page(msgspec.Struct, Generic[Row], frozen=True):
    """Some items of a list. ``next`` is the cursor of the page after; null at the end."""

    items: Annotated[list[Row], msgspec.Meta(max_length=LIMIT)]
    next: str | None


def answer(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None, media_type: str = JSON
) -> Response[bytes]:
    """``value`` as JSON; bytes as they are."""
    data = value if isinstance(value, bytes) else msgspec.json.encode(value)
    return Response(data, status_code=status, media_type=media_type, headers=dict(headers or {}))


def done_answer(done: Outcome, status: int = 200, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    """What a command led to, and whether it had been done before."""
    again = {"Idempotent-Replay": "true"} if done.replayed else {}
    return answer(done_json(done), status, {**(headers or {}), **again})


def done_json(done: Outcome) -> bytes:
    """What a command led to, as the caller may see it."""
    return msgspec.json.encode(Done(done.match, done.seat, done.version, b64u(done.head), raws(done.events)))


Kind = Literal["personal", "named", "plain", "settled"]
"""Whether an answer is for its viewer only, or has names in it, which can change or go, or neither; what is settled not
even a ruling can add to.
"""


def seen_headers(seen: Sight, kind: Kind, tag: str = "") -> dict[str, str]:
    """The headers of what ``seen`` shows of a match: its ETag, and how long whoever may keep it.

    The tag has the version and the viewer, and ``tag`` for whatever else the answer depends on. A match that is over
    shows everybody the same, unless it is ``personal``: without names that may be kept for a while, or for ever.
    """
    public = seen.over and kind != "personal"
    parts = [str(seen.state.version), "all" if public else str(seen.viewer), *filter(None, [tag])]
    keep = REVALIDATE
    if public and seen.state.spectators != "none":
        keep = {"named": FOR_ALL, "plain": FOR_NOW, "settled": FOREVER}[kind]
    return {"ETag": f'"{".".join(parts)}"', "Cache-Control": keep, "Vary": VARY}


def fingerprint(value: bytes) -> str:
    """A short tag for what an answer says beside the events of its match."""
    return hashlib.sha256(value).hexdigest()[:12]


def unchanged(request: AnyRequest, headers: Mapping[str, str]) -> Response[bytes] | None:
    """A 304 if ``If-None-Match`` names the tag of the answer, compared weakly (RFC 9110, section 13.1.2)."""
    text = header(request, "If-None-Match")
    if text is None:
        return None
    tags = [tag.strip().removeprefix("W/") for tag in text.split(",")]
    if text != "*" and headers["ETag"] not in tags:
        return None
    return Response(b"", status_code=304, headers=dict(headers))
