"""The caller's tokens: what there is of them, one more, and an end to one or to all."""

import hmac
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Controller, Request, Response, delete, get, post

from domain.hidden import b64u
from services.api.answers import answer
from services.api.caller import holder, known_caller, known_token
from services.api.describe import Answer, Operation, described, json_answer
from services.api.identity_shapes import NewToken, TokenLine, TokenMade
from services.api.names import label_of
from services.api.reading import context_of, decoded, idempotency_key, no_query, path_id, query, raw_body, says_nothing
from services.api.tokens import TRUST_SECONDS
from services.ids import new_token, token_hash
from services.problems import KeyReused, NotFound
from services.store.tokens import LISTED, MOST

_TAG: Final = "Players"
_ENDED: Final = (
    f" At once, but that another process of the service may take moves with it for up to {TRUST_SECONDS:.0f} seconds."
)


class RevokeQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    but: Annotated[Literal["this"] | None, msgspec.Meta(description="`this`: all but the token that is sent.")] = None


Tokens = Annotated[list[TokenLine], msgspec.Meta(max_length=LISTED)]

_LIST: Final = Operation(
    name="listTokens",
    tag=_TAG,
    summary="My tokens",
    description=f"Those that are valid, the oldest first: {MOST} at most. `current` is the one that is sent.",
    token="required",  # noqa: S106
    answers=(json_answer(200, "The tokens.", Tokens),),
)
_MAKE: Final = Operation(
    name="makeToken",
    tag=_TAG,
    summary="One more token",
    description=(
        "For another machine, or instead of the one that is sent: then `old_seconds` says how long that one lives on. "
        "With some seconds and an `Idempotency-Key` an answer that was lost is given again. A player has "
        f"{MOST} tokens at most: with one more, the one ends that would have ended first."
    ),
    token="required",  # noqa: S106
    body=NewToken,
    optional_body=True,
    body_examples={"another": {"label": "Phone"}, "rotate": {"old_seconds": 60}},
    answers=(json_answer(201, "The token, shown this once.", TokenMade, "Idempotent-Replay"),),
    problems=("key-reused",),
)
_REVOKE: Final = Operation(
    name="revokeToken",
    tag=_TAG,
    summary="End one of my tokens",
    description="The one that is sent may be ended, too: that is signing out." + _ENDED,
    token="required",  # noqa: S106
    answers=(Answer(status=204, means="It has ended."),),
    problems=("not-found",),
)
_REVOKE_ALL: Final = Operation(
    name="revokeTokens",
    tag=_TAG,
    summary="End all my tokens",
    description=(
        "A player without an account is nobody's afterwards: only a token says whose it is. With `but=this` the token "
        "that is sent lives on." + _ENDED
    ),
    token="required",  # noqa: S106
    query=RevokeQuery,
    answers=(Answer(status=204, means="They have ended."),),
)


class MyTokensController(Controller):
    path = "/v1/me/tokens"

    @get("/", opt=described(_LIST))
    async def listed(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        player, store = await known_caller(request), context_of(request).store
        own = await store.token(known_token(request))
        tokens = await store.tokens_of(player.player)
        return answer([TokenLine(t.id, t.label, t.made, t.expires, own is not None and t.id == own.id) for t in tokens])

    @post("/", opt=described(_MAKE))
    async def make(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        key, context = idempotency_key(request), context_of(request)
        player, sent = await known_caller(request), known_token(request)
        body = await raw_body(request) or b"{}"
        asked = decoded(body, NewToken)
        label, token, claim = label_of(asked.label), new_token(), None
        if key is not None:
            secret = await context.store.server_secret()
            digest = hmac.digest(secret, f"token\0{player.player}\0{key}".encode(), "sha256")
            claim = digest, hmac.digest(secret, b"request\0" + digest + body, "sha256")
            token = b64u(hmac.digest(secret, b"one more token\0" + digest + body, "sha256"))
        made, first = await context.store.add_token(
            player.player, token_hash(token), label=label, life=context.token_life, by=sent, claim=claim
        )
        if made is None:
            await holder(context, sent)  # whose token may have ended meanwhile: that is a 401
        if made is None or (claim is not None and first not in (None, claim[1])):
            raise KeyReused  # or the token of that key has ended since: it does not come back
        if asked.old_seconds is not None:
            await context.store.shorten(sent, asked.old_seconds)
            context.tokens.forget()
        headers = {} if first is None else {"Idempotent-Replay": "true"}
        return answer(TokenMade(made.id, made.label, token, made.made, made.expires), 201, headers)

    @delete("/{token:str}", status_code=200, opt=described(_REVOKE))
    async def revoke(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        player = await known_caller(request)
        says_nothing(await raw_body(request))
        if not await context_of(request).store.revoke(player.player, path_id(request, "token")):
            raise NotFound("token")
        context_of(request).tokens.forget()
        return answer(b"", 204)

    @delete("/", status_code=200, opt=described(_REVOKE_ALL))
    async def revoke_all(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        asked = query(request, RevokeQuery)
        player = await known_caller(request)
        says_nothing(await raw_body(request))
        kept = known_token(request) if asked.but else b""
        await context_of(request).store.revoke_all(player.player, kept)
        context_of(request).tokens.forget()
        return answer(b"", 204)
