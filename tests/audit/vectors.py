"""Test vectors for whoever writes a verifier: made from the domain, and written by

    python -m tests.audit.vectors

into ``openapi/verifier/vectors``, with the fields of every event in ``events.js`` beside them. What stands there once
must never change, but for events that grow; ``test_vectors.py`` holds both verifiers to it.
"""

import hashlib
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from domain import fairness
from domain.event import chained
from domain.game import DEALER, AnyGame, Drawn
from domain.games import GAMES
from domain.hidden import Hidden, b64u, canonical, digest_of, with_hidden
from tests.audit import bundles, shapes

FOLDER = bundles.ROOT / "openapi/verifier/vectors"
EVENTS_JS = bundles.ROOT / "openapi/verifier/events.js"

MATCH = "01890a5d-ac96-774b-bcce-b302099a8057"
LAST = hashlib.sha256(b"the last secret").digest()
SALT = hashlib.sha256(b"the event that filled the table").digest()
EXAMPLE = "osel_fours/dealt"
"""The stored match whose events are among the vectors."""

REWRITTEN = (
    "0",
    " [ 1 , -2 , 9007199254740991 ] ",
    '{"b":1,"a":{"d":[],"c":{}},"B":true,"":null}',
    '{"a10":1,"a2":2,"a-":3,"a_":4,"aa":5}',
    r'"\u0041\/\"\\"',
    r'"\b\f\n\r\t\u0000\u001F"',
    "[false,null,true]",
    '{"to":[0],"digest":"x"}',
)
"""JSON texts that have a canonical form."""

REFUSED = (
    "1.0",
    "1.5",
    "1e2",
    "-0",
    "01",
    '"\\u00e9"',
    '"\u00e9"',
    '"\\u007f"',
    '"\\ud83c\\udca1"',
    '"\\ud800"',
    '"\\u0041"',
    '{"a": 1}',
    '{"b":1,"a":2}',
    '{"a":1,"a":1}',
    "[1,]",
    "NaN",
    "'a'",
    "",
    "[1] ",
    "\ufeff[1]",
)
"""Texts that are not canonical: no JSON, or JSON that is written otherwise or cannot be written so."""

BOUNDS: tuple[tuple[int, list[int]], ...] = (
    (1, [4294967295]),
    (2, [4294967295]),
    (3, [4294967294]),
    (3, [4294967295, 7]),
    (6, [4294967292, 4294967293, 4294967295, 5]),
    (52, [4294967247]),
    (52, [4294967248, 51]),
    (109, [2**32 - 2**32 % 109 - 1]),
    (109, [2**32 - 2**32 % 109, 0]),
    (2**31 + 1, [2**31 + 1, 2**31]),
    (2**32, [4294967295]),
)


def seeds_of(seats: int) -> list[bytes]:
    return [hashlib.sha256(b"the seed of seat %d" % seat).digest() for seat in range(seats)]


def key_of(seats: int, hand: int = 1) -> bytes:
    return fairness.hand_key(SALT, fairness.secret_of(MATCH, LAST, hand), seeds_of(seats))


def made() -> dict[str, Any]:
    """Every file of vectors by its name."""
    return {
        "canonical": {"rewritten": [_rewritten(text) for text in REWRITTEN], "refused": list(REFUSED)},
        "chain": _chain(),
        "words": {"hand": _hand(3), "words": _words(key_of(3)), "below": [_below(*case) for case in BOUNDS]},
        "salts": {"hand": _hand(2), "fields": list(_fields(key_of(2)))},
        "events": list(_events()),
        "decks": [_deck(game, seats) for game in GAMES.values() for seats in {game.seats[0], game.seats[-1]}],
    }


def _rewritten(text: str) -> dict[str, str]:
    return {"text": text, "canonical": canonical(msgspec.json.decode(text)).decode()}


def _chain() -> dict[str, Any]:
    secrets = {str(hand): fairness.secret_of(MATCH, LAST, hand).hex() for hand in (512, 511, 257, 256, 255, 2, 1, 0)}
    return {"match": MATCH, "secrets": secrets}


def _hand(seats: int) -> dict[str, Any]:
    """What the key of hand 1 is made of."""
    secret = fairness.secret_of(MATCH, LAST, 1)
    return {"salt": SALT.hex(), "secret": secret.hex(), "seeds": [seed.hex() for seed in seeds_of(seats)]}


def _words(key: bytes) -> dict[str, Any]:
    info = "kibitz/v1/draw/1/1"
    words = list(islice(fairness.words(key, info), 4082))
    places = (0, 1, 2, 7, 8, 2039, 2040, 2041, 4079, 4080, 4081)
    return {"key": key.hex(), "info": info, "at": {str(place): words[place] for place in places}}


def _below(bound: int, words: list[int]) -> dict[str, Any]:
    return {"bound": bound, "words": words, "place": fairness._below(bound, iter(words))}


def _fields(key: bytes) -> Iterator[dict[str, Any]]:
    for version, path, value in ((9, "hands.0", ["6S", "AD"]), (9, "hands.1", []), (10, "card", "10H"), (512, "x", {})):
        salt, text = fairness.field_salt(key, 1, version, path), canonical(value)
        found = {"salt": salt.hex(), "value": text.decode(), "digest": digest_of(salt, text)}
        yield {"version": version, "path": path, **found}


def _events() -> Iterator[dict[str, str]]:
    for text in bundles.golden(EXAMPLE)["events"]:
        yield {"text": text, "hash": b64u(chained(text.encode()))}


def _deck(game: AnyGame, seats: int) -> dict[str, Any]:
    """The first deal of a table: every draw until somebody has to act, and the events that it leads to."""
    options = game.options()
    state, key = game.initial(options, seats), key_of(seats)
    draws: list[dict[str, Any]] = []
    while game.to_act(state) == {DEALER}:
        lists = game.chance(state)
        orders = fairness.draw(key, 1, len(draws) + 1, lists)
        events = game.decide(state, DEALER, Drawn(orders))
        draws.append({"lists": lists, "orders": orders, "events": [_clear(event) for event in events]})
        for event in events:
            state = game.evolve(state, event)
    about = {"game": game.id, "seats": seats, "options": msgspec.to_builtins(options)}
    return {**about, "hand": _hand(seats), "draws": draws}


def _clear(event: Any) -> dict[str, Any]:
    shown = with_hidden(event, lambda _, hidden: Hidden(hidden.to, hidden.opened))
    return {"type": type(event).__name__, "body": msgspec.to_builtins(shown)}


def formatted(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value)) + b"\n"


def main() -> None:
    EVENTS_JS.write_text(shapes.written(), encoding="utf-8")
    FOLDER.mkdir(exist_ok=True)
    for name, vectors in made().items():
        (FOLDER / f"{name}.json").write_bytes(formatted(vectors))
        sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
