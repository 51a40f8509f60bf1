"""The same command many times over, and many commands at the same moment: F12, F14."""

import asyncio
import json
import random
import time
from typing import Any

from services.ids import new_id
from tests.faults.journal import Answer, Command
from tests.faults.trial import Scenario, Trial
from tests.faults.world import Worker
from tests.waiting import PATIENCE

SECONDS = 5
"""The shortest turn that a clock can have."""


async def duplicates(trial: Trial) -> None:
    """Fifty at once over all workers, again after a restart of all, and with another body."""
    clients, chance = trial.load.clients, trial.chance
    fresh = []
    for _ in range(trial.times(20, 4)):
        who = await clients.guest(chance, "Twice")
        body = json.dumps({"game": "whos-the-ass", "seats": 3}, separators=(",", ":")).encode()
        entry = Command(new_id(), who[0], "open", "/v1/matches", body, who[1])
        clients.journal.commands.append(entry)
        answers = await asyncio.gather(
            *(_insisting(trial, entry, trial.world.workers[k % len(trial.world.workers)]) for k in range(50))
        )
        trial.expect(all(answers), f"{sum(not answer for answer in answers)} of 50 duplicates got no answer")
        fresh.append(entry)
    for worker in trial.world.workers:
        await worker.kill()
        await worker.start()
    known = [command for command in clients.journal.commands if command.acknowledged]
    again = [*fresh, *chance.sample(known, min(len(known), trial.times(200, 30)))]
    answers = [await _insisting(trial, entry, chance.choice(trial.world.workers)) for entry in again]
    trial.expect(all(answers), "a duplicate got no answer after the restart")
    reused = 0
    for entry in again:
        reused += await _with_another_body(trial, entry)
    trial.expect(reused == len(again), f"only {reused} of {len(again)} other bodies were refused with 422")
    trial.over()
    trial.note(f"{50 * len(fresh)} at once, {len(again)} after a restart, {reused} other bodies refused")


async def _insisting(trial: Trial, entry: Command, worker: Worker) -> Answer | None:
    """Sends it until there is an answer, as a client does that was told nothing or 503."""
    for _ in range(5):
        answer = await trial.load.clients.send(trial.chance, entry, worker)
        if answer is not None:
            return answer
        await asyncio.sleep(0.5)
    return None


async def _with_another_body(trial: Trial, entry: Command) -> bool:
    worker = trial.chance.choice(trial.world.answering())
    body = json.loads(entry.body)
    if entry.kind == "open":
        body["spectators"] = "none"
    elif entry.kind == "seat":
        body["seat"] = (body["seat"] + 1) % 3
    elif entry.kind == "bots":
        body["seats"] = [0]
    other = json.dumps(body, separators=(", ", ": ")).encode()  # for a move the same, spelt otherwise
    headers = {
        "Authorization": f"Bearer {entry.token}",
        "Idempotency-Key": entry.key,
        "Content-Type": "application/json",
    }
    answer = await trial.load.clients.http.post(f"{worker.url}{entry.path}", content=other, headers=headers)
    return answer.status_code == 422 and answer.json()["type"].endswith("key-reused")


async def all_at_once(trial: Trial) -> None:
    """Four seats give at the same moment, each to another worker; and each last second is raced by the clock."""
    tables = trial.times(60, 4)
    for first in range(0, tables, 4):
        await asyncio.gather(*(_at_once(trial, first + k) for k in range(4)))
    races = await asyncio.gather(*(_raced(trial, k) for k in range(trial.times(24, 4))))
    trial.over()
    struck = sum(outcome == "clock" for outcome in races)
    trial.note(f"{tables} tables of four at once; of {len(races)} last seconds the clock won {struck}")


async def _table(trial: Trial, chance: random.Random, wanted: Any) -> tuple[str, str, list[tuple[str, str]]]:
    clients = trial.load.clients
    who = [await clients.guest(chance, f"Guest {seat}") for seat in range(wanted["seats"])]
    match = (await clients.command(chance, who[0], "open", "/v1/matches", wanted)).body["match"]
    path = f"/v1/matches/{match}"
    for seat, one in enumerate(who):
        await clients.command(chance, one, "seat", f"{path}/seats", {"seat": seat}, match=match)
    return match, path, who


async def _at_once(trial: Trial, number: int) -> None:
    chance, clients = random.Random(f"{number}/{trial.chance.random()}"), trial.load.clients
    wanted = {"game": "osel-fours", "seats": 4, "options": {"return_mode": "sealed", "max_circuits": 5}}
    match, path, who = await _table(trial, chance, wanted)
    for _ in range(4):
        seen = await clients.read(chance, who[0][1], path, until=time.monotonic() + PATIENCE)
        if seen is None or not seen["to_act"]:
            return
        moves = {seat: await _legal(trial, chance, who[seat], path) for seat in seen["to_act"]}
        entries = [_entry(trial, who[seat], path, match, chance.choice(legal)) for seat, legal in moves.items()]
        workers = trial.world.workers
        answers = await asyncio.gather(
            *(clients.send(chance, entry, workers[k % len(workers)]) for k, entry in enumerate(entries))
        )
        for answer in answers:
            trial.expect(answer and answer.status == 200, f"a legal move at once was answered {answer}")
        await _same_for_all(trial, chance, who, path)


async def _raced(trial: Trial, number: int) -> str:
    """One seat moves in the last moment of its turn. Either the move counts or the clock, for everybody."""
    chance, clients = random.Random(f"raced {number}/{trial.chance.random()}"), trial.load.clients
    wanted = {"game": "whos-the-ass", "seats": 3, "options": {"games": 1}, "clock": {"turn_seconds": SECONDS}}
    match, path, who = await _table(trial, chance, wanted)
    seen = await clients.read(chance, who[0][1], path, until=time.monotonic() + PATIENCE)
    assert seen is not None
    seat, version = seen["to_act"][0], seen["version"]
    (move, *_) = await _legal(trial, chance, who[seat], path)
    entry = _entry(trial, who[seat], path, match, move)
    since = await trial.world.sql("select max(at) from event where stream = $1::text::uuid", match)
    await asyncio.sleep(max(0.0, since[0][0] / 1000 + SECONDS + chance.uniform(-0.3, 1.6) - time.time()))
    answer = await clients.send(chance, entry, trial.world.workers[number % len(trial.world.workers)])
    accepted = answer is not None and answer.status == 200
    latest = time.monotonic() + PATIENCE
    while time.monotonic() < latest:
        rows = await trial.world.sql(
            "select body from event where stream = $1::text::uuid and version > $2 order by version", match, version
        )
        kinds = [json.loads(row[0])["type"] for row in rows]
        if kinds:
            break
        await asyncio.sleep(0.1)
    else:
        trial.fail(f"neither the move nor the clock came to {match}")
        return "nobody"
    # whoever was first has the turn: the events after it begin with the move, or with the clock that made one
    first = next(kind for kind in kinds if kind != "TimeUsed")
    struck = first == "ClockExpired"
    trial.expect(struck != accepted, f"{match}: the answer was {answer and answer.status}, and then came {kinds[:3]}")
    await _same_for_all(trial, chance, who, path)
    for one in who[:2]:  # so that no clock goes on striking
        await clients.http.post(
            f"{trial.world.workers[0].url}{path}/resign", headers={"Authorization": f"Bearer {one[1]}"}
        )
    return "clock" if struck else "move"


async def _legal(trial: Trial, chance: random.Random, who: tuple[str, str], path: str) -> list[Any]:
    told = await trial.load.clients.read(chance, who[1], f"{path}/moves", until=time.monotonic() + PATIENCE)
    assert told is not None, "nobody says what is legal"
    return list(told["moves"])


def _entry(trial: Trial, who: tuple[str, str], path: str, match: str, move: Any) -> Command:
    body = json.dumps(move, separators=(",", ":")).encode()
    entry = Command(new_id(), who[0], "move", f"{path}/moves", body, who[1], match)
    trial.load.journal.commands.append(entry)
    return entry


async def _same_for_all(trial: Trial, chance: random.Random, who: list[tuple[str, str]], path: str) -> None:
    """Every seat, at every worker, is told of the same head at the same version."""
    heads: dict[int, set[str]] = {}
    for seat, (_, token) in enumerate(who):
        told = await trial.load.clients.read(chance, token, path, until=time.monotonic() + PATIENCE)
        assert told is not None
        heads.setdefault(told["version"], set()).add(told["head"])
        trial.load.clients.told(path.rpartition("/")[2], seat, "table", told)
    trial.expect(all(len(found) == 1 for found in heads.values()), f"{path} differs between seats")


SCENARIOS = [
    Scenario(id="F12", title="the same command fifty times, after restarts, with another body", run=duplicates),
    Scenario(id="F14", title="all seats at once; the clock against the last second", run=all_at_once, limit=20.0),
]
