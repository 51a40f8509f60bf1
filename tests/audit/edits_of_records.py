"""Edits of the record itself: by somebody who does not hash again, by one who does, and by one who has the secrets."""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from domain.hidden import b64u
from tests.audit.bundles import Bundle, raw, text
from tests.audit.edits_of_files import Edit, Receipts
from tests.audit.forge import Forger

MOVES = (
    "CardsPlayed", "CardsLed", "CardPlayed", "Passed", "CardGiven", "CardChosen", "SoloDeclared", "DoubleNilAnswered",
    "BidPlaced",
)  # fmt: skip
"""Some types of events that are a seat's move."""

WRONG = b64u(hashlib.sha256(b"something else").digest())


def edits(bundle: Bundle) -> Iterator[Edit]:
    yield from _order(bundle)
    yield from _hashed_again(bundle)
    yield from _seeds(bundle)
    yield from _openings(bundle)
    yield from _receipts(bundle)


def heads(bundle: Bundle) -> Receipts:
    """What a player was told who saved every head."""
    events = [event.encode() for event in bundle["events"]]
    return tuple((version, b64u(hashlib.sha256(b"\0" + data).digest())) for version, data in enumerate(events, 1))


def _order(bundle: Bundle) -> Iterator[Edit]:
    """Events dropped, doubled and swapped: as they are, and with numbers and hashes made good."""
    last = len(bundle["events"])
    for place in (1, last // 2, last - 2):
        for name, change in (
            ("dropped", lambda events, place: events.pop(place)),
            ("doubled", lambda events, place: events.insert(place, dict(events[place]))),
            ("swapped with the next", _swap),
        ):
            forger = Forger(bundle)
            change(forger.events, place)
            forger.bundle["versions"] = len(forger.events)
            yield Edit(f"event {place + 1} {name}", text(forger.as_is()), "chain")
            again = Forger(bundle)
            change(again.events, place)
            if name != "swapped with the next":
                step = -1 if name == "dropped" else 1
                again.moved_openings(_moved(step, place))
            again.rekey()
            yield Edit(f"event {place + 1} {name}, all hashed again", text(again.chained(renumber=True)), "")


def _moved(step: int, place: int) -> Callable[[int], int]:
    return lambda version: version + step * (version > place + 1)


def _swap(events: list[Any], place: int) -> None:
    events[place], events[place + 1] = events[place + 1], events[place]


def _hashed_again(bundle: Bundle) -> Iterator[Edit]:
    def changed(name: str, code: str, change: Callable[[Forger], Any], verdict: str = "INVALID") -> Iterator[Edit]:
        forger = Forger(bundle)
        try:
            change(forger)
        except (StopIteration, IndexError):
            return  # this match has no such event
        forger.rekey()
        yield Edit(f"{name}, all hashed again", text(forger.chained()), code, verdict)

    middle = len(bundle["events"]) // 2
    for name, code, change in (
        ("an event dated before the one that it follows", "chain", lambda f: f.events[middle].update(at=1)),
        ("a negative time", "chain", lambda f: f.events[middle].update(at=-1)),
        ("an event of another match", "chain", lambda f: f.events[middle].update(match="another")),
        ("a version that is not its own", "chain", lambda f: f.events[middle].update(version=1)),
        ("a schema that there is not", "bytes", lambda f: f.events[middle].update(schema=2)),
        ("a type that there is not", "bytes", lambda f: f.events[middle].update(type="CardsStolen")),
        ("a type that is a name of JavaScript", "bytes", lambda f: f.events[middle].update(type="constructor")),
        ("a seat as a text", "bytes", lambda f: f.events[middle].update(seat="0")),
        ("a field of the envelope too many", "bytes", lambda f: f.events[middle].update(zzz=1)),
        ("a field of the body too many", "bytes", lambda f: f.body(middle).update(zzz=1)),
        ("a prototype in the body", "bytes", lambda f: f.body(middle).update({"__proto__": {}})),
        ("a body without its fields", "bytes", lambda f: f.body(middle).clear()),
        ("a very long command id", "bytes", lambda f: f.events[middle].update(cmd="c" * 65)),
        ("another seat that acted", "moves", lambda f: f.events[f.where(*MOVES)].update(seat=11)),
        ("another seat that moved", "moves", lambda f: f.body(f.where(*MOVES)).update(seat=11)),
        ("other points of a hand", "scores", lambda f: _more(f.body(f.where("HandEnded"))["points"])),
        ("other totals", "scores", lambda f: _more(f.body(f.where("HandEnded"))["totals"])),
        ("other points by the game", "scores", lambda f: _more(f.body(f.where("HandScored"))["points"])),
        ("other totals by the game", "scores", lambda f: _more(f.body(f.where("HandScored"))["totals"])),
        ("other totals at the end", "scores", lambda f: _more(f.body(f.where("MatchEnded"))["totals"])),
        ("other winners", "scores", lambda f: f.body(f.where("MatchEnded")).update(winners=[])),
        ("other winners by the game", "scores", lambda f: f.body(f.where("MatchWon")).update(winners=[])),
        ("another number of a hand", "", lambda f: f.body(f.where("HandEnded")).update(hand=7)),
        (
            "a match that was opened twice",
            "",
            lambda f: f.events.__setitem__(middle, {**f.events[0], "version": middle + 1}),
        ),
        ("the end made an abandonment", "", _abandoned),
    ):
        yield from changed(name, code, change)


def _more(numbers: list[int]) -> None:
    numbers[0] += 1


def _abandoned(forger: Forger) -> None:
    place = forger.where("MatchEnded")
    forger.events[place].update(type="MatchAbandoned", body={"reason": "undecided", "hand": 0, "secret": ""})


def _seeds(bundle: Bundle) -> Iterator[Edit]:
    reveals = Forger(bundle).all_of("SeedRevealed")
    if not bundle["keys"] or not reveals:
        return

    def changed(name: str, code: str, change: Callable[[Forger], Any], *, resalt: bool = True) -> Iterator[Edit]:
        forger = Forger(bundle)
        change(forger)
        forger.rekey()
        yield Edit(f"{name}, all hashed again", text(forger.chained(resalt=resalt)), code)

    def taken(forger: Forger, seat: int) -> dict[str, Any]:
        return next(forger.body(place) for place in forger.all_of("SeatTaken") if forger.body(place)["seat"] == seat)

    def other_seed(forger: Forger) -> None:
        body = forger.body(reveals[0])
        body["seed"] = WRONG
        taken(forger, body["seat"])["commitment"] = b64u(hashlib.sha256(raw(WRONG)).digest())

    def reused(forger: Forger) -> None:
        first, second = (forger.body(place) for place in reveals[:2])
        second["seed"] = first["seed"]
        taken(forger, second["seat"])["commitment"] = taken(forger, first["seat"])["commitment"]

    def everything_of_another_match(forger: Forger) -> None:
        forger.bundle["match"] = "01890a5d-ac96-774b-bcce-000000000000"
        for event in forger.events:
            event["match"] = forger.bundle["match"]

    def other_options(forger: Forger) -> None:
        options = forger.body(0)["options"]
        name = next(name for name, value in options.items() if type(value) is int)
        options[name] += 1
        forger.bundle["options"] = options

    secret = Forger(bundle).where("HandEnded", "MatchEnded", "MatchAbandoned")
    ends = next(place for place in range(secret, len(bundle["events"])) if Forger(bundle).body(place).get("secret"))
    yield from changed("another secret", "seeds", lambda f: f.body(ends).update(secret=WRONG))
    yield from changed("a secret of 31 bytes", "seeds", lambda f: f.body(ends).update(secret=WRONG[:42]))
    yield from changed(
        "a secret with padding", "seeds", lambda f: f.body(ends).update(secret=f.body(ends)["secret"] + "=")
    )
    yield from changed("another anchor", "seeds", lambda f: f.body(0).update(anchor=WRONG))
    yield from changed("no anchor", "seeds", lambda f: f.body(0).update(anchor=""))
    yield from changed("another seed", "seeds", lambda f: f.body(reveals[0]).update(seed=WRONG))
    yield from changed("a seed in other hands", "seeds", lambda f: f.body(reveals[0]).update(
        custody="server" if f.body(reveals[0])["custody"] == "own" else "own"))  # fmt: skip
    yield from changed("another commitment", "seeds", lambda f: taken(f, 0).update(commitment=WRONG))
    yield from changed("a commitment of no bytes", "seeds", lambda f: taken(f, 0).update(commitment=""))
    yield from changed("a seed used by two seats", "seeds", reused)
    yield from changed("a seed revealed twice", "", lambda f: f.events.insert(reveals[0], dict(f.events[reveals[0]])))
    yield from changed("a seed swapped for another, with its commitment", "deals", other_seed)
    yield from changed("everything told of another match", "seeds", everything_of_another_match)
    yield from changed("other options from the first event on", "deals|openings", other_options)
    yield from changed("another host", "deals", lambda f: f.body(0).update(host="somebody"))
    yield from changed("another player", "deals", lambda f: taken(f, 1).update(player="somebody"))
    yield from changed(
        "another salt of the table", "seeds", lambda f: f.body(f.where("MatchStarted")).update(salt=WRONG), resalt=False
    )
    yield from changed(
        "an event before the salt dated later",
        "seeds",
        lambda f: f.events[1].update(at=f.events[2]["at"]),
        resalt=False,
    )


def _openings(bundle: Bundle) -> Iterator[Edit]:
    if not bundle["openings"]:
        return

    def changed(name: str, change: Callable[[dict[str, Any]], Any], place: int = 0) -> Iterator[Edit]:
        forger = Forger(bundle)
        change(forger.bundle["openings"][place])
        yield Edit(f"an opening with {name}", text(forger.bundle), "openings")

    first = bundle["openings"][0]
    yield from changed("another value", lambda o: o.update(value='["2S"]'))
    yield from changed("its value in white space", lambda o: o.update(value=o["value"] + " "))
    yield from changed("a value that is no JSON", lambda o: o.update(value="["))
    yield from changed("a value nested deeply", lambda o: o.update(value="[" * 50_000))
    yield from changed("another salt", lambda o: o.update(salt="A" * 21 + "Q"))
    yield from changed("its salt padded", lambda o: o.update(salt=o["salt"] + "=="))
    yield from changed("its salt in another alphabet", lambda o: o.update(salt="+" + o["salt"][1:]))
    yield from changed(
        "its salt written otherwise", lambda o: o.update(salt=o["salt"][:-1] + chr(ord(o["salt"][-1]) + 1))
    )
    yield from changed("no salt", lambda o: o.update(salt=""))
    yield from changed("another path", lambda o: o.update(path=o["path"] + ".0"))
    yield from changed("no path", lambda o: o.update(path=""))
    yield from changed("a path of JavaScript", lambda o: o.update(path="constructor.prototype"))
    yield from changed("a path to what is not hidden", lambda o: o.update(path="hand"))
    yield from changed("a very large index", lambda o: o.update(path="hands." + "9" * 400))
    yield from changed("a negative index", lambda o: o.update(path="hands.-1"))
    yield from changed("another reader", lambda o: o.update(to=[*o["to"], 1]))
    yield from changed("no readers", lambda o: o.update(to=[] if o["to"] else [0]))
    yield from changed("another version", lambda o: o.update(version=1))
    yield from changed("version 0", lambda o: o.update(version=0))
    yield from changed("version -1", lambda o: o.update(version=-1))
    yield from changed("a version beyond the end", lambda o: o.update(version=2**40))
    twice = Forger(bundle)
    twice.bundle["openings"].append(dict(first))
    yield Edit("an opening twice", text(twice.bundle), "openings")
    for name, kept in (
        ("the first opening", bundle["openings"][1:]),
        ("the last opening", bundle["openings"][:-1]),
        ("every opening", []),
    ):
        yield Edit(f"without {name}", text({**bundle, "openings": kept}), "complete", "INCOMPLETE")
    salted = Forger(bundle)
    salted.seal(first["version"], first["path"], salted.value(first["version"], first["path"]), "A" * 21 + "Q")
    yield Edit("a salt of one's own, all hashed again", text(salted.chained()), "openings")
    shown = Forger(bundle)
    shown.readers(first["version"], first["path"], [*first["to"], *(s for s in range(2) if s not in first["to"])])
    yield Edit("a hidden value shown to another seat, all hashed again", text(shown.chained()), "deals|audiences")
    plain = Forger(bundle)
    plain._field(first["version"], first["path"])["value"] = plain.value(first["version"], first["path"])
    yield Edit("a hidden value put into its event, all hashed again", text(plain.chained()), "bytes|deals")
    bare = Forger(bundle)
    bare._field(first["version"], first["path"])["digest"] = "short"
    yield Edit("a digest of no bytes, all hashed again", text(bare.chained()), "")


def _receipts(bundle: Bundle) -> Iterator[Edit]:
    """What nobody can see who has the bundle only."""
    whole, told = text(bundle), heads(bundle)
    version, _ = told[-2]
    yield Edit("a receipt with another head", whole, "receipts", "DIVERGED", ((version, WRONG),))
    yield Edit("receipts of which one has another head", whole, "receipts", "DIVERGED", (*told, (1, WRONG)))
    yield Edit("a receipt of an event that is not there", whole, "receipts", "DIVERGED", ((len(told) + 1, WRONG),))
    yield Edit("a receipt of version 0", whole, "receipts", "DIVERGED", ((0, WRONG),))
    last = Forger(bundle).events[-1]
    for name, change in (("dated later", {"at": last["at"] + 1}), ("renamed", {"cmd": "another"})):
        forger = Forger(bundle)
        for event in forger.events:
            if event["at"] == last["at"]:
                event.update(change)
        yield Edit(f"the last command {name}, all hashed again", text(forger.chained()), "receipts", "DIVERGED", told)
    cut = Forger(bundle)
    cut.events = [event for event in cut.events if event["at"] < last["at"]]
    cut.moved_openings(lambda version: version if version <= len(cut.events) else None)
    cut.rekey()
    yield Edit("the end cut off, all hashed again", text(cut.chained()), "receipts", "", told)
