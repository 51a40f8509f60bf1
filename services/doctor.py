"""What an operator should know of an installation, from what was found out about it: one finding for each thing."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, TypeAlias

import msgspec

from services.auditing import Audited
from services.projector.runner import Health
from services.store.inspection import Facts

State: TypeAlias = Literal["ok", "warning", "error"]

SKEW_MS: Final = 2_000
OLDEST: Final = 180_000
"""The oldest PostgreSQL that the tests run on, as it numbers itself."""
LAG: Final = 10_000
ROOM: Final = (256 << 20, 2 << 30)
"""Bytes that are left on a disk: below the first it is an error, below the second a warning."""
STUCK: Final = 600
"""Seconds without a piece of the log put away, while some wait to be: a piece is complete after a minute."""
AGED: Final = (timedelta(days=2), timedelta(days=7))
"""The age of the newest base: above the first a daily one was missed, above the second nobody takes them."""
_BACKUPS: Final = "see 'backups fail' in deploy/runbook.md"
_SURE: Final = ("on", "remote_apply", "remote_write", "local")
"""In all of them the disk of this server has it; what a standby has is another matter."""
_HEALED: Final = "see 'a read model stands still' in docs/operations.md"


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked at, how it is, and what to do about it where it is not as it should be."""

    check: str
    state: State
    text: str
    advice: str = ""


def of_settings(unknown: list[str]) -> list[Finding]:
    """``unknown`` are variables with our prefix that no setting has."""
    if not unknown:
        return [Finding("settings", "ok", "every KIBITZ_ variable is one that there is, and fits")]
    text = f"there is no setting {', '.join(unknown)}: it changes nothing"
    return [Finding("settings", "warning", text, "correct the name; docs/cli.md has them all")]


def of_database(facts: Facts) -> list[Finding]:
    return [*_server(facts), *_schema(facts), *_guards(facts), _skew(facts.ahead)]


def _server(facts: Facts) -> list[Finding]:
    told = facts.settings
    found = []
    if int(told["server_version_num"]) < OLDEST:
        text = f"PostgreSQL {told['server_version']} is older than what the tests run on"
        found.append(Finding("postgresql", "warning", text, "upgrade it to PostgreSQL 18"))
    else:
        found.append(Finding("postgresql", "ok", f"PostgreSQL {told['server_version']}, {facts.size >> 20} MiB"))
    unsafe = [f"{name} = {told[name]}" for name in ("fsync", "full_page_writes") if told[name] != "on"]
    if told["synchronous_commit"] not in _SURE:
        unsafe.append(f"synchronous_commit = {told['synchronous_commit']}")
    if unsafe:
        text = f"{', '.join(unsafe)}: an acknowledged move can be lost when the machine fails"
        found.append(Finding("durability", "error", text, "set it to on and reload the configuration"))
    else:
        found.append(Finding("durability", "ok", "what is acknowledged is on the disk"))
    if told.get("data_checksums") != "on":
        advice = "stop the server and run pg_checksums --enable"
        found.append(Finding("checksums", "warning", "the pages of the database have no checksums", advice))
    if facts.connections >= int(told["max_connections"]) * 9 // 10:
        text = f"{facts.connections} of {told['max_connections']} connections are taken"
        found.append(Finding("connections", "warning", text, "raise max_connections, or run fewer processes"))
    if facts.recovering:
        text = "the database is a standby, or still takes up its log: it cannot be written"
        found.append(Finding("recovery", "error", text, "promote it, or name the primary in KIBITZ_DATABASE_URL"))
    if told["archive_mode"] == "off":
        advice = "set KIBITZ_BACKUPS, or archive_mode of a server of your own: docs/operations.md"
        text = "no log is put away: only moments at which a backup was made can be restored"
        found.append(Finding("archive", "warning", text, advice))
    elif not (told.get("archive_command") or told.get("archive_library")):
        text = "nothing puts the log away, though archive_mode is on: the disk fills, and there is no way to any moment"
        found.append(Finding("archive", "error", text, "set archive_command: docs/operations.md has one"))
    elif facts.archiver.failed is not None:
        text = f"the log is not put away: {facts.archiver.failed} failed last; the disk fills, and backups end there"
        found.append(Finding("archive", "error", text, _BACKUPS))
    elif facts.archiver.waiting and facts.archiver.since > STUCK:
        text = (
            f"the log is not put away: for {facts.archiver.since // 60} minutes no piece was, and "
            f"{facts.archiver.waiting} wait; the disk fills, and backups end there"
        )
        found.append(Finding("archive", "error", text, _BACKUPS))
    else:
        found.append(Finding("archive", "ok", "the log is put away"))
    return found


def _schema(facts: Facts) -> list[Finding]:
    if facts.schema == facts.newest:
        return [Finding("migrations", "ok", f"the schema is the newest, {facts.schema}")]
    if facts.schema > facts.newest:
        text = f"the schema is {facts.schema}; this code knows {facts.newest}: it is older, and does not start on it"
        return [Finding("migrations", "error", text, "run the newer version, or restore a backup made before")]
    text = f"the schema is {facts.schema or 'not there'}; this code needs {facts.newest}"
    return [Finding("migrations", "error", text, "run 'kibitz migrate'")]


def _guards(facts: Facts) -> list[Finding]:
    if not facts.schema:
        return []
    found = []
    if facts.unguarded:
        text = f"what keeps the record as it is does not work: {', '.join(facts.unguarded)}"
        advice = "find out who took it away; verify every match (--matches all); restore if one does not hold"
        found.append(Finding("guards", "error", text, advice))
    else:
        found.append(Finding("guards", "ok", "triggers and checks keep the record as it is"))
    if facts.excess:
        text = f"the service's role may do too much: {', '.join(facts.excess)}"
        found.append(Finding("rights", "error", text, "revoke it from kibitz_app"))
    elif not (facts.role and facts.may):
        text = "the service works as the owner of the tables: the triggers alone keep the record"
        advice = (
            "as a superuser: create role kibitz_app nologin; grant kibitz_app to the user; then see docs/operations.md"
        )
        found.append(Finding("rights", "warning", text, advice))
    else:
        found.append(
            Finding("rights", "ok", "the service works as kibitz_app, which can add to the record and not change it")
        )
    return found


def _skew(ahead: int) -> Finding:
    if abs(ahead) <= SKEW_MS:
        return Finding("clock", "ok", "the clocks of this machine and of the database agree")
    text = (
        f"the clock of the database is {abs(ahead) / 1000:.0f} s {'ahead of' if ahead > 0 else 'behind'} this machine's"
    )
    return Finding("clock", "warning", text, "let both follow one time (NTP); deadlines go by the database's")


def of_read_models(health: Health) -> list[Finding]:
    found = []
    behind = {name: lag for name, lag in health.lag.items() if lag > LAG}
    if health.outdated:
        text = f"not built, or by other code: {', '.join(health.outdated)}"
        advice = f"a service that starts builds what is missing; else kibitz rebuild {health.outdated[0]}"
        found.append(Finding("read models", "error", text, advice))
    if behind:
        text = ", ".join(f"{name} is {lag} events behind" for name, lag in behind.items())
        found.append(Finding("read models", "warning", text, f"is a service running? {_HEALED}"))
    if health.parked:
        text = ", ".join(f"{name} has set aside {count} matches" for name, count in health.parked.items())
        found.append(Finding("parked", "warning", text, "'kibitz parked' says which and why; then 'kibitz unpark'"))
    if not found:
        most = max(health.lag.values(), default=0)
        found.append(Finding("read models", "ok", f"all are there, {most} events behind at most"))
    return found


def of_matches(
    done: Audited, miscounted: list[tuple[int, int, int]], unheaded: list[str], *, every: bool
) -> list[Finding]:
    found = []
    how = "every match" if every else "a sample"
    if done.valid:
        found.append(Finding("matches", "ok", f"{how}: {done.told()}"))
    else:
        named = "; ".join(f"{wrong.match} {wrong.verdict}: {wrong.text}" for wrong in done.wrong)
        advice = "'kibitz verify MATCH' says more; keep the database as it is, and compare with a backup"
        found.append(Finding("matches", "error", f"{how}: {done.told()}: {named}", advice))
    if unheaded:
        text = f"there are events of matches that are not in the list of matches: {', '.join(unheaded)}"
        found.append(Finding("matches", "error", text, "restore from a backup: rows of 'stream' are lost"))
    for shard, head, there in miscounted:
        text = f"shard {shard} is said to have {head} events, and has {there}"
        found.append(
            Finding("positions", "error", text, "restore from a backup: events are lost or were added by hand")
        )
    return found


def of_redis(nodes: Mapping[str, str]) -> list[Finding]:
    """``nodes`` says of each what is wrong with it, if anything."""
    wrong = {node: text for node, text in nodes.items() if text}
    if not wrong:
        return [Finding("redis", "ok", "Redis answers")]
    text = "; ".join(f"{node}: {said}" for node, said in wrong.items())
    advice = "start it, or correct KIBITZ_REDIS_URL; until then feeds are up to two seconds late, and nothing is lost"
    return [Finding("redis", "error" if len(wrong) == len(nodes) else "warning", text, advice)]


def of_backups(newest: datetime | None, now: int) -> list[Finding]:
    """``newest`` is when the newest base of the embedded PostgreSQL was complete; None if there is none. ``now`` is the
    database's time, in milliseconds since 1970.
    """
    if newest is None:
        text = "there is no base backup: the log alone restores nothing"
        return [Finding("backups", "error", text, "kibitz backup, now and by a timer")]
    text = f"the newest base backup is of {newest.isoformat()}"
    age = timedelta(milliseconds=now) - (newest - datetime.fromtimestamp(0, UTC))
    if age <= AGED[0]:
        return [Finding("backups", "ok", text)]
    state: State = "error" if age > AGED[1] else "warning"
    return [Finding("backups", state, f"{text}, {age.days} days old: a restore takes long, the log grows", _BACKUPS)]


def of_fault(what: str, text: str) -> Finding:
    """``what`` could not be looked at."""
    return Finding(what, "error", text, "is a table or a right gone? see PostgreSQL's log, and compare with a backup")


def of_disk(what: str, free: int, size: int) -> Finding:
    """``what`` names the folder; the room on its disk is in bytes."""
    text = f"{free >> 20} MiB of {size >> 20} MiB are left for {what}"
    advice = "make room: see 'the disk is full' in docs/operations.md"
    if free < ROOM[0]:
        return Finding("disk", "error", text, advice)
    if free < ROOM[1] or free < size // 20:
        return Finding("disk", "warning", text, advice)
    return Finding("disk", "ok", text)
