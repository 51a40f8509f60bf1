"""Edits of what clocks, disputes and rulings leave in a record, by somebody who hashes again.

All of them follow from the rules, which the JavaScript verifier does not know: it need find none of them.
"""

from collections.abc import Callable, Iterator
from typing import Any

from tests.audit.bundles import Bundle, text
from tests.audit.edits_of_files import Edit
from tests.audit.edits_of_records import _moved
from tests.audit.forge import Forger

Change = Callable[[dict[str, Any]], Any]


def _add(name: str, number: int = 1) -> Change:
    return lambda body: body.update({name: body[name] + number})


def _more(name: str) -> Change:
    def change(body: dict[str, Any]) -> None:
        body[name] = [body[name][0] + 1, *body[name][1:]]

    return change


def _set(**fields: Any) -> Change:
    return lambda body: body.update(fields)


CHANGES: dict[str, dict[str, Change]] = {
    "TimeUsed": {
        "used for longer": _add("used"),
        "used for less": _add("used", -1),
        "with another bank before": _add("before"),
        "with another bank after": _add("after"),
        "with time given back": lambda body: body.update(before=body["before"] + 1000, after=body["after"] + 1000),
        "of another seat": _set(seat=11),
    },
    "ClockExpired": {
        "used for longer": _add("used"),
        "with another bank before": _add("before"),
        "with time left": _add("after"),
        "without its times": lambda body: [body.pop(name) for name in ("used", "before", "after")],
        "of another seat": _set(seat=11),
    },
    "DisputeOpened": {
        "by another seat": _set(seat=11),
        "about events that have not happened": _add("last", 10_000),
        "about no events": _set(first=0),
        "as another case": _set(dispute="another"),
    },
    "DisputeRuled": {
        "with another number": _add("number"),
        "on a case that there is not": _set(dispute="another"),
        "by a player of the match": _set(arbiter="bob"),
        "without a reason": _set(reason=""),
        "with a reason that is written otherwise": _set(reason="%41"),
        "with half a character in its reason": _set(reason="%C3"),
        "with points": _set(points=[1, 0, 0], ruling="upheld", hand=0, clause="", named=[]),
        "naming a winner": lambda body: body.update(named=[11]),
        "of another kind": lambda body: body.update(ruling="upheld" if body["ruling"] != "upheld" else "adjust"),
    },
    "HandVoided": {
        "of another hand": _add("hand"),
        "with other points": _more("points"),
        "with other totals": _more("totals"),
        "with other winners": lambda body: body.update(winners=[11]),
        "of another case": _set(dispute="another"),
    },
    "ScoreAdjusted": {
        "of another hand": _add("hand"),
        "with other points": _more("points"),
        "with other totals": _more("totals"),
        "with other winners": lambda body: body.update(winners=[11]),
        "of another case": _set(dispute="another"),
        "by another clause": _set(clause="9.9"),
        "for another reason": _set(reason="another"),
    },
}  # fmt: skip

NULLS: dict[str, Change] = {
    "MatchOpened": lambda body: body["clock"].update(bank_seconds=None),
    "ClockExpired": lambda body: body.update(used=None, before=None, after=None),
}
"""What is left out of an event where it has no value, written as null: not the bytes of the record, for nobody."""


def edits(bundle: Bundle) -> Iterator[Edit]:
    """Every change of every such event, and each of these events dropped, doubled, or told of another actor."""
    for place, event in enumerate(Forger(bundle).events):
        for name, change in CHANGES.get(event["type"], {}).items():
            yield _edited(bundle, f"event {place + 1}: {event['type']} {name}", place, change)
        if event["type"] in NULLS:
            changed = _edited(bundle, f"event {place + 1}: {event['type']} with nulls", place, NULLS[event["type"]])
            yield changed._replace(code="bytes")
        if event["type"] in CHANGES:
            yield from _reordered(bundle, place, event["type"])


def _edited(bundle: Bundle, name: str, place: int, change: Change) -> Edit:
    forger = Forger(bundle)
    change(forger.body(place))
    return Edit(f"{name}, all hashed again", text(forger.chained()), "")


def _reordered(bundle: Bundle, place: int, kind: str) -> Iterator[Edit]:
    acted = Forger(bundle)
    acted.events[place]["seat"] = 0 if acted.events[place]["seat"] == "system" else "system"
    yield Edit(f"event {place + 1}: {kind} by another actor, all hashed again", text(acted.chained()), "")
    for name, step in (("dropped", -1), ("doubled", 1)):
        forger = Forger(bundle)
        if name == "dropped":
            forger.events.pop(place)
        else:
            forger.events.insert(place, dict(forger.events[place], body=dict(forger.body(place))))
        forger.moved_openings(_moved(step, place))
        forger.rekey()
        done = text(forger.chained(renumber=True))
        cut = place == len(forger.events)  # the last event of a command: what is left ends in the middle of it
        code, verdict = ("complete", "INCOMPLETE") if cut else ("", "INVALID")
        yield Edit(f"event {place + 1}: {kind} {name}, all hashed again", done, code, verdict)
