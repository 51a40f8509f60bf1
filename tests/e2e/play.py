"""Guests who play at a Kibitz over HTTP, and what the tests ask of it."""

import time
from collections.abc import Callable
from typing import Any, Protocol

import httpx

from tests.waiting import PATIENCE

Answers = dict[str, tuple[str, Any, dict[str, Any]]]
"""By idempotency key: the token, the move, and the answer that was got for it."""


class Served(Protocol):
    """A Kibitz, or what stands before some."""

    def client(self, token: str = "") -> httpx.Client:
        """One that asks it, as the player with that token."""
        ...


def patiently(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """The first answer that is no refusal for now: of those a busy machine may bring some. ``ask`` may ask twice."""
    latest = time.monotonic() + PATIENCE
    while (answer := ask()).status_code == 503:
        assert answer.headers["Retry-After"]
        assert time.monotonic() < latest, answer.text
        time.sleep(0.1)
    return answer


def guests(kibitz: Served, *names: str) -> list[str]:
    """New guests' tokens."""
    with kibitz.client() as http:
        return [http.post("/players", json={"name": name}).json()["token"] for name in names]


def open_match(kibitz: Served, **wanted: Any) -> tuple[str, list[str]]:
    """A match of three guests that is being played, and their tokens."""
    tokens = guests(kibitz, "Ann", "Ben", "Cyd")
    with kibitz.client(tokens[0]) as http:
        asked = {"game": "whos-the-ass", "seats": 3, "options": {"games": 4}} | wanted
        match: str = http.post("/matches", json=asked).json()["match"]
    for token in tokens:
        with kibitz.client(token) as http:
            assert http.post(f"/matches/{match}/seats", json={}).is_success
    return match, tokens


def bot_table(kibitz: Served, seats: int = 8, games: int = 20) -> str:
    """A match of bots only, which goes on for long, unless there are few games."""
    [host] = guests(kibitz, "Host")
    with kibitz.client(host) as http:
        asked = {"game": "whos-the-ass", "seats": seats, "options": {"games": games}}
        match: str = http.post("/matches", json=asked).json()["match"]
        assert http.post(f"/matches/{match}/bots", json={"seats": list(range(seats))}).is_success
    return match


def due(kibitz: Served, match: str, tokens: list[str]) -> tuple[str, list[Any]]:
    """Whoever's turn it is, and what that guest may do."""
    for token in tokens:
        with kibitz.client(token) as http:
            moves = patiently(lambda: http.get(f"/matches/{match}/moves")).json()["moves"]
        if moves:
            return token, moves
    raise AssertionError("nobody is due")


def version(kibitz: Served, match: str) -> int:
    with kibitz.client() as http:
        found: int = patiently(lambda: http.get(f"/matches/{match}")).json()["version"]
    return found


def play(kibitz: Served, match: str, tokens: list[str], answers: Answers, *, patient: bool = True) -> None:
    """Plays until the match is over or nobody answers any more. Every move that was answered is in ``answers``, and no
    answer is another than the move or a refusal for now. Who is not ``patient`` stops at the first of these.
    """
    clients = [kibitz.client(token) for token in tokens]

    def asked(http: httpx.Client, method: str, tail: str = "", **more: Any) -> httpx.Response:
        path = f"/matches/{match}{tail}"
        return patiently(lambda: http.request(method, path, **more)) if patient else http.request(method, path, **more)

    try:
        while asked(clients[0], "GET").json().get("status") == "playing":
            for token, http in zip(tokens, clients, strict=True):
                legal = asked(http, "GET", "/moves").json()
                if not legal.get("moves"):
                    continue
                key = f"key-{legal['version']}-{len(answers)}"
                move = legal["moves"][len(answers) % len(legal["moves"])]
                answer = asked(http, "POST", "/moves", json=move, headers={"Idempotency-Key": key})
                if answer.status_code == 503:
                    assert answer.headers["Retry-After"]
                    return
                assert answer.status_code == 200, answer.text
                answers[key] = token, move, answer.json()
    except httpx.TransportError:
        pass
    finally:
        for http in clients:
            http.close()


def frames(kibitz: Served, match: str, after: int, count: int) -> list[int]:
    """The ids of the first ``count`` frames of a match behind ``after``."""
    seen: list[int] = []
    headers = {"Last-Event-ID": str(after)}
    with kibitz.client() as http, http.stream("GET", f"/matches/{match}/stream", headers=headers) as stream:
        for line in stream.iter_lines():
            if line.startswith("id:"):
                seen.append(int(line.removeprefix("id:")))
                if len(seen) == count:
                    break
    return seen


def events_of(kibitz: Served, match: str) -> list[dict[str, Any]]:
    """All events of a match, page by page."""
    found: list[dict[str, Any]] = []
    with kibitz.client() as http:
        while True:
            asked = {"after": len(found), "limit": 100}
            answer = patiently(lambda: http.get(f"/matches/{match}/events", params=asked))  # noqa: B023 - at once
            page = answer.json()["events"]
            if not page:
                return found
            found += page


def check_stored(kibitz: Served, match: str, answers: Answers) -> None:
    """Every answer is in the record, once, and the record is sound."""
    events = events_of(kibitz, match)
    assert [event["version"] for event in events] == list(range(1, len(events) + 1))
    for _, _, answer in answers.values():
        for seen in answer["events"]:
            assert events[seen["version"] - 1]["hash"] == seen["hash"]
        assert events[answer["version"] - 1]["hash"] == answer["head"]
    with kibitz.client() as http:
        audit = patiently(lambda: http.get(f"/matches/{match}/audit")).json()
    assert audit["verdict"] in ("VALID", "INCOMPLETE")
