"""Edits of the cards, by somebody who has every secret and makes all good but the deal: salts, digests, hashes."""

from collections.abc import Iterator
from typing import Any

from domain.games import GAMES
from tests.audit.bundles import Bundle, text
from tests.audit.edits_of_files import Edit
from tests.audit.edits_of_records import heads
from tests.audit.forge import Forger

ACES = {"whos-the-ass": "ASS"}
"""The card of which there must not be a second one."""

DERIVED = {
    "HandsRefilled", "CardDrawn", "CardKept", "CardRejected", "TalonTaken", "TalonShared", "ReplacementsDrawn",
}  # fmt: skip
"""Events that hide cards which a draw before them decided. Other hidden cards are somebody's choice."""

MOST = 12
"""So many hidden values of a bundle are changed, spread over all of them."""


def edits(bundle: Bundle) -> Iterator[Edit]:
    yield from _dealt(bundle)
    yield from _plain_fields(bundle)
    openings = bundle["openings"]
    for entry in openings[:: max(1, len(openings) // MOST)]:
        forger = Forger(bundle)
        version, path = entry["version"], entry["path"]
        kind = forger.events[version - 1]["type"]
        draws = {event.__name__ for event in GAMES[bundle["game"]].draws}
        value = forger.value(version, path)
        for name, other in _others(value):
            forger.seal(version, path, other)
            what, data = f"{path} of {kind} {version}: {name}, sealed again", text(forger.chained())
            if kind in draws or kind in DERIVED:
                yield Edit(what, data, "deals" if kind in draws else "deals|moves")
            else:  # it may be a choice that the seat had, too: then only receipts show that it was another
                yield Edit(what, data, "receipts", "", heads(bundle))


def _others(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, str):
        yield "another card", "6S" if value != "6S" else "7S"
        return
    if not value:
        yield "a card of nowhere", ["AS"]
        return
    yield "a card less", value[1:]
    yield "its first card twice", [value[0], *value]
    if len(set(value)) > 1:
        yield "in another order", [*value[1:], value[0]]


def _dealt(bundle: Bundle) -> Iterator[Edit]:
    """Cards that change places within the first deal, so that the pack is still whole; and an ace too many."""
    forger = Forger(bundle)
    lists = [entry for entry in bundle["openings"] if entry["version"] == bundle["openings"][0]["version"]]
    if len(lists) < 2:
        return
    version = lists[0]["version"]
    first, second, rest = (forger.value(version, entry["path"]) for entry in (lists[0], lists[1], lists[-1]))
    ace = ACES.get(bundle["game"], "AS")

    def sealed(name: str, **values: list[str]) -> Edit:
        again = Forger(bundle)
        for path, cards in values.items():
            again.seal(version, path.replace("_", "."), cards)
        return Edit(f"{name}, sealed again", text(again.chained()), "deals")

    end = lists[-1]["path"]
    yield sealed("two hands swapped", hands_0=second, hands_1=first)
    yield sealed("two cards of two hands swapped", hands_0=[second[0], *first[1:]], hands_1=[first[0], *second[1:]])
    yield sealed("a second ace", hands_0=[*first[:-1], ace] if first[-1] != ace else [ace, *first[1:]])
    yield sealed("an ace in every hand", hands_0=[*first[:-1], ace], hands_1=[*second[:-1], ace])
    if rest:
        changed = {"hands_0": [rest[0], *first[1:]], end: [first[0], *rest[1:]]}
        yield sealed("a card swapped with one left over", **changed)
        yield sealed("the rest in another order", **{end: [*rest[1:], rest[0]]})
    holder = next((place for place, hand in enumerate((first, second)) if ace in hand), None)
    if holder is not None:
        mine, other = (first, second) if holder == 0 else (second, first)
        moved = {
            f"hands_{holder}": [card for card in mine if card != ace] + other[:1],
            f"hands_{1 - holder}": [*other[1:], ace],
        }
        yield sealed("the ace, or the ass, in another hand", **moved)


def _plain_fields(bundle: Bundle) -> Iterator[Edit]:
    """What everybody sees of a draw: who deals, who starts, who is asked, whose trump is what."""
    draws = {event.__name__ for event in GAMES[bundle["game"]].draws} | {"ScorekeeperChosen", "TalonShared"}
    for place in Forger(bundle).all_of(*draws)[:4]:
        for name, value in Forger(bundle).body(place).items():
            if isinstance(value, dict) or name == "hands" or name == "cards":
                continue
            forger = Forger(bundle)
            body = forger.body(place)
            if isinstance(value, bool):
                body[name] = not value
            elif isinstance(value, int):
                body[name] = value + 1
            elif isinstance(value, list):
                if value == value[::-1]:
                    continue
                body[name] = value[::-1]
            else:
                body[name] = 0
            what = f"{name} of {forger.events[place]['type']} {place + 1} is another"
            yield Edit(f"{what}, all hashed again", text(forger.chained()), "deals|moves")
