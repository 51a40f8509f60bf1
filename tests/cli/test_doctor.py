"""``kibitz doctor``: each thing that can be wrong is broken in turn, and it is the one that is told."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from services import doctor
from services.embedded import Backups, Embedded
from services.store.inspection import Archiver, inspected, surely_ahead
from services.store.migrate import migrate
from tests.cli.operator import kibitz, project, within
from tests.conftest import sql
from tests.engine.played import Played
from tests.store.rows import row
from tests.waiting import until

Capture = pytest.CaptureFixture[str]

ALL = {
    "settings", "postgresql", "durability", "archive", "migrations", "guards", "rights", "clock", "read models",
    "matches", "redis",
}  # fmt: skip
"""What is looked at where the servers are others', if all is as it should be."""


class Doctor:
    """Asks ``kibitz doctor``, and has what was wrong before in mind: that tests keep no log of changes."""

    def __init__(self, capsys: Capture) -> None:
        self._capsys = capsys

    def says(self, *arguments: str) -> tuple[int, dict[str, dict[str, Any]]]:
        self._capsys.readouterr()
        code = kibitz("doctor", "--json", *arguments)
        told = json.loads(self._capsys.readouterr().out)
        settings = {finding["state"] for finding in told if finding["check"] == "settings"}
        assert len(settings) == 1, "the settings fit, and do not"
        return code, {finding["check"]: finding for finding in told}

    def finds(self, check: str, state: str, text: str, *arguments: str) -> dict[str, dict[str, Any]]:
        """The one thing that is wrong is ``check``, said with ``text``, with advice and the exit code that fits."""
        code, found = self.says(*arguments)
        assert found[check]["state"] == state, found[check]
        assert text in found[check]["text"], found[check]
        assert found[check]["advice"]
        assert code == (8 if state == "error" else 7)
        wrong = {name for name, finding in found.items() if finding["state"] != "ok"}
        assert wrong - {"archive"} == {check}
        return found


@pytest.fixture
def asked(capsys: Capture) -> Doctor:
    return Doctor(capsys)


@pytest.fixture
def stored(url: str, stored: Played) -> Played:
    """A match that is over, and in every read model."""
    within(url, project)
    return stored


def test_where_all_is_well_every_check_says_so(url: str, stored: Played, asked: Doctor, capsys: Capture):
    code, found = asked.says("--matches", "all")
    assert set(found) == ALL
    assert {name for name, finding in found.items() if finding["state"] != "ok"} == {"archive"}
    assert code == 7
    assert f"every match: 1 matches with {len(stored.events)} events: 1 VALID" in found["matches"]["text"]
    assert kibitz("doctor", "--matches", "5") == 7
    told = capsys.readouterr().out
    assert all(name in told for name in ALL)
    assert "a sample: 1 matches" in told


@pytest.mark.parametrize("arguments", [("--matches", "some"), ("--matches", "-1"), ("--matches", "1" * 30)])
def test_what_is_no_number_of_matches_is_exit_code_2(url: str, arguments: tuple[str, ...], capsys: Capture):
    assert kibitz("doctor", *arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("alter table event disable trigger immutable", "event.immutable"),
        ("alter table opening enable trigger immutable_whole", "opening.immutable_whole"),
        ("drop trigger immutable on disclosure", "disclosure.immutable"),
        ("alter table archive disable trigger all", "archive.immutable, archive.immutable_whole"),
        ("alter table appointment disable trigger immutable", "appointment.immutable"),
        ("alter table event drop constraint event_hash", "event.event_hash"),
        ("drop trigger immutable on appointment", "appointment.immutable"),
        (
            "create or replace function keep_record() returns trigger language plpgsql as 'begin return new; end'",
            "event.immutable, opening.immutable",
        ),
        (
            """create or replace trigger immutable before delete on event for each row execute function keep_record();
            alter table event enable always trigger immutable""",
            "event.immutable",
        ),
    ],
)
def test_a_guard_that_is_gone_is_named(url: str, stored: Played, asked: Doctor, statement: str, said: str):
    sql(url, statement)
    asked.finds("guards", "error", said)


@pytest.mark.parametrize("right", ["update", "delete", "truncate", "trigger"])
def test_a_right_that_the_service_must_not_have_is_named(url: str, stored: Played, asked: Doctor, right: str):
    sql(url, f"grant {right} on event to kibitz_app")
    asked.finds("rights", "error", f"event: {right.upper()}")


def test_a_right_to_one_column_is_a_right_too_many(url: str, stored: Played, asked: Doctor):
    sql(url, "grant update (body) on event to kibitz_app")
    asked.finds("rights", "error", "event: UPDATE")


@pytest.mark.parametrize(
    ("statement", "check", "said"),
    [
        ("alter schema projection rename to gone", "read models", "projection."),
        ("alter table opening rename to gone", "matches", "opening"),
        ("revoke select on event from kibitz_app", "matches", "permission denied"),
    ],
)
def test_what_cannot_be_asked_is_a_finding_like_others(
    url: str, stored: Played, asked: Doctor, statement: str, check: str, said: str
):
    sql(url, statement)
    asked.finds(check, "error", said)


def test_a_match_that_is_lost_from_the_list_of_matches_is_found(url: str, stored: Played, asked: Doctor):
    sql(url, f"delete from stream where stream = '{stored.match}'")
    asked.finds("matches", "error", stored.match, "--matches", "all")


@pytest.mark.parametrize("setting", ["synchronous_commit = off", "synchronous_commit = local"])
def test_a_server_that_may_lose_what_was_acknowledged_is_an_error(
    url: str, stored: Played, asked: Doctor, setting: str
):
    sql(url, f"do $$ begin execute format('alter database %I set {setting}', current_database()); end $$")
    if "local" in setting:  # is on the disk here, and that is what is asked
        _, found = asked.says()
        assert found["durability"]["state"] == "ok"
    else:
        asked.finds("durability", "error", "synchronous_commit = off")


def test_an_event_opened_with_another_value_is_found_by_the_verifier(url: str, stored: Played, asked: Doctor):
    sql(url, "alter table opening disable trigger immutable")
    sql(url, "update opening set value = '\"10H\"' where ctid = (select min(ctid) from opening)")
    sql(url, "alter table opening enable always trigger immutable")
    found = asked.finds("matches", "error", "1 INVALID", "--matches", "all")
    assert stored.match in found["matches"]["text"]


def test_a_lost_event_is_found_by_head_and_position(url: str, stored: Played, asked: Doctor):
    sql(url, "alter table event disable trigger immutable")
    sql(url, f"delete from event where version = {len(stored.events)}")
    sql(url, "alter table event enable always trigger immutable")
    code, found = asked.says("--matches", "all")
    assert code == 8
    told = f"is said to have {len(stored.events)} events, and {len(stored.events) - 1} are there"
    assert told in found["matches"]["text"]
    assert f"has {len(stored.events) - 1}" in found["positions"]["text"]


@pytest.mark.parametrize(("schema", "advice"), [("0004", "kibitz migrate"), ("9999", "newer version")])
def test_another_schema_is_told_with_what_to_do(url: str, stored: Played, asked: Doctor, schema: str, advice: str):
    sql(url, f"update alembic_version set version_num = '{schema}'")
    found = asked.finds("migrations", "error", schema)
    assert advice in found["migrations"]["advice"]
    assert "matches" not in found  # a database of another schema is not asked for what it may not have


def test_a_match_that_is_set_aside_is_a_warning(url: str, stored: Played, asked: Doctor):
    sql(
        url,
        "insert into projection.parked (shard, name, build, match, version, pos, error)"
        f" select shard, 'players', 1, stream, 1, 1, 'poison' from stream where stream = '{stored.match}'",
    )
    found = asked.finds("parked", "warning", "players has set aside 1 matches")
    assert "kibitz parked" in found["parked"]["advice"]


def test_a_read_model_of_other_code_is_an_error(url: str, stored: Played, asked: Doctor):
    sql(url, "update projection.build set version = 0 where name = 'replays'")
    found = asked.finds("read models", "error", "replays")
    assert found["read models"]["advice"].endswith("kibitz rebuild replays")


def test_redis_that_is_gone_is_told_without_its_password(
    url: str, stored: Played, asked: Doctor, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("KIBITZ_REDIS_URL", "redis://someone:hush@127.0.0.1:1")
    found = asked.finds("redis", "error", "127.0.0.1:1")
    assert "hush" not in json.dumps(found)
    monkeypatch.setenv("KIBITZ_REDIS_URL", "redis://127.0.0.1:1?password=hush")
    assert "hush" not in json.dumps(asked.finds("redis", "error", "127.0.0.1:1"))
    monkeypatch.setenv("KIBITZ_REDIS_URL", "redis+cluster://someone:hush@127.0.0.1:1,127.0.0.1:2")
    assert "hush" not in json.dumps(asked.finds("redis", "error", "127.0.0.1:2"))


def test_a_database_that_is_gone_is_a_finding_like_others(url: str, asked: Doctor, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KIBITZ_DATABASE_URL", "postgresql://kibitz:hush@127.0.0.1:1/kibitz")
    code, found = asked.says()
    assert code == 8
    assert found["postgresql"]["state"] == "error"
    assert found["redis"]["state"] == "ok"
    assert "hush" not in json.dumps(found)


def test_a_setting_that_there_is_not_is_a_warning_and_one_that_does_not_fit_an_error(
    url: str, stored: Played, asked: Doctor, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("KIBITZ_RATE_PLAYER", "5")
    asked.finds("settings", "warning", "KIBITZ_RATE_PLAYER")
    monkeypatch.delenv("KIBITZ_RATE_PLAYER")
    monkeypatch.setenv("KIBITZ_PORT", "eighty")
    code, found = asked.says()
    assert code == 8
    assert "KIBITZ_PORT" in found["settings"]["text"]


def test_a_folder_without_data_is_a_finding_and_stays_without(
    asked: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("KIBITZ_DATABASE_URL", "KIBITZ_REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    code, found = asked.says("--data", str(tmp_path / "nothing"))
    assert code == 8
    assert "no Kibitz data" in found["servers"]["text"]
    assert not (tmp_path / "nothing").exists()


async def test_a_log_that_nothing_puts_away_is_an_error_and_one_that_need_not_be_is_none(database_url: str):
    facts = await inspected(database_url)
    well, failed, late = Archiver(None, 0, 90_000), Archiver("0" * 24, 0, 0), Archiver(None, 1, doctor.STUCK)
    for settings, archiver, state in (
        ({"archive_mode": "on", "archive_command": "", "archive_library": ""}, well, "error"),
        ({"archive_mode": "on", "archive_command": "cp", "archive_library": ""}, well, "ok"),
        ({"archive_mode": "on", "archive_command": "cp", "archive_library": ""}, failed, "error"),
        ({"archive_mode": "on", "archive_command": "cp", "archive_library": ""}, late, "ok"),
        ({"archive_mode": "on", "archive_command": "cp", "archive_library": ""}, replace(late, since=601), "error"),
        ({"archive_mode": "off", "archive_command": "", "archive_library": ""}, failed, "warning"),
    ):
        seen = replace(facts, settings=facts.settings | settings, archiver=archiver)
        [told] = [one for one in doctor.of_database(seen) if one.check == "archive"]
        assert told.state == state, (settings, archiver)


def test_pieces_of_the_log_that_wait_are_counted_and_a_base_is_asked_for(
    data_folder: Path, asked: Doctor, monkeypatch: pytest.MonkeyPatch
):
    for name in ("KIBITZ_DATABASE_URL", "KIBITZ_REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    backups = Backups(data_folder / "backups")
    # given a log that is put away, then one that nothing takes and that nothing refuses
    with Embedded(data_folder / "old", settings=backups.archiving(), sync=False) as servers:
        migrate(servers.database_url)
        piece = row(servers.database_url, "select pg_walfile_name(pg_switch_wal())")[0]
        until((backups.log / piece).exists)
        until(lambda: archiver(servers.database_url) == Archiver(None, 0, 0))
    with Embedded(
        data_folder / "old", settings={"archive_mode": "on", "archive_command": "sleep 60"}, sync=False
    ) as servers:
        waiting = archiver(servers.database_url).waiting
        for _ in range(2):
            sql(servers.database_url, "create table one (); drop table one")
            sql(servers.database_url, "select pg_switch_wal()")
        assert archiver(servers.database_url).waiting == waiting + 2
    # when the doctor comes, then it misses a base, until there is one
    monkeypatch.setenv("KIBITZ_BACKUPS", str(backups.root))
    data = ("--data", str(data_folder / "old"))
    code, found = asked.says(*data)
    assert (code, found["backups"]["state"]) == (8, "error")
    assert kibitz("backup", *data) == 0
    assert asked.says(*data)[1]["backups"]["state"] == "ok"


def archiver(url: str) -> Archiver:
    """As the doctor sees it now, but for how long ago anything was."""
    with ThreadPoolExecutor(1) as apart:
        return replace(apart.submit(asyncio.run, inspected(url)).result().archiver, since=0)


def test_a_base_that_grows_old_is_told():
    base = datetime(2031, 5, 17, tzinfo=UTC)
    for days, state in ((0, "ok"), (1, "ok"), (3, "warning"), (8, "error")):
        now = int((base + timedelta(days=days)).timestamp() * 1000)
        [told] = doctor.of_backups(base, now)
        assert (told.check, told.state, bool(told.advice)) == ("backups", state, state != "ok")
    [told] = doctor.of_backups(None, 0)
    assert (told.state, told.advice) == ("error", "kibitz backup, now and by a timer")


@pytest.mark.parametrize(
    ("asked", "told", "answered", "ahead"),
    [(0, 1, 2, 0), (0, 9_000, 9_001, 0), (0, 1, 9_000, 0), (0, 9_000, 2, 8_998), (0, -9_000, 2, -9_000)],
    ids=["at once", "asked late", "told late", "ahead", "behind"],
)
def test_a_question_that_was_long_under_way_is_no_clock_that_goes_wrong(
    asked: int, told: int, answered: int, ahead: int
):
    assert surely_ahead(asked, told, answered) == ahead


async def test_clocks_that_differ_and_disks_that_fill_are_told(database_url: str):
    facts = await inspected(database_url)
    for off, state in ((0, "ok"), (3_600_000, "warning"), (-3_600_000, "warning")):
        [told] = [one for one in doctor.of_database(replace(facts, ahead=facts.ahead + off)) if one.check == "clock"]
        assert told.state == state
    assert "3600 s behind" in told.text
    states = [doctor.of_disk("the data folder", free << 20, 1 << 40).state for free in (100, 1_000, 3_000, 900_000)]
    assert states == ["error", "warning", "warning", "ok"]
    assert doctor.of_disk("the data folder", 3 << 30, 20 << 30).state == "ok"
