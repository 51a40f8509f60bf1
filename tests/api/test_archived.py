"""A match in the archive, over HTTP and in another process: every answer is as before, byte by byte."""

from collections.abc import Callable

from services import archiving
from tests.api.conftest import Service, serving
from tests.api.guests import Guest, Table, ok
from tests.waiting import eventually


async def answers(service: Service, table: Table) -> dict[str, bytes]:
    """What anybody and what the first seat is told of a match, by path."""
    seen = ok(await service.http.get(table.path))
    last = seen["version"]
    paths = [
        *("", "/score-sheet", "/score-sheet?format=csv", "/replay", f"/replay/{last}?seat=all"),
        *(f"/replay/{last // 2}?seat=1", "/events?after=0&limit=200", "/events?after=7&limit=3"),
        *("/export", "/export?format=jsonl", "/export?format=txt"),
        *("/audit", "/audit/bundle", "/audit/knowledge?seat=0&at=9", "/disputes", f"/stream?after={last - 3}"),
    ]  # fmt: skip
    told: dict[str, bytes] = {}
    for path in paths:
        for who, headers in (("anybody", {}), ("seat 0", table.guests[0].auth)):
            answer = await service.http.get(f"{table.path}{path}", headers=headers)
            assert answer.is_success, (path, answer.text)
            told[f"{path} {who}"] = answer.content
    await eventually(lambda: service.feeds == 0)  # nobody is shown as connected to whoever asks next
    return told


async def archived(service: Service) -> int:
    """Archives all that is over, once the read models have come so far; the number of events."""
    await service.caught_up()
    sums = [done.events async for done in archiving.archive(service.context.store, 1 << 47)]
    return sums[-1]


async def test_an_archived_match_is_answered_for_as_before_by_this_process_and_by_a_new_one(
    fresh_database: Callable[[], str], redis_url: str
):
    url = fresh_database()
    # given a match that is over, of which a move was made with a key
    async with serving(url, redis_url) as service:
        table = await service.table(3, own_seeds=True, options={"games": 1})
        due = await table.due()
        move = (await table.legal(due))["moves"][0]
        first = ok(await due.post(f"{table.path}/moves", move, {"Idempotency-Key": "one"}))
        await table.play_out()
        over = await table.seen()
        before = await answers(service, table)
        # when it is archived
        assert await archived(service) == over["version"]
        left = "select count(*) from event where stream = $1"
        assert await service.context.store.pool.fetchval(left, table.match) == 0
        # then this process says the same
        assert await answers(service, table) == before
    # and so does one that has never seen it
    async with serving(url, redis_url) as service:
        guests = [Guest(service.http, who.player, who.name, who.token) for who in table.guests]
        again = Table(table.path, table.match, guests)
        assert await answers(service, again) == before
        # the key is answered again, and with another body refused
        who = guests[table.guests.index(due)]
        told = ok(await who.post(f"{table.path}/moves", move, {"Idempotency-Key": "one"}))
        assert (told["version"], told["head"], told["events"]) == (first["version"], first["head"], first["events"])
        assert (await who.post(f"{table.path}/moves", {"type": "x"}, {"Idempotency-Key": "one"})).status_code in (
            400,
            422,
        )
        # and it can be disputed: the record goes on behind the archive
        claim = {"first": 5, "last": 9, "claim": "that was not my card"}
        assert (await guests[0].post(f"{table.path}/disputes", claim)).is_success
        now = ok(await service.http.get(table.path))
        assert now["version"] == over["version"] + 1
        audit = ok(await service.http.get(f"{table.path}/audit"))
        assert (audit["verdict"], audit["head"]) == ("VALID", now["head"])
        exported = ok(await service.http.get(f"{table.path}/export"))
        assert [event["version"] for event in exported["events"]] == list(range(1, now["version"] + 1))
