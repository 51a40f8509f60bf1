"""Edits of the file that a bundle is: what a clumsy forger, a broken disk or another JSON writer would make of it."""

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, NamedTuple

from tests.audit.bundles import Bundle, text

Receipts = tuple[tuple[int, str], ...]


class Edit(NamedTuple):
    """One edited bundle, the check that must fail for it, and the verdict."""

    name: str
    bundle: bytes
    code: str
    verdict: str = "INVALID"
    receipts: Receipts = ()


def edits(bundle: Bundle) -> Iterator[Edit]:
    whole = text(bundle)
    for name, data in _no_json(whole):
        yield Edit(name, data, "bundle")
    for name, data in _other_json(whole):
        yield Edit(name, data, "bundle")
    for name in bundle:
        yield Edit(f"without {name}", text({key: value for key, value in bundle.items() if key != name}), "bundle")
    for name, code, change in _changes(bundle):
        changed = deepcopy(bundle)
        change(changed)
        yield Edit(name, text(changed), code)
    yield from _rulebooks(bundle)
    for name, code, rewrite in _texts_of_events(bundle):
        place = len(bundle["events"]) // 2
        changed = {**bundle, "events": [*bundle["events"]]}
        changed["events"][place] = rewrite(changed["events"][place])
        yield Edit(f"{name} in event {place + 1}", text(changed), code)


def _no_json(whole: bytes) -> Iterator[tuple[str, bytes]]:
    yield "empty", b""
    yield "white space only", b" \n"
    yield "cut in the middle", whole[: len(whole) // 2]
    yield "without its last brace", whole[:-1]
    yield "twice", whole + whole
    yield "garbage behind it", whole + b"x"
    yield "NUL behind it", whole + b"\0"
    yield "byte order mark", b"\xef\xbb\xbf" + whole
    yield "UTF-16", whole.decode().encode("utf-16")
    yield "bytes that are no UTF-8", whole.replace(b'"match":"', b'"match":"\xff', 1)
    yield "a comment", b"/* a bundle */" + whole
    yield "a comma too many", whole.replace(b'"keys":[', b'"keys":[,', 1)
    yield "single quotes", whole.replace(b'"format"', b"'format'", 1)
    yield "nested deeply", b"[" * 100_000
    yield "nested deeply and closed", b"[" * 100_000 + b"]" * 100_000
    yield "options nested deeply", whole.replace(b'"options":{', b'"options":' + b'{"a":' * 50_000 + b"{", 1)
    yield "random bytes", bytes((7 * i * i + 3 * i) % 256 for i in range(4096))


def _other_json(whole: bytes) -> Iterator[tuple[str, bytes]]:
    for other in (b"null", b"true", b"[]", b"{}", b'"bundle"', b"1", b"[{}]"):
        yield other.decode(), other
    yield "in a list", b"[" + whole + b"]"
    yield "key twice", b'{"match":"another",' + whole[1:]
    yield "events twice", b'{"events":[],' + whole[1:]
    yield "a key of an opening or book twice", whole.replace(b'{"game":', b'{"game":"x","game":', 1)
    yield "the number of seats with a fraction", re.sub(rb'"seats":(\d+)', rb'"seats":\1.0', whole)
    yield "the number of seats with an exponent", re.sub(rb'"seats":(\d+)', rb'"seats":\1e0', whole)
    yield (
        "the number of versions too large",
        re.sub(rb'"versions":(\d+)', rb'"versions":1\1000000000000000000000', whole),
    )
    yield "the number of versions infinite", re.sub(rb'"versions":\d+', b'"versions":1e400', whole)
    yield "the number of versions NaN", re.sub(rb'"versions":\d+', b'"versions":NaN', whole)
    yield "the number of versions as a text", re.sub(rb'"versions":(\d+)', rb'"versions":"\1"', whole)
    yield "minus nought", re.sub(rb'"seats":\d+', b'"seats":-0', whole)


def _changes(bundle: Bundle) -> Iterator[tuple[str, str, Callable[[Bundle], Any]]]:
    yield "a field too many", "bundle", lambda b: b.update(note="fine")
    yield "another format", "bundle", lambda b: b.update(format="kibitz-bundle/2")
    yield "another match", "bundle", lambda b: b.update(match=b["match"][:-1] + "8")
    yield "a game that there is not", "bundle", lambda b: b.update(game="old-maid")
    yield "a game that is a name of JavaScript", "bundle", lambda b: b.update(game="constructor")
    other = "spades-two" if bundle["game"] != "spades-two" else "osel-fours"
    yield "another game", "bundle", lambda b: b.update(game=other)
    yield "a seat more", "bundle", lambda b: b.update(seats=b["seats"] + 1)
    yield "no seats", "bundle", lambda b: b.update(seats=0)
    yield "very many seats", "bundle", lambda b: b.update(seats=2**40)
    name, value = next(iter(bundle["options"].items()))
    yield "another option", "bundle", lambda b: b["options"].update({name: 1 if value != 1 else 2})
    yield "an option less", "bundle", lambda b: b["options"].pop(name)
    yield "an option more", "bundle", lambda b: b["options"].update(jokers=2)
    yield "an option that is a list", "bundle", lambda b: b["options"].update({name: [value]})
    yield "a version more", "bundle", lambda b: b.update(versions=b["versions"] + 1)
    yield "no versions", "bundle", lambda b: b.update(versions=0)
    yield "another head", "bundle", lambda b: b.update(head="A" * 43)
    yield "an empty head", "bundle", lambda b: b.update(head="")
    yield "the head as a number", "bundle", lambda b: b.update(head=0)
    yield "no events", "bundle", lambda b: b.update(events=[])
    yield "no events, and none spoken of", "bundle", lambda b: b.update(events=[], versions=0, head="", keys=[])
    yield "events as objects", "bundle", lambda b: b.update(events=[json.loads(event) for event in b["events"]])
    yield "the events as one text", "bundle", lambda b: b.update(events="".join(b["events"]))
    yield "openings null", "bundle", lambda b: b.update(openings=None)
    yield "openings as an object", "bundle", lambda b: b.update(openings={})
    yield "a key more", "bundle", lambda b: b["keys"].append({"hand": 99, "secret": "A" * 43})
    yield "a key of hand 0", "bundle", lambda b: b["keys"].insert(0, {"hand": 0, "secret": "A" * 43})
    yield "a key with a field too many", "bundle", lambda b: b["keys"].append({"hand": 1, "secret": "", "x": 1})
    if bundle["keys"]:
        yield "a key less", "bundle", lambda b: b["keys"].pop()
        yield "a key twice", "bundle", lambda b: b["keys"].append(b["keys"][-1])
        yield "another secret among the keys", "bundle", lambda b: b["keys"][0].update(secret="A" * 43)
    yield "the first event dropped", "bundle", lambda b: b["events"].pop(0)
    yield "the last event dropped", "bundle", lambda b: b["events"].pop()


def _rulebooks(bundle: Bundle) -> Iterator[Edit]:
    """Another edition is not the fault of the record, but by it nobody can say that the moves were legal."""
    for place, book in enumerate(bundle["rulebooks"]):
        changed = deepcopy(bundle)
        changed["rulebooks"][place]["sha256"] = "A" * 43
        yield Edit(f"another hash of the rule book of {book['game']}", text(changed), "moves", "INCOMPLETE")
    first, second = bundle["rulebooks"]
    for name, books in (
        ("no rule books", []),
        ("one rule book", [first]),
        ("rule books swapped", [second, first]),
        ("a rule book twice", [first, second, second]),
        ("the rule book of another game", [first, {**second, "game": "old-maid"}]),
    ):
        yield Edit(name, text({**bundle, "rulebooks": books}), "bundle")


def _texts_of_events(bundle: Bundle) -> Iterator[tuple[str, str, Callable[[str], str]]]:
    yield "white space before it", "bytes", lambda event: " " + event
    yield "a line end", "bytes", lambda event: event + "\n"
    yield "white space", "bytes", lambda event: event.replace(":", ": ", 1)
    yield "keys in another order", "bytes", lambda event: json.dumps(dict(reversed(json.loads(event).items())))
    yield "a letter escaped", "bytes", lambda event: event.replace('"body"', '"\\u0062ody"', 1)
    yield "a slash escaped", "bytes", lambda event: event.replace('"cmd":"', '"cmd":"\\/', 1)
    yield "a key twice", "bytes", lambda event: '{"at":1,' + event[1:]
    yield "a field too many", "bytes", lambda event: event[:-1] + ',"zzz":1}'
    yield "a fraction", "bytes", lambda event: re.sub(r'"version":(\d+)', r'"version":\1.0', event)
    yield "an exponent", "bytes", lambda event: re.sub(r'"version":(\d+)', r'"version":\1e0', event)
    yield "a huge number", "bytes", lambda event: re.sub(r'"at":(\d+)', r'"at":\g<1>000000000000000000000000', event)
    yield "a number that floats round", "bytes", lambda event: re.sub(r'"at":\d+', '"at":9007199254740993', event)
    yield "a letter that is not ASCII", "bytes", lambda event: event.replace('"cmd":"', '"cmd":"\u00e9', 1)
    yield "a Cyrillic letter that looks Latin", "bytes", lambda event: event.replace('"body"', '"b\u043edy"', 1)
    yield "a lone surrogate", "bytes", lambda event: event.replace('"cmd":"', '"cmd":"\\ud800', 1)
    yield "DEL", "bytes", lambda event: event.replace('"cmd":"', '"cmd":"\x7f', 1)
    yield "nested deeply", "bytes", lambda event: '{"at":' * 20_000 + event
    yield "nothing", "bytes", lambda event: ""
    yield "null", "bytes", lambda event: "null"
    yield "a list", "bytes", lambda event: f"[{event}]"
    yield "another event behind it", "bytes", lambda event: event + event
    yield "cut", "bytes", lambda event: event[: len(event) // 2]
