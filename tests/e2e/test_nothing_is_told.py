"""What may be read of a running service beside its answers (log, traces, figures) tells no card, secret or token.

A whole match of each game is played while everything is said that is ever said; then every line, span and figure is
searched for what was sealed in these matches. Cards of one game are called "7", so it is not enough to search for
their names: whatever stands in a line must have the form of something that may stand there.
"""

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx
import pytest

from tests.e2e.collector import Collector, attributes, collecting
from tests.e2e.conftest import Kibitz
from tests.e2e.watched import Played, play_everything
from tests.waiting import PATIENCE, until

_ID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_CARD = re.compile(r"(?<![A-Za-z0-9])(?:10|[2-9JQKA])[SHDC](?![A-Za-z0-9])|\bASS\b")
_LATE = r"the database did not answer within \d+ s|Redis has fallen silent|Timeout [a-z ]+( \S+)?|TimeoutError"
_AGAIN = "append not answered, will be tried again: [A-Za-z]+"
"""What parts say on a machine that is too busy for them, and try again."""
FORMS = {
    "event": rf"{_AGAIN}|" + r"""[A-Za-z',; ]+|(setup plugin|Context impl|Will assume|Running upgrade) [^"\[\]{}]+""",
    "level": "debug|info|warning|error",
    "logger": "(services|alembic)[a-z._]+",
    "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z",
    "pid": r"\d+",
    "request_id": _ID,
    "match": _ID,
    "command": _ID,
    "seat": r"\d",
    "trace": "[0-9a-f]{32}",
    "method": "[A-Z]+",
    "route": r"none|/[a-z{}/0-9:-]*",
    "status": r"\d{3}",
    "processes": r"\d+",
    "version": r"\d+",
    "after": r"\d+",
    "way": "send|receive",
    "clause": r"\d+\.\d+",
    "error": r"the match is at version \d+, not \d+|this Idempotency-Key was used before with another request|" + _LATE,
}
"""What may stand in a line of the log of a service that has no trouble, by its key."""
ATTRIBUTES = {
    "http.request.method": FORMS["method"] + "|MOVE",
    "http.route": FORMS["route"],
    "http.response.status_code": FORMS["status"],
    "kibitz.request_id": _ID,
    "kibitz.match": _ID,
    "kibitz.seat": FORMS["seat"],
    "kibitz.command": _ID,
    "error.type": "[A-Za-z]+",
}
SPANS = r"(GET|HEAD|POST|PATCH|DELETE|MOVE) .+|GET|POST|MOVE|decide|settle|append|publish"


@dataclass(frozen=True)
class Watched:
    kibitz: Kibitz
    played: Played
    log: str
    collector: Collector
    figures: str


@pytest.fixture(scope="module")
async def watched(empty_database: Callable[[], str], redis_url: str, tmp_path_factory: Any) -> AsyncIterator[Watched]:
    database, folder = empty_database(), tmp_path_factory.mktemp("watched")
    with collecting() as collector:
        urls = {"KIBITZ_DATABASE_URL": database, "KIBITZ_REDIS_URL": redis_url}
        told = {"KIBITZ_LOG_LEVEL": "debug", "KIBITZ_OTLP_ENDPOINT": collector.url}
        # so that none is left out, however busy this machine is
        told |= {"OTEL_BSP_MAX_QUEUE_SIZE": "1000000", "OTEL_EXPORTER_OTLP_TIMEOUT": str(PATIENCE)}
        kibitz = Kibitz(folder / "data", "--no-demo", pace=0, **urls, **told)
        try:
            kibitz.ready()
            played = await play_everything(kibitz, database)
            figures = until(partial(_figures, kibitz))
            assert kibitz.stop() == 0
            yield Watched(kibitz, played, (folder / "data/kibitz.log").read_text(), collector, figures)
        finally:
            kibitz.stop()


def _figures(kibitz: Kibitz) -> str:
    """What it counts, once nothing holds up its database and it hears Redis; nothing before."""
    text = httpx.get(f"{kibitz.url}/metrics", timeout=PATIENCE).text
    return text if "kibitz_database_up 1.0" in text and "kibitz_feed_connected 1.0" in text else ""


def leaks(text: str, played: Played) -> list[str]:
    """What of the matches stands in ``text``, however it is written there."""
    found = [token for token in played.tokens if token in text]
    for secret in played.secrets:
        written = {
            secret.hex(),
            b64encode(secret).decode(),
            urlsafe_b64encode(secret).decode().rstrip("="),
            str(secret),
        }
        found += [one for one in written if one in text]
    for values in played.values.values():
        for value in values:
            if len(value) > 4:
                written = {value, value.replace(",", ", "), str(json.loads(value)), json.dumps(value)[1:-1]}
                found += [one for one in written if one in text]
    return found + _CARD.findall(text)


def misshapen(line: dict[str, Any], forms: dict[str, str]) -> list[str]:
    """The keys of ``line`` that it must not have, or whose values have not the form of what may stand there."""
    return [
        key
        for key, value in line.items()
        if key not in forms or type(value) not in (str, int) or not re.fullmatch(forms[key], str(value))
    ]


async def test_the_log_of_whole_matches_tells_nothing_that_is_sealed(watched: Watched):
    played, lines = watched.played, watched.log.splitlines()
    assert len(lines) > 2 * played.moves > 100
    assert all(len(values) > 3 for values in played.values.values())

    assert leaks(watched.log, played) == []
    for line in map(json.loads, lines):
        assert misshapen(line, FORMS) == [], line
    sealed = sum(map(len, played.values.values()))
    print(f"{played.moves} moves, {len(lines)} lines: none of {sealed} values and {len(played.secrets)} secrets")


async def test_the_traces_of_whole_matches_tell_nothing_that_is_sealed(watched: Watched):
    spans = watched.collector.spans()
    assert len(spans) > 5 * watched.played.moves
    for span in spans:
        assert re.fullmatch(SPANS, span.name), span.name
        assert misshapen(attributes(span), ATTRIBUTES) == [], span
        assert not span.events
        assert not span.status.message
        assert not span.trace_state
    told = "\n".join(f"{span.name} {attributes(span)}" for span in spans)
    assert leaks(told, watched.played) == []
    for body in watched.collector.bodies:  # in which ids are bytes, and some of these look like cards
        assert not [leak for leak in leaks(body.decode("latin-1"), watched.played) if not _CARD.fullmatch(leak)]


async def test_the_figures_after_whole_matches_tell_nothing_that_is_sealed(watched: Watched):
    assert leaks(watched.figures, watched.played) == []
    for match in watched.played.tables.values():
        assert match.match not in watched.figures
        assert not any(who.player in watched.figures for who in match.guests)


async def test_what_should_not_be_there_would_be_found(watched: Watched):
    played = watched.played
    [token, *_], [secret, *_] = played.tokens, played.secrets
    hand = max(played.values["spades-two"], key=len)
    for planted in (
        token,
        secret.hex(),
        urlsafe_b64encode(secret).decode(),
        str(secret),
        hand,
        str(json.loads(hand)),
        json.dumps({"why": hand}),
        "you hold 0 of 10H",
    ):
        assert leaks(f'{{"event": "something", "more": "{planted}"}}', played), planted
    assert misshapen({"event": "answered", "card": "7"}, FORMS) == ["card"]
    assert misshapen({"event": "it was 7", "seat": 1}, FORMS) == ["event"]
    assert misshapen({"seat": ["7"]}, FORMS) == ["seat"]


async def test_every_change_that_was_asked_for_has_its_line(watched: Watched):
    lines = [json.loads(line) for line in watched.log.splitlines()]
    for game, table in watched.played.tables.items():
        of_match = [line for line in lines if line.get("match") == table.match]
        moved = [line for line in of_match if line.get("route", "").endswith("/moves") and line["method"] == "POST"]
        done = [line for line in moved if line["status"] == 200]
        batched = [line for line in of_match if line["event"] == "moved" and line["status"] == 200]
        assert done, game
        assert batched, game
        for line in (*done, *batched):
            assert line.keys() >= {"request_id", "match", "seat", "command", "trace"}, line
            assert line["level"] == "info"
        refused = [line for line in moved if line["status"] in (409, 422)]
        assert all(line.keys() >= {"request_id", "match", "seat", "command"} for line in refused), game
        assert {line["level"] for line in of_match if line.get("method") == "GET" and line["status"] == 200} == {
            "debug"
        }
    troubles = [line for line in lines if line["level"] in ("warning", "error")]
    late = [line for line in troubles if re.fullmatch(_LATE, line.get("error", "")) or re.match(_AGAIN, line["event"])]
    assert [line for line in troubles if line not in late] == []


async def test_a_move_is_told_from_the_request_to_the_feed(watched: Watched):
    spans = watched.collector.spans()
    of_trace: dict[bytes, list[Any]] = {}
    for span in spans:
        of_trace.setdefault(span.trace_id, []).append(span)
    commands = {json.loads(line).get("command"): json.loads(line) for line in watched.log.splitlines()}
    whole = 0
    for family in of_trace.values():
        [root, *more] = [span for span in family if not span.parent_span_id]
        assert not more
        said = attributes(root)
        if said["http.response.status_code"] == 200 and said["http.route"] == "/v1/matches/{match}/moves":
            children = [span for span in family if span.parent_span_id]
            assert all(child.parent_span_id == root.span_id for child in children)
            if not children:
                continue  # a reading of moves, or the same key again
            assert [child.name for child in sorted(children, key=lambda span: span.start_time_unix_nano)] == [
                "decide", "settle", "append", "publish",
            ]  # fmt: skip
            line = commands[said["kibitz.command"]]
            assert (line["match"], line["seat"]) == (said["kibitz.match"], said["kibitz.seat"])
            whole += 1
    assert whole > 50


async def test_the_figures_count_what_was_done(watched: Watched):
    def figure(name: str) -> float:
        [value] = re.findall(rf"^{re.escape(name)} (\S+)$", watched.figures, re.MULTILINE)
        return float(value)

    for game in watched.played.tables:
        assert figure(f'kibitz_moves_total{{game="{game}",result="accepted"}}') > 0
    accepted = sum(map(float, re.findall(r'kibitz_moves_total\{.*result="accepted"\} (\S+)', watched.figures)))
    assert accepted == watched.played.moves
    assert figure('kibitz_bot_moves_total{game="spades-two",result="accepted"}') > 10
    assert re.search(r'kibitz_refused_total\{clause="\d+\.\d+",rulebook="match"\} [1-9]', watched.figures)
    assert re.search(r'kibitz_refused_total\{clause="\d+\.\d+",rulebook="spades-two"\} [1-9]', watched.figures)
    assert figure("kibitz_append_batch_commands_count") == figure("kibitz_append_batches_total") > 100
    assert figure("kibitz_append_batch_commands_sum") == figure("kibitz_append_commands_total")
    assert figure("kibitz_append_seconds_count") == figure("kibitz_append_batches_total")
    assert figure("kibitz_feed_lag_seconds_count") > 50
    assert figure("kibitz_feed_round_trip_seconds_count") > 50
    assert figure("kibitz_database_up") == figure("kibitz_feed_connected") == 1
    assert figure('kibitz_projector_lag_seconds{projection="replays"}') >= 0


def test_a_collector_that_is_away_holds_up_nothing(beside: Callable[..., Kibitz], monkeypatch: pytest.MonkeyPatch):
    with collecting() as gone:
        pass
    kibitz = beside("--no-demo", KIBITZ_OTLP_ENDPOINT=gone.url).ready()

    with kibitz.client() as http:
        for number in range(20):
            assert http.post("/players", json={"name": f"Guest {number}"}).status_code == 201

    until(lambda: any(line["logger"].startswith("opentelemetry") for line in kibitz.log()))
    assert kibitz.stop() == 0
