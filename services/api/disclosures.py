"""Who was shown which hidden cards, and when: what the events say by themselves, and what was logged beside them."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from litestar import Controller, Request, Response, get

from domain.game import Seat
from domain.match import EVENTS
from domain.match.state import ENDS
from services.api.answers import ListQuery, Page, answer, fingerprint, seen_headers, unchanged
from services.api.caller import sight
from services.api.describe import NOT_MODIFIED, Operation, described, json_answer
from services.api.reading import context_of, query
from services.api.table_shapes import Millis
from services.cursors import key_in, page_of, unknown
from services.ids import is_id
from services.store.cases import NO_ID, Disclosure
from services.store.records import StoredEvent, StoredOpening


class Disclosed(msgspec.Struct, frozen=True, kw_only=True):
    """Something hidden was shown, at the time ``at``.

    ``dealt``: the seats of ``to`` saw the ``fields`` of event ``first`` when it happened; this follows from the event.
    ``opened``: event ``last`` has opened the hand that began with event ``first`` to everybody; this follows, too.
    ``shown``: ``player`` (null: somebody without a token), who sat on ``seat`` or nowhere, was shown events ``first``
    to ``last`` by ``operation``, through the eyes of ``through``: a seat, ``all``, or ``opened`` for cards of hands
    that were over. This was logged before it was shown, the first time.
    """

    at: Millis
    kind: Literal["dealt", "opened", "shown"]
    first: int
    last: int
    to: list[Seat]
    fields: list[str]
    player: str | None
    role: str | None
    seat: Seat | None
    operation: str | None
    through: str | None


class _Key(NamedTuple):
    """Where an entry stands: by time, what follows from events first; ``id`` tells entries of one time apart.

    ``version`` of what was logged is 0: its ids are in the order of the log.
    """

    at: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    logged: Literal[0, 1]
    version: int
    id: str


_DERIVED: Final = 0
_LOGGED: Final = 1
_ENDS: Final = frozenset(entry.code for entry in EVENTS.types if entry.cls in ENDS)


_DISCLOSURES: Final = Operation(
    name="listDisclosures",
    tag="Auditing",
    summary="Who saw what",
    description=(
        "Every showing of a hidden card, in the order of time: what the events say by themselves (`dealt`, `opened`) "
        "and what was logged beside them (`shown`): an arbiter or another player looking through other eyes at a "
        "running match, and opened cards of a running match that were taken away. For the match's players when it is "
        "over, for arbiters at any time."
    ),
    token="required",  # noqa: S106
    query=ListQuery,
    headers=("If-None-Match",),
    answers=(json_answer(200, "A page of the log.", Page[Disclosed], "ETag", "Cache-Control"), NOT_MODIFIED),
    problems=("not-found", "forbidden"),
)


class DisclosuresController(Controller):
    path = "/v1/matches/{match:str}/audit/disclosures"

    @get("/", opt=described(_DISCLOSURES))
    async def disclosures(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = query(request, ListQuery)
        seen = await sight(request)
        after = _after(asked.cursor)
        store = context_of(request).store
        events = await store.events(seen.match, limit=seen.state.version)
        openings = await store.openings(seen.match, until=seen.state.version)
        entries = [*_derived(events, openings)]
        logged = await store.disclosures(seen.match, _logged_after(after), asked.limit + 1)
        entries += [(_Key(row.at, _LOGGED, 0, row.id), _shown(row)) for row in logged]
        entries = sorted(((key, entry) for key, entry in entries if after is None or key > after), key=lambda e: e[0])
        page, more = page_of(entries, asked.limit, lambda entry: entry[0])
        found = answer(Page([entry for _, entry in page], more))
        headers = seen_headers(seen, "personal", fingerprint(found.content))
        found.headers.update(headers)
        return unchanged(request, headers) or found


def _derived(events: Sequence[StoredEvent], openings: Sequence[StoredOpening]) -> Iterator[tuple[_Key, Disclosed]]:
    """What follows from the events: each audience of each event's hidden fields, and each opening of a hand."""
    at = {event.version: event.at for event in events}
    fields: dict[tuple[int, tuple[int, ...]], list[str]] = {}
    begun: dict[int, int] = {}
    for entry in openings:
        begun.setdefault(entry.hand, entry.version)
        fields.setdefault((entry.version, entry.opening.to), []).append(entry.opening.path)
    for (version, to), paths in fields.items():
        if to:
            key = _Key(at[version], _DERIVED, version, ",".join(map(str, to)))
            yield key, _entry(at[version], "dealt", version, version, to=list(to), fields=paths)
    for event in events:
        if event.code in _ENDS:
            hand = event.decoded().body.hand
            if hand in begun:
                key = _Key(event.at, _DERIVED, event.version, "opened")
                yield key, _entry(event.at, "opened", begun[hand], event.version)


def _shown(row: Disclosure) -> Disclosed:
    told = {"player": row.player or None, "role": row.role or None, "seat": row.seat}
    return _entry(row.at, "shown", row.first, row.last, operation=row.operation, through=row.shown, **told)


def _entry(at: int, kind: Literal["dealt", "opened", "shown"], first: int, last: int, **more: Any) -> Disclosed:
    nothing: dict[str, Any] = {"to": [], "fields": [], "player": None, "role": None, "seat": None}
    return Disclosed(at=at, kind=kind, first=first, last=last, **nothing | {"operation": None, "through": None} | more)


def _after(cursor: str | None) -> _Key | None:
    key = key_in(cursor, _Key)
    if key is not None and key.logged and not is_id(key.id):
        raise unknown()
    return key


def _logged_after(after: _Key | None) -> tuple[int, str] | None:
    """The logged entry after which a page goes on. Entries that follow from events come first in their millisecond."""
    if after is None:
        return None
    return (after.at, after.id) if after.logged else (after.at, str(NO_ID))
