"""Commands for the store as these tests need them, and what must hold of a store after any of them."""

from collections import Counter

from domain.event import chained
from domain.hidden import Opening
from services.ids import SHARDS, new_id, shard_of
from services.store.records import Append, NewEvent, StoredEvent
from services.store.store import Store

AT = 1_700_000_000_000


def match_in(shard: int) -> str:
    """A new match that lives in ``shard``."""
    return new_id()[:-1] + f"{SHARDS.index(shard):x}"


def command(
    match: str,
    expected: int = 0,
    prev: bytes = b"",
    *,
    count: int = 1,
    cmd: str | None = None,
    text: str = "x",
    openings: tuple[Opening, ...] = (),
) -> Append:
    """``count`` events that follow ``expected``; ``openings`` belong to the first of them, in hand 1."""
    cmd = cmd or new_id()
    events = []
    last = prev
    for k in range(1, count + 1):
        data = f'{{"cmd":"{cmd}","match":"{match}","text":"{text}","version":{expected + k}}}'.encode()
        hidden = openings if k == 1 else ()
        events.append(NewEvent(101, 1, data, last, chained(data), hidden, 1 if hidden else 0))
        last = events[-1].hash
    return Append(match, expected, prev, cmd, AT, tuple(events))


def following(before: Append, *, count: int = 1, text: str = "x") -> Append:
    """A command that follows ``before``."""
    return command(before.match, before.expected + len(before.events), before.events[-1].hash, count=count, text=text)


async def everything(store: Store) -> list[StoredEvent]:
    """All events by shard and position, after checking that nothing is missing, doubled or out of its chain. Others may
    write meanwhile.
    """
    before = await store.heads()
    pages = {shard: await store.page(shard, 0, 1_000_000) for shard in before}
    after = await store.heads()
    for shard, page in pages.items():
        assert [event.pos for event in page] == list(range(1, len(page) + 1))
        assert before[shard] <= len(page) <= after[shard]
    events = [event for page in pages.values() for event in page]
    last: dict[str, tuple[int, bytes]] = {}
    for event in events:
        version, prev = last.get(event.match, (0, b""))
        assert (event.version, event.prev) == (version + 1, prev)
        assert event.hash == chained(event.data)
        assert event.shard == shard_of(event.match)
        last[event.match] = event.version, event.hash
    assert max(Counter(event.hash for event in events).values(), default=1) == 1
    return events
