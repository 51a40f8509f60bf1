"""Signing in: a guest becomes somebody who can come back, from any machine.

There are no cookies. Whoever begins a sign-in is given a secret and keeps it; the provider sends the browser back with
a code, and only code, state and secret together lead to a token. So a link to sign in that somebody else has made
leads nobody into that person's hands: the code is in one browser, the secret in another.
"""

import hmac
from typing import Any, Final

from litestar import Controller, Request, Response, get, post

from domain.hidden import b64u
from services.api.answers import answer
from services.api.caller import caller, token_of
from services.api.context import Context
from services.api.counting import count
from services.api.describe import Operation, described, json_answer
from services.api.identity_shapes import SignedIn, SignInBegun, SignInCode, SignInOffer
from services.api.names import LONGEST, name_of
from services.api.problems import Trouble, trouble
from services.api.reading import (
    context_of,
    decoded,
    host_of,
    idempotency_key,
    no_query,
    raw_body,
    says_nothing,
)
from services.api.shapes import Nothing
from services.ids import new_token, token_hash
from services.openid import Identity, Provider, ProviderAway, SignInRefused
from services.problems import KeyReused, NotFound
from services.store.accounts import LASTS

_TAG: Final = "Players"
_KEY_LENGTH: Final = 22
"""128 bits, base64url."""
_AGAIN: Final = {"Retry-After": "5"}
_NAMELESS: Final = "Player"
"""Who is new and has no name that can be shown: it can be changed."""
_GONE: Final = (
    "there is no such sign-in: it was not begun here, or was too long ago, or has been finished, or a token of who "
    "began has been ended since"
)

_OFFER: Final = Operation(
    name="readSignIn",
    tag=_TAG,
    summary="Can one sign in here?",
    token="none",  # noqa: S106
    answers=(json_answer(200, "Whether, and where.", SignInOffer),),
)
_BEGIN: Final = Operation(
    name="beginSignIn",
    tag=_TAG,
    summary="Begin to sign in",
    description=(
        "Send the browser to `address`, and keep `secret` where only this client finds it. The provider sends the "
        f"browser back, with `code` and `state`; that may take {LASTS / 60:.0f} minutes. A guest's token that comes "
        "along says which player is to get the account."
    ),
    token="optional",  # noqa: S106
    body=Nothing,
    optional_body=True,
    body_examples={"nothing": {}},
    key_length=_KEY_LENGTH,
    answers=(json_answer(201, "It has begun.", SignInBegun),),
    problems=("not-found", "too-many"),
)
_FINISH: Final = Operation(
    name="finishSignIn",
    tag=_TAG,
    summary="Finish to sign in",
    description=(
        "With what the provider has sent back and the secret of the one who began. `how` is `known` for somebody who "
        "has signed in before: it is the player of then, and the guest who began stays another. It is `linked` where "
        "that guest became the account's player, with all its matches, and `new` where a player was made. A sign-in "
        "leads to one token: it can be finished once, and with an `Idempotency-Key` its answer is given again."
    ),
    token="none",  # noqa: S106
    body=SignInCode,
    body_examples={"back": {"state": "4f7Qm0", "secret": "c2VjcmV0", "code": "SplxlOBeZQQYbYS6WxSbIA"}},
    key_length=_KEY_LENGTH,
    answers=(json_answer(200, "The player, and a token.", SignedIn, "Idempotent-Replay"),),
    problems=("not-found", "sign-in-refused", "key-reused"),
)


class SignInController(Controller):
    path = "/v1/sign-in"

    @get("/", opt=described(_OFFER))
    async def offer(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        provider = context_of(request).provider
        return answer(SignInOffer(provider is not None, None if provider is None else provider.name))

    @post("/", opt=described(_BEGIN))
    async def begin(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        key, context = idempotency_key(request, _KEY_LENGTH), context_of(request)
        guest, provider = await caller(request), _provider(context)
        says_nothing(await raw_body(request))
        await count(request, "players")
        state, secret = new_token(), new_token()
        if key is not None:
            known = b"\0".join((token_of(request) or b"", host_of(request).encode(), key.encode()))
            state, secret = await _derived(context, "state", known), await _derived(context, "secret", known)
        try:
            address = await provider.address(state, *await _own(context, state))
        except ProviderAway as error:
            raise _away(error) from error
        await context.store.begin_sign_in(
            token_hash(state), token_hash(secret), None if guest is None else guest.player
        )
        return answer(SignInBegun(address, state, secret), 201)

    @post("/finish", status_code=200, opt=described(_FINISH))
    async def finish(self, request: Request[Any, Any, Any]) -> Response[bytes]:
        no_query(request)
        key, context = idempotency_key(request, _KEY_LENGTH), context_of(request)
        provider, asked = _provider(context), decoded(await raw_body(request), SignInCode)
        if asked.iss not in (None, provider.issuer):
            raise trouble("sign-in-refused", "that came back from another provider (RFC 9207)")
        store, state = context.store, token_hash(asked.state)
        sent = (key or new_token()).encode() + b"\0" + token_hash(asked.state + asked.secret + asked.code)
        digest = hmac.digest(await store.server_secret(), b"finish\0" + sent, "sha256")
        taken = await store.take_sign_in(state, token_hash(asked.secret), digest)
        if taken is None:
            raise trouble("sign-in-refused", _GONE)
        if taken.granted is None:
            who = await _identity(context, provider, asked)
            signed = await store.sign_in(state, await _subject(context, provider, who), taken.player, _name(who))
            if signed is None:
                raise trouble("sign-in-refused", _GONE)
            player, how = signed.player, signed.how
        else:
            player, how = taken.granted, taken.how or "known"
        token = await _derived(context, "signed in", digest)
        made, first = await store.add_token(
            player, token_hash(token), life=context.token_life, claim=(digest, token_hash(token))
        )
        holder = await store.player(player)
        if made is None or holder is None:  # it was ended since, or the person is erased
            raise KeyReused
        again = {} if first is None else {"Idempotent-Replay": "true"}
        told = SignedIn(player, holder.name, token, made.expires, how)  # type: ignore[arg-type] # one of three words
        return answer(told, headers=again)


def _provider(context: Context) -> Provider:
    if context.provider is None:
        raise NotFound("way to sign in here")
    return context.provider


def _away(error: ProviderAway) -> Trouble:
    return trouble("unavailable", str(error), _AGAIN)


async def _identity(context: Context, provider: Provider, asked: SignInCode) -> Identity:
    """Who has come back from ``provider``. Raises a problem where it does not say, or does not answer."""
    try:
        return await provider.identity(asked.code, *await _own(context, asked.state))
    except SignInRefused as error:
        raise trouble("sign-in-refused", str(error)) from error
    except ProviderAway as error:
        raise _away(error) from error


async def _own(context: Context, state: str) -> tuple[str, str]:
    """Nonce and PKCE verifier of a sign-in: they follow from its state, for whoever has the server's secret."""
    return await _derived(context, "nonce", state.encode()), await _derived(context, "verifier", state.encode())


async def _derived(context: Context, what: str, known: bytes) -> str:
    secret = await context.store.server_secret()
    return b64u(hmac.digest(secret, f"sign-in {what}\0".encode() + known, "sha256"))


async def _subject(context: Context, provider: Provider, who: Identity) -> bytes:
    """What is kept of somebody who signs in: it can be found again, and not be read."""
    secret = await context.store.server_secret()
    return hmac.digest(secret, f"account\0{provider.issuer}\0{who.subject}".encode(), "sha256")


def _name(who: Identity) -> str:
    for name in who.names:
        try:
            return name_of(name[:LONGEST])
        except Trouble:
            continue
    return _NAMELESS
