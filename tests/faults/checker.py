"""The checker: what clients wrote down against what the database has, invariant by invariant.

I1 acknowledged = stored, once. I2 versions and positions without holes. I3 one key, one effect, one answer. I4 the
product's own audit. I5 what clients were told of a version is the fold of the events up to it. I6 every row of a read
model is its fold. I7 feeds without hole or repeat, and no hidden value in one that its reader may not see (yet). I8
and I9, the time to recover and what is left open afterwards, are taken by ``trial.py``.
"""

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import msgspec

from domain.games import GAMES
from domain.hidden import b64u
from domain.match import rules
from domain.match import state as facts
from domain.match.seating import viewer_of
from domain.match.state import State, evolve
from projections.registry import PROJECTIONS
from services.ids import command_id, key_part
from services.moves import moves_of
from services.projector.rebuilds import RebuildDiffers, RebuildFailed, rebuild
from services.store.records import by_version
from services.store.store import Store
from tests.faults import record as records
from tests.faults.clients import Clients
from tests.faults.journal import Command, Feed, Journal, Told
from tests.faults.record import Record
from tests.faults.world import World
from tests.waiting import PATIENCE

REQUEST_OF = {"open": b"", "seat": b"seat", "bots": b"bots", "move": b"move"}
"""What stands before the body in the request of a command id, by the kind of the command."""
RESENT = 40
"""How many acknowledged commands are sent once more at the end."""


@dataclass
class Counts:
    """What a scenario led to. ``complaints`` has a line for each thing that does not hold; none is what should be."""

    acknowledged: int = 0
    unknown: int = 0
    lost: int = 0
    doubled: int = 0
    holes: int = 0
    leaked: int = 0
    told: int = 0
    frames: int = 0
    matches: int = 0
    recovered: float = 0.0
    complaints: list[str] = field(default_factory=list)

    def complain(self, invariant: str, text: str) -> None:
        self.complaints.append(f"{invariant}: {text}")


async def check(world: World, clients: Clients, *, resend: bool = True) -> Counts:
    """Counts and complaints of everything so far. Nobody may be playing any more; workers must answer."""
    counts, journal = Counts(), clients.journal
    await _projected(world, counts)
    if resend and world.answering():
        await _answers_again(clients, counts)
    record = await records.read(world.database_url)
    counts.matches = len(record.events)
    counts.complaints += [f"clients: {fault}" for fault in journal.faults]
    check_commands(record, journal, counts)
    check_order(record, counts)
    check_told(record, journal, counts)
    check_feeds(record, journal, counts)
    check_rows(record, counts)
    await check_tables(world, counts)
    await check_audits(clients, record, counts)
    return counts


def check_commands(record: Record, journal: Journal, counts: Counts) -> None:
    """I1 and I3: by the command id, which clients cannot know and the database has on every event."""
    found: dict[str, list[Any]] = defaultdict(list)
    halves: dict[str, set[str]] = defaultdict(set)
    for events in record.events.values():
        for event in events:
            found[event.cmd].append(event)
            halves[key_part(event.cmd)].add(event.cmd)
    for half, commands in halves.items():
        if len(commands) > 1:
            counts.doubled += 1
            counts.complain("I3", f"one key, {len(commands)} commands: {half}")
    for command in journal.commands:
        request = REQUEST_OF[command.kind] + command.body
        events = found.get(command_id(record.secret, command.player, command.key, request), [])
        counts.unknown += len(command.unknown)
        _check_command(command, events, counts)


def _check_command(command: Command, events: list[Any], counts: Counts) -> None:
    places = [(event.match, event.version) for event in events]
    runs = sum((match, version - 1) not in places for match, version in places)
    what = f"{command.kind} {command.key}"
    if runs > 1:
        counts.doubled += 1
        counts.complain("I3", f"{what} was done {runs} times, at {places}")
    if command.refused and events:
        counts.lost += 1
        counts.complain("I1", f"{what} was refused ({command.answers[0].body.get('type')}) and is stored at {places}")
    if not command.acknowledged:
        return
    counts.acknowledged += 1
    accepted = [answer.body for answer in command.answers if answer.status < 300]
    if command.refused or any(body != accepted[0] for body in accepted):
        counts.complain("I3", f"{what} was answered differently each time")
    told = accepted[0]
    stored = {event.version: b64u(event.hash) for event in events if event.match == told["match"]}
    answered = {event["version"]: event["hash"] for event in told["events"]}
    if stored != answered or stored.get(told["version"]) != told["head"]:
        missing = len(answered.keys() - stored.keys())
        counts.lost += missing > 0 or not stored
        counts.complain("I1", f"{what} was answered with {sorted(answered)} and is stored as {sorted(stored)}")


def check_order(record: Record, counts: Counts) -> None:
    """I2, and that the time of a match never goes back."""
    positions: dict[int, list[int]] = defaultdict(list)
    for match, events in record.events.items():
        versions = [event.version for event in events]
        if versions != list(range(1, len(events) + 1)):
            counts.holes += 1
            counts.complain("I2", f"the versions of {match} are {versions}")
        if record.streams.get(match) != (events[0].shard, versions[-1], events[-1].hash):
            counts.complain("I2", f"the stream of {match} does not end with its last event")
        if any(later.at < earlier.at for earlier, later in pairwise(events)):
            counts.complain("I2", f"the time of {match} goes back")
        for event in events:
            positions[event.shard].append(event.pos)
    for shard, head in record.heads.items():
        if sorted(positions[shard]) != list(range(1, head + 1)):
            counts.holes += 1
            counts.complain("I2", f"shard {shard} has {len(positions[shard])} events and its head is {head}")
    if record.streams.keys() != record.events.keys():
        counts.complain("I2", "there are streams without events, or the reverse")


def _up_to_a_hole(events: list[Any]) -> Iterator[Any]:
    """The events of a match that can be folded; ``check_order`` says where one is missing."""
    for version, event in enumerate(events, 1):
        if event.version != version:
            return
        yield event


def check_told(record: Record, journal: Journal, counts: Counts) -> None:
    """I5: tables and legal moves."""
    asked: dict[str, dict[int, list[Told]]] = defaultdict(lambda: defaultdict(list))
    for told in journal.told:
        asked[told.match][told.body["version"]].append(told)
        counts.told += 1
    for match, by in asked.items():
        opened = by_version(record.openings[match])
        state = State()
        for event in _up_to_a_hole(record.events[match]):
            state = evolve(state, event.decoded(opened.get(event.version, ())))
            for told in by.pop(event.version, ()):
                wrong = _differing(state, event.hash, told)
                if wrong:
                    counts.complain("I5", f"{match}/{event.version}: {told.what} for {told.seat} differs in {wrong}")
        for version in by:
            counts.complain("I5", f"{match}/{version} was told of and is not stored")


def _differing(state: State, head: bytes, told: Told) -> list[str]:
    body = told.body
    if told.what == "moves":
        assert told.seat is not None
        moves = _plain(list(moves_of(state, told.seat).moves))
        return [] if (body["moves"], body["seat"]) == (moves, told.seat) else ["moves"]
    expected = {
        "head": b64u(head),
        "status": state.status,
        "to_act": sorted(rules.to_act(state)),
        "scores": list(state.totals),
        "winners": list(state.winners),
        "table": msgspec.to_builtins(GAMES[state.game].view(state.play, viewer_of(body["you"]))),
    }
    wrong = [name for name, value in expected.items() if _plain(body[name]) != _plain(value)]
    return wrong + ([] if body["you"] in (None, told.seat) else ["you"])


def _plain(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def check_feeds(record: Record, journal: Journal, counts: Counts) -> None:
    """I7: contiguous, the record's own bytes, and hidden values only for whom and from when on they are meant."""
    for feed in journal.feeds:
        counts.frames += len(feed.frames)
        ids = [frame.id for frame in feed.frames]
        whose = f"the feed of {feed.match} for {'the public' if feed.seat is None else feed.seat}"
        if ids != list(range(1, len(ids) + 1)):
            counts.holes += 1
            counts.complain("I7", f"{whose} came as {ids}")
        _check_frames(record, feed, whose, counts)
    for command in journal.commands:  # the events in answers are shown by the same rules
        for answer in command.answers:
            if answer.status < 300:
                seat = answer.body.get("seat")
                for body in answer.body["events"]:
                    _check_shown(
                        record, answer.body["match"], seat, body, answer.at, f"the answer {command.key}", counts
                    )


def _check_frames(record: Record, feed: Feed, whose: str, counts: Counts) -> None:
    for frame in feed.frames:
        if frame.body["version"] != frame.id or frame.body["type"] != frame.type:
            counts.complain("I7", f"{whose}: frame {frame.id} has event {frame.body['version']}")
        _check_shown(record, feed.match, feed.seat, frame.body, frame.at, whose, counts)


def _check_shown(
    record: Record, match: str, seat: int | None, body: dict[str, Any], at: float, whose: str, counts: Counts
) -> None:
    version = body["version"]
    events = record.events[match]
    if version > len(events) or body["hash"] != b64u(events[version - 1].hash):
        counts.complain("I7", f"{whose}: event {version} is not the one that is stored")
        return
    openings = {entry.opening.path: entry for entry in record.openings[match] if entry.version == version}
    shown = dict(_opened(body["body"], ""))
    for path, (salt, value) in shown.items():
        entry = openings.get(path)
        if entry is None or (b64u(entry.opening.salt), msgspec.json.decode(entry.opening.value)) != (salt, value):
            counts.complain("I7", f"{whose}: {path} of event {version} is opened with something else")
        elif seat not in entry.opening.to and at < open_from(record, match, entry.hand):
            counts.leaked += 1
            counts.complain("I7", f"{whose}: {path} of event {version} was shown before its hand was over")
    for path, entry in openings.items():
        if seat is not None and seat in entry.opening.to and path not in shown:
            counts.complain("I7", f"{whose}: {path} of event {version} was withheld from its own seat")


def _opened(value: Any, path: str) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Where hidden fields are shown opened, wholly or in part, in the body of an event."""
    inside = f"{path}." if path else ""
    match value:
        case {"to": _, "digest": _}:
            if "salt" in value or "value" in value:
                yield path, (value.get("salt"), value.get("value"))
        case dict():
            for name, item in value.items():
                yield from _opened(item, inside + name)
        case list():
            for place, item in enumerate(value):
                yield from _opened(item, f"{inside}{place}")
        case _:
            pass


def open_from(record: Record, match: str, hand: int) -> float:
    """The moment (seconds since 1970) from which everybody may see what is hidden in ``hand``; infinity for never.

    The moment is that of the commit. Where the database does not keep those, it is the time in the event.
    """
    if match not in record.open_from:
        moments = record.open_from[match] = {}
        for event in record.events[match]:
            body = event.decoded().body
            if isinstance(body, (facts.HandEnded, facts.MatchEnded, facts.MatchAbandoned)) and body.secret:
                moments.setdefault(body.hand, record.committed[match].get(event.version, event.at / 1000))
    return record.open_from[match].get(hand, float("inf"))


async def _projected(world: World, counts: Counts) -> None:
    """Waits until every read model has every event. What does not come to that is a complaint."""
    behind = (
        "select c.name, s.shard, s.head - c.pos from shard s join projection.checkpoint c using (shard)"
        " join projection.build b using (name, build) where b.state = 'live' and c.pos < s.head"
    )
    latest = time.monotonic() + PATIENCE
    while rows := await world.sql(behind):
        if time.monotonic() > latest:
            counts.complain("I6", f"read models stand still: {[tuple(row) for row in rows][:5]}")
            return
        await asyncio.sleep(0.1)


def check_rows(record: Record, counts: Counts) -> None:
    """I6: the rows of read models against folds made here, up to their checkpoints."""
    for name, projection in PROJECTIONS.items():
        decode = msgspec.json.Decoder(projection.row).decode
        found = {match: decode(body) for match, body in record.rows[name].items()}
        expected: dict[str, Any] = {}
        for match, events in record.events.items():
            row = None
            for event in _up_to_a_hole(events):
                if event.pos <= record.checkpoints[name].get(event.shard, 0):
                    row = expected[match] = projection.after(row, event.decoded())
        for match in found.keys() | expected.keys():
            if found.get(match) != expected.get(match):
                counts.complain("I6", f"the row of {match} in {name} is not the fold of its events")


async def check_tables(world: World, counts: Counts) -> None:
    """I6: nothing is set aside, and a rebuild makes the same tables, those made from rows as well."""
    if parked := await world.sql("select name, match, error from projection.parked"):
        counts.complain("I6", f"parked: {[tuple(row) for row in parked][:3]}")
    store = await Store.connect(world.database_url, pool_size=2)
    try:
        for projection in PROJECTIONS.values():
            async for _ in rebuild(store, projection):
                pass
    except (RebuildDiffers, RebuildFailed) as error:
        counts.complain("I6", str(error))
    finally:
        await store.close()


async def check_audits(clients: Clients, record: Record, counts: Counts) -> None:
    """I4: the product's audit of every match, as it is answered over HTTP."""
    chance = random.Random(0)
    for match, events in record.events.items():
        told = await clients.read(chance, "", f"/v1/matches/{match}/audit", until=time.monotonic() + PATIENCE)
        over = isinstance(events[-1].decoded().body, (facts.MatchEnded, facts.MatchAbandoned))
        good = ("VALID",) if over else ("VALID", "INCOMPLETE")
        if told is None or told["verdict"] not in good:
            counts.complain("I4", f"the audit of {match}: {told and (told['verdict'], told['checks'])}")


async def _answers_again(clients: Clients, counts: Counts) -> None:
    """I3: the same key again, to whichever worker, gets the first answer again."""
    acknowledged = [command for command in clients.journal.commands if command.acknowledged]
    chance = random.Random(len(acknowledged))
    for command in chance.sample(acknowledged, min(RESENT, len(acknowledged))):
        acks = len(clients.journal.acks)
        latest = time.monotonic() + PATIENCE
        while await clients.send(chance, command) is None:
            if time.monotonic() > latest:
                counts.complain("I3", f"{command.kind} {command.key} got no second answer: {command.unknown[-1]}")
                break
            await asyncio.sleep(0.5)
        del clients.journal.acks[acks:]
