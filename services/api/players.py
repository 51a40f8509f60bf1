"""Players: a guest identity at once, under a name that can change and go."""

import hmac
from typing import Any, Final

from litestar import Controller, Request, Response, delete, get, patch, post

from domain.hidden import b64u
from services.api.answers import answer
from services.api.caller import known_caller, known_token
from services.api.counting import count
from services.api.describe import Answer, Operation, described, json_answer
from services.api.identity_shapes import Me, MyAccess, PlayerCreated
from services.api.names import name_of
from services.api.problems import unauthenticated
from services.api.reading import (
    AnyRequest,
    context_of,
    decoded,
    host_of,
    idempotency_key,
    no_query,
    path_id,
    raw_body,
    says_nothing,
)
from services.api.shapes import NewPlayer, Person
from services.api.tokens import TRUST_SECONDS
from services.ids import new_id, new_token, token_hash
from services.problems import KeyReused, NotFound

_TAG: Final = "Players"
_EXAMPLE: Final = {"name": "Anna"}
_KEY_LENGTH: Final = 22
"""128 bits, base64url."""

_CREATE: Final = Operation(
    name="createPlayer",
    tag=_TAG,
    summary="Become a guest",
    description=(
        "Gives an identity at once: an opaque id and a bearer token. The token is stored as a hash only and is shown "
        "this once; `POST /v1/me/tokens` gives others, before it ends. With an `Idempotency-Key` the same request from "
        "the same network address gets the same player and token again. Behind one proxy all have the same address: so "
        "the key must be one that nobody guesses, 128 random bits (a UUID, or base64url), and one of less than "
        f"{_KEY_LENGTH} characters is a 400."
    ),
    token="none",  # noqa: S106
    body=NewPlayer,
    body_examples={"guest": _EXAMPLE},
    key_length=_KEY_LENGTH,
    answers=(json_answer(201, "The player and the token.", PlayerCreated, "Idempotent-Replay"),),
    problems=("key-reused", "too-many"),
)
_ME: Final = Operation(
    name="readMe",
    tag=_TAG,
    summary="Who am I?",
    token="required",  # noqa: S106
    answers=(json_answer(200, "The caller.", MyAccess),),
)
_RENAME: Final = Operation(
    name="renameMe",
    tag=_TAG,
    summary="Change my name",
    description="Names stand in no event: the new name shows wherever the old one did.",
    token="required",  # noqa: S106
    body=NewPlayer,
    body_examples={"rename": _EXAMPLE},
    answers=(json_answer(200, "The caller.", Me),),
)
_ERASE: Final = Operation(
    name="eraseMe",
    tag=_TAG,
    summary="Erase me",
    description=(
        "Forgets the name, what was claimed in disputes and the words of attempts that were refused, revokes every "
        "token and parts the player from an account, for good: at once, but that another process of the service may "
        f"take moves with a token for up to {TRUST_SECONDS:.0f} seconds. The events of the matches stay as they are: "
        "they know an opaque id only. A body that says anything is refused."
    ),
    token="required",  # noqa: S106
    answers=(Answer(status=204, means="The person is forgotten."),),
)


_PLAYER: Final = Operation(
    name="readPlayer",
    tag=_TAG,
    summary="Who is that?",
    description="The name under which a player is known now. What the player has played is a list of its own.",
    token="none",  # noqa: S106
    answers=(json_answer(200, "The player.", Person),),
    problems=("not-found",),
)


class PlayersController(Controller):
    path = "/v1"

    @post("/players", opt=described(_CREATE))
    async def create(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        key = idempotency_key(request, _KEY_LENGTH)
        body = await raw_body(request)
        name = name_of(decoded(body, NewPlayer).name)
        await count(request, "players")
        player, token = new_id(), new_token()
        replayed = False
        if key is not None:
            player, token, replayed = await _claimed(request, key, name, player)
        context, digest = context_of(request), token_hash(token)
        await context.store.add_player(player, name, digest, life=context.token_life, again=False)
        made = await context.store.token(digest)
        if made is None:  # it was revoked since, or has ended: then the key stands for nobody any more
            raise KeyReused
        headers = {"Idempotent-Replay": "true"} if replayed else {}
        return answer(PlayerCreated(player, name, token, made.expires), 201, headers)

    @get("/players/{player:str}", opt=described(_PLAYER))
    async def player(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        known = await context_of(request).store.player(path_id(request, "player"))
        if known is None:
            raise NotFound("player")
        return answer(Person(known.player, known.name))

    @get("/me", opt=described(_ME))
    async def me(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        player, store = await known_caller(request), context_of(request).store
        held = await store.token(known_token(request))
        if held is None:  # it has ended just now
            raise unauthenticated("this token has ended", sent=True)
        account = await store.has_account(player.player)
        return answer(MyAccess(player.player, player.name, player.role, account, held.made, held.expires))

    @patch("/me", opt=described(_RENAME))
    async def rename(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        player = await known_caller(request)
        name = name_of(decoded(await raw_body(request), NewPlayer).name)
        await context_of(request).store.rename(player.player, name)
        return answer(Me(player.player, name, player.role))

    @delete("/me", status_code=200, opt=described(_ERASE))
    async def erase(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        player = await known_caller(request)
        says_nothing(await raw_body(request))
        await context_of(request).erasures.erase(player.player)
        context_of(request).tokens.forget()
        return answer(b"", 204)


async def _claimed(request: AnyRequest, key: str, name: str, player: str) -> tuple[str, str, bool]:
    """The player and token that ``key`` stands for, and whether it did before. Raises ``KeyReused`` for another name.

    The token follows from the key, so that it can be given again although only its hash is stored. The address goes
    in so that a key that is easy to guess is not enough to become somebody else.
    """
    store = context_of(request).store
    secret = await store.server_secret()
    digest = hmac.digest(secret, f"guest\0{host_of(request)}\0{key}".encode(), "sha256")
    fingerprint = hmac.digest(secret, b"name\0" + digest + name.encode(), "sha256")
    held, known = await store.claim("", digest, fingerprint, player)
    if known != fingerprint:
        raise KeyReused
    return held, b64u(hmac.digest(secret, b"token\0" + held.encode() + digest, "sha256")), held != player
