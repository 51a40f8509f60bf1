"""The record as it lies in a bundle, and the checks that need no rules: bytes, chain, openings, completeness."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from domain import fairness
from domain.event import START, EventType, Recorded, chained
from domain.game import Refused
from domain.games import GAMES
from domain.hidden import Hidden, Opening, b64u, canonical, digest_of, hides, unb64u, with_hidden
from domain.match import EVENTS
from domain.match import state as facts
from services.audit.bundle import Bundle, BundleOpening, editions
from services.audit.report import Findings

MALFORMED: Final = (
    LookupError, ValueError, TypeError, AttributeError, AssertionError, ArithmeticError, RuntimeError, StopIteration,
    msgspec.MsgspecError, Refused,
)  # fmt: skip
"""What may be raised by reading, folding or deciding what is not what it should be."""

_LARGE: Final = re.compile(rb"[0-9]{16}")
_EXACT: Final = 2**53
"""JSON numbers from here on are not exact for everybody who reads them (RFC 8259, section 6)."""


class _Kind(msgspec.Struct, frozen=True):
    type: str
    schema: int


_KIND: Final = msgspec.json.Decoder(_Kind)


class Event:
    """One event of the record. ``recorded`` is sealed, and None if the bytes cannot be read.

    ``hand`` is the hand that was under way or came next, ``hidden`` the hidden fields by their paths, ``openings``
    those of the bundle that fit one of these. ``sealed`` says that the fields have digests and nothing that opens them.
    """

    __slots__ = ("_opened", "code", "data", "hand", "hidden", "openings", "recorded", "sealed", "version")

    def __init__(self, version: int, data: bytes, recorded: Recorded[Any] | None, code: int, hand: int) -> None:
        self.version = version
        self.data = data
        self.recorded = recorded
        self.code = code
        self.hand = hand
        self.hidden: dict[str, Hidden[Any]] = {}
        self.sealed = True
        self.openings: dict[str, Opening] = {}
        self._opened: Recorded[Any] | None = None
        if recorded is not None and hides(recorded.body.__class__):
            with_hidden(recorded.body, self._note)

    def _note(self, path: str, hidden: Hidden[Any]) -> Hidden[Any]:
        self.hidden[path] = hidden
        self.sealed = self.sealed and hidden.value is msgspec.UNSET and hidden.salt is msgspec.UNSET
        return hidden

    @property
    def opened(self) -> Recorded[Any] | None:
        """The event with all its values; None if one is sealed, or is not what should stand there."""
        if self.recorded is None or not self.hidden:
            return self.recorded
        if self._opened is None and len(self.openings) == len(self.hidden):
            try:
                schema = _KIND.decode(self.data).schema
                self._opened = EVENTS.decode(self.code, schema, self.data, self.openings.values())
            except MALFORMED:
                return None
        return self._opened


class Record:
    """A bundle taken apart. ``keys`` are those of the hands whose secret is published and leads to the anchor.

    ``ends`` has the version of the event that ended each hand, ``over`` says that the match is.
    """

    def __init__(self, bundle: Bundle, findings: Findings) -> None:
        self.bundle = bundle
        self.findings = findings
        self.events: list[Event] = []
        self.ends: dict[int, int] = {}
        self.keys: dict[int, bytes] = {}
        self.over = False
        self._read()

    def _read(self) -> None:
        types = _types(self.bundle.game)
        hand = 1
        for version, text in enumerate(self.bundle.events, 1):
            data = text.encode("utf-8", "replace")
            try:
                recorded, code = _decoded(data, types)
            except MALFORMED as error:
                self.findings.fail("bytes", f"The event cannot be read: {error}.", version)
                recorded, code = None, 0
            self.events.append(Event(version, data, recorded, code, hand))
            match recorded and recorded.body:
                case facts.HandEnded(hand=number):
                    self.ends.setdefault(number, version)
                    hand += 1
                case facts.MatchEnded(hand=number) | facts.MatchAbandoned(hand=number):
                    self.over = True
                    if number:
                        self.ends.setdefault(number, version)
                case _:
                    pass

    @property
    def head(self) -> str:
        return b64u(chained(self.events[-1].data)) if self.events else ""

    @property
    def sealed_hand(self) -> int:
        """The hand whose cards still lie hidden by right; 0 if there is none."""
        last = max(self.ends, default=0)
        dealt = any(event.hand == last + 1 and event.hidden for event in self.events[self.ends.get(last, 0) :])
        return last + 1 if dealt and not self.over else 0


def _types(game: str) -> Mapping[str, EventType]:
    """The types of event that a match of ``game`` can hold, by their names, which other games have too."""
    codes = {entry.code for entry in (*facts.EVENTS, *(GAMES[game].events if game in GAMES else ()))}
    return {entry.name: entry for entry in EVENTS.types if entry.code in codes}


def _decoded(data: bytes, types: Mapping[str, EventType]) -> tuple[Recorded[Any], int]:
    """The sealed event and its code. Raises one of ``MALFORMED`` for bytes that no record has."""
    if not (data.isascii() and data.decode("ascii").isprintable()):
        raise ValueError("it has characters that are not printable ASCII")
    kind = _KIND.decode(data)
    entry = types.get(kind.type)
    if entry is None:
        raise ValueError(f"a match of this game has no {kind.type[:40]}")
    recorded = EVENTS.decode(entry.code, kind.schema, data)
    # Written again, sorted, it must be the same bytes. Where it is not, fields may have been added since.
    if msgspec.json.encode(recorded, order="sorted") != data:
        plain = msgspec.json.decode(data)
        if canonical(plain) != data:
            raise ValueError("it is not written in its canonical bytes")
        if kind.schema == entry.schema and not _within(plain, msgspec.to_builtins(recorded)):
            raise ValueError("it has a field that its type does not know")
    if _LARGE.search(data) and not _exact(msgspec.json.decode(data)):
        raise ValueError("it has a number that is too large")
    for name in ("match", "cmd", "prev"):
        if len(getattr(recorded, name)) > 64:
            raise ValueError(f"its {name} is too long")
    return recorded, entry.code


def _within(plain: Any, whole: Any) -> bool:
    """Whether ``plain`` says nothing that ``whole`` does not say."""
    match plain:
        case dict():
            return all(name in whole and _within(value, whole[name]) for name, value in plain.items())
        case list():
            return len(plain) == len(whole) and all(map(_within, plain, whole))
        case _:
            return bool(plain == whole)


def _exact(plain: Any) -> bool:
    match plain:
        case dict():
            return all(map(_exact, plain.values()))
        case list():
            return all(map(_exact, plain))
        case int():
            return -_EXACT < plain < _EXACT
        case _:
            return True


def check_header(record: Record) -> None:
    """What the bundle says beside its events is what they say."""
    bundle, fail = record.bundle, record.findings.fail
    if bundle.game not in GAMES:
        fail("bundle", f"There is no game {bundle.game[:40]}.")
    if not record.events:
        fail("bundle", "The bundle has no events.")
        return
    first = record.events[0].recorded
    if first is None or not isinstance(first.body, facts.MatchOpened):
        fail("bundle", "The first event is not the opening of a match.", 1)
    else:
        opened = (first.match, first.body.game, first.body.seats, first.body.options)
        if opened != (bundle.match, bundle.game, bundle.seats, bundle.options):
            fail("bundle", "The bundle names another match, game, number of seats or options than its first event.", 1)
    if bundle.versions != len(record.events):
        fail("bundle", f"The bundle speaks of {bundle.versions} events and has {len(record.events)}.")
    if bundle.head != record.head:
        fail("bundle", "The head is not the hash of the last event.", len(record.events))
    if [entry.game for entry in bundle.rulebooks] != ["match", bundle.game]:
        fail("bundle", "The bundle does not name the rule books of the match and of its game.")
    elif bundle.game in GAMES and bundle.rulebooks != editions(bundle.game):
        record.findings.unmade(
            "The bundle was made by other editions of the rule books than this verifier has: take the bundle anew, or "
            "the verifier of then.",
            "moves",
        )
    if [(key.hand, key.secret) for key in bundle.keys] != _published(record):
        fail("bundle", "The keys of the bundle are not the secrets that its events publish.")


def _published(record: Record) -> list[tuple[int, str]]:
    ends = facts.HandEnded | facts.MatchEnded | facts.MatchAbandoned
    bodies = [event.recorded.body for event in record.events if event.recorded is not None]
    return [(body.hand, body.secret) for body in bodies if isinstance(body, ends) and body.hand and body.secret]


def check_chain(record: Record) -> None:
    """Place, hash and time of every event. An event that cannot be read still has a hash."""
    head, at = b64u(START), 0
    for event in record.events:
        if event.recorded is not None:
            named = (event.recorded.match, event.recorded.version)
            if named != (record.bundle.match, event.version):
                record.findings.fail("chain", "The event does not belong at this place of this match.", event.version)
            if event.recorded.prev != head:
                text = "The event does not carry the hash of the one before it."
                record.findings.fail("chain", text, event.version)
            if event.recorded.at < at:
                record.findings.fail("chain", "The event is dated before the one that it follows.", event.version)
            at = max(at, event.recorded.at)
        head = b64u(chained(event.data))


def check_openings(record: Record) -> None:
    """Every opening stands at a hidden field, fits it, and is salted as the secret of its hand says."""
    seen: set[tuple[int, str]] = set()
    for entry in record.bundle.openings:
        where = f"The opening of {entry.path[:40]}"
        if not 1 <= entry.version <= len(record.events) or (entry.version, entry.path) in seen:
            record.findings.fail("openings", f"{where} belongs to no event, or is there twice.", entry.version)
            continue
        seen.add((entry.version, entry.path))
        event = record.events[entry.version - 1]
        if event.recorded is None:
            continue
        hidden = event.hidden.get(entry.path)
        if hidden is None:
            record.findings.fail("openings", f"{where} stands at no hidden field.", entry.version)
            continue
        opening = _fitting(entry, hidden)
        if opening is None:
            record.findings.fail("openings", f"{where} does not fit its digest.", entry.version)
            continue
        if entry.to != hidden.to:
            text = f"{where} is for other seats than its event says."
            record.findings.fail("openings", text, entry.version)
            continue
        key = record.keys.get(event.hand)
        if key is not None and opening.salt != fairness.field_salt(key, event.hand, entry.version, entry.path):
            text = f"{where} has another salt than follows from the secret of hand {event.hand}."
            record.findings.fail("openings", text, entry.version)
        event.openings[entry.path] = opening
    if record.sealed_hand:
        text = f"Hand {record.sealed_hand} is under way: what of it is for others lies sealed."
        record.findings.add(text, "openings")


def _fitting(entry: BundleOpening, hidden: Hidden[Any]) -> Opening | None:
    """The opening, if its value is canonical and has the digest of the field."""
    try:
        salt, value = unb64u(entry.salt), entry.value.encode("ascii")
        canonically = canonical(msgspec.json.decode(value)) == value
    except (*MALFORMED, RecursionError):
        return None
    fits = canonically and hidden.digest == digest_of(salt, value)
    return Opening(entry.path, entry.to, salt, value) if fits else None


def check_complete(record: Record) -> None:
    """Of hands that are over nothing is sealed. A hand under way is not missing."""
    for event in record.events:
        missing = [path for path in event.hidden if path not in event.openings]
        if missing and (event.hand in record.ends or record.over):
            record.findings.fail(
                "complete", f"Of a hand that is over, {', '.join(missing)} is not opened.", event.version
            )
    if record.over:
        for event in record.events:
            if event.hidden and event.hand not in record.ends:
                text = f"The match is over, and the secret of hand {event.hand} is not published."
                record.findings.fail("complete", text, event.version)
    for hand, version in record.ends.items():
        body = record.events[version - 1].recorded
        if body is not None and not body.body.secret:
            record.findings.fail("complete", f"The secret of hand {hand} is not published.", version)
