"""Somebody for every column of the table of rights, a match in every state that it knows, a request for every row."""

from dataclasses import dataclass
from typing import Any, Final

from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from services.ids import new_id, new_token, token_hash
from services.rights import EVERY_CARD
from tests.api.conftest import Service
from tests.api.guests import Guest, ok, open_match
from tests.waiting import PATIENCE

SEATS: Final = 3


@dataclass(frozen=True)
class Stage:
    """A match: whether it has spectators, how far it is, and who is there. ``case`` is a dispute about it, if any."""

    shown: bool
    far: str
    match: str
    path: str
    host: Guest
    seats: list[Guest]
    version: int
    case: str


FILLING, PLAYING, OVER = "filling", "playing", "over"
STATES: Final = tuple((shown, far) for shown in (True, False) for far in (FILLING, PLAYING, OVER))


async def staged(service: Service, far: str, *, shown: bool) -> Stage:
    """A match of that kind, whose host has no seat."""
    host = await service.guest("Host")
    path = await open_match(host, SEATS, spectators="open" if shown else "none")
    seats = [await service.guest(f"Seat {seat}") for seat in range(SEATS)]
    for who in seats[: SEATS - (far == FILLING)]:
        ok(await who.post(f"{path}/seats", {}))
    case = ""
    if far != FILLING:
        claim = {"first": 1, "last": 2, "claim": "Something is wrong with that."}
        case = (await seats[1].post(f"{path}/disputes", claim)).json()["dispute"]
    if far == OVER:
        for who in seats[1:]:
            ok(await who.post(f"{path}/resign"))
    version = ok(await seats[0].get(path))["version"]
    return Stage(shown, far, path.rpartition("/")[2], path, host, seats, version, case)


@dataclass(frozen=True)
class Asked:
    """A request, and what it is answered with where it is allowed: nothing of it may depend on who asks.

    ``states`` are the matches for which it is sent; ``alone`` says that match and people are its own, for what it does.
    """

    method: str
    path: str
    allowed: set[int]
    body: Any = None
    states: tuple[tuple[bool, str], ...] = ()
    alone: bool = False
    stream: bool = False


async def somebody(service: Service, role: str = "player") -> Guest:
    player, token = new_id(), new_token()
    await service.context.store.add_player(player, role.title(), token_hash(token), role)
    return Guest(service.http, player, role.title(), token)


async def whose(service: Service, column: str, stage: Stage | None) -> Guest | None:
    """Somebody whom the column is about; None sends no token."""
    match column:
        case "stranger":
            return None
        case "ended":
            gone = await service.guest("Gone")
            assert (await gone.delete("/v1/me/tokens")).status_code == 204
            return gone
        case "seated":
            return await service.guest() if stage is None else stage.seats[0]
        case "host":
            return await service.guest() if stage is None else stage.host
        case role:
            return await somebody(service, role)


async def status_of(service: Service, who: Guest | None, asked: Asked, stage: Stage | None) -> int:
    """What the request is answered with."""
    path = asked.path.format(
        path="" if stage is None else stage.path,
        version=0 if stage is None else stage.version,
        case=new_id() if stage is None else stage.case,
        new=new_id(),
        player="" if "{player}" not in asked.path else (await service.guest("Ben")).player,
    )
    auth = {} if who is None else who.auth
    if asked.method == "SOCKET":
        try:
            address = service.url.replace("http", "ws") + path
            async with connect(address, additional_headers=auth, open_timeout=PATIENCE):
                return 101
        except InvalidStatus as refused:
            return refused.response.status_code
    body = asked.body(stage) if callable(asked.body) else asked.body
    async with service.http.stream(asked.method, path, json=body, headers=auth) as answer:
        if not asked.stream:
            await answer.aread()
        status: int = answer.status_code
        return status


_RUN: Final = tuple(state for state in STATES if state[1] != FILLING)
_PLAY: Final = tuple(state for state in STATES if state[1] == PLAYING)


def _get(path: str, *statuses: int, **more: Any) -> Asked:
    return Asked("GET", path, set(statuses) or {200}, **more)


def _post(path: str, body: Any, *statuses: int, **more: Any) -> Asked:
    return Asked("POST", path, set(statuses), body, **more)


def _batch(stage: Stage | None) -> Any:
    return [{"match": new_id(), "key": "1", "move": {"type": "pass"}}]


REQUESTS: Final[dict[str, Asked]] = {
    "readPage": _get("/"),
    "readSignedInPage": _get("/signed-in?code=x&state=y&other=z"),
    "readClientFile": _get("/web/js/main.js"),
    "readVerifierFile": _get("/verifier/verify.js"),
    "readDocs": _get("/docs"),
    "readDocsFile": _get("/docs/nothing.js", 404),
    "readDocument": _get("/openapi.json"),
    "listProblems": _get("/problems"),
    "readProblem": _get("/problems/forbidden"),
    "isAlive": _get("/health/live"),
    "isReady": _get("/health/ready", 200, 503),
    "readMetrics": _get("/metrics"),
    "listGames": _get("/v1/games"),
    "readRulebook": _get("/v1/games/match/rulebook"),
    "createPlayer": _post("/v1/players", {"name": "Anna"}, 201),
    "readSignIn": _get("/v1/sign-in"),
    "beginSignIn": _post("/v1/sign-in", {}, 404),  # there is no provider here
    "finishSignIn": _post("/v1/sign-in/finish", {"state": "x", "secret": "x", "code": "x"}, 404),
    "readPlayer": _get("/v1/players/{player}"),
    "listPlayerMatches": _get("/v1/players/{player}/matches"),
    "readLeaderboard": _get("/v1/leaderboard"),
    "readMe": _get("/v1/me"),
    "renameMe": Asked("PATCH", "/v1/me", {200}, {"name": "Anna"}),
    "eraseMe": Asked("DELETE", "/v1/me", {204}, alone=True),
    "listTokens": _get("/v1/me/tokens"),
    "makeToken": _post("/v1/me/tokens", {}, 201, alone=True),
    "revokeToken": Asked("DELETE", "/v1/me/tokens/{new}", {404}),
    "revokeTokens": Asked("DELETE", "/v1/me/tokens", {204}, alone=True),
    "appointPlayer": _post("/v1/players/{player}/role", {"role": "arbiter"}, 200),
    "listAppointments": _get("/v1/roles"),
    "listMatches": _get("/v1/matches"),
    "openMatch": _post("/v1/matches", {"game": "whos-the-ass", "seats": 3}, 201),
    "takeSeat": _post("{path}/seats", {"seat": 63}, 409, 422, states=STATES),
    "leaveSeat": Asked("DELETE", "{path}/seats/me", {409}, states=_RUN),
    "seatBots": _post("{path}/bots", {"seats": [63]}, 409, 422, states=STATES),
    "revealSeed": _post("{path}/seed", {"seed": "x"}, 409, 422, states=STATES),
    "listMoves": _get("{path}/moves", states=STATES),
    "makeMove": _post("{path}/moves", {"type": "nothing"}, 400, states=STATES),
    "makeMoves": _post("/v1/moves:batch", _batch, 200),
    "checkMove": _post("{path}/moves/check", {"type": "nothing"}, 400, states=STATES),
    "resign": _post("{path}/resign", {}, 200, 409, states=STATES, alone=True),
    "readTable": _get("{path}", states=STATES),
    "listEvents": _get("{path}/events", states=STATES),
    "streamEvents": _get("{path}/stream?after={version}", 200, 204, states=STATES, stream=True),
    "openSocket": Asked("SOCKET", "{path}/socket", {101}, states=STATES),
    "readClock": _get("{path}/clock", states=STATES),
    "readScoreSheet": _get("{path}/score-sheet", states=STATES),
    "readReplayIndex": _get("{path}/replay", states=STATES),
    "readReplayStep": _get("{path}/replay/1", states=STATES),
    "exportMatch": _get("{path}/export", states=STATES),
    "auditMatch": _get("{path}/audit", states=STATES),
    "readBundle": _get("{path}/audit/bundle", states=STATES),
    "readKnowledge": _get("{path}/audit/knowledge?seat=0&at=1", states=STATES),
    EVERY_CARD: _get("{path}/replay/{version}?seat=all", states=_PLAY),
    "listDisclosures": _get("{path}/audit/disclosures", states=STATES),
    "listDisputes": _get("{path}/disputes", states=STATES),
    "readDispute": _get("/v1/disputes/{case}", states=_RUN),
    "openDispute": _post(
        "{path}/disputes", {"first": 1_000_000, "last": 1_000_000, "claim": "Wrong."}, 409, 422, states=STATES
    ),
    "ruleOnDispute": _post(
        "/v1/disputes/{case}/rulings", {"ruling": "upheld", "after": 99, "reason": "It was right."}, 409, states=_RUN
    ),
}
"""For every row of the table a request that says it all right, or wrong in a way that is seen after the right to it."""
