"""Signing in at an OpenID provider, as OpenID Connect Core 1.0 has it: the code flow, with PKCE, state and nonce.

What is asked of the provider is who somebody is, once. Its access token is thrown away, and of the person nothing is
kept here. Keys and endpoints are asked for when they are first needed, and again when they are old.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

import httpx
import msgspec
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from domain.hidden import b64u
from services.settings import safe

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""How an ID token may be signed: by a key that only the provider has."""
LEEWAY: Final = 60
"""By how many seconds the clocks of the provider and of this machine may differ."""
_SECONDS: Final = 10.0
_KNOWN_SECONDS: Final = 3600.0
_LONGEST: Final = 255


class ProviderAway(Exception):
    """The provider does not answer, or not as one does. It may be asked again."""


class SignInRefused(Exception):
    """The provider does not say who that is, or what it says is not to be believed; the text says why."""


class Identity(msgspec.Struct, frozen=True):
    """Whom the provider knows by that ``subject``, which is theirs for ever; ``names`` are what it calls them."""

    subject: str
    names: tuple[str, ...]


class Metadata(msgspec.Struct, frozen=True):
    """What is used of an OpenID Provider Configuration (OpenID Connect Discovery 1.0, section 3)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)


class _Tokens(msgspec.Struct, frozen=True):
    id_token: str


class Provider:
    """A provider, and this service as the provider knows it. ``redirect_uri`` is where it sends people back to."""

    def __init__(self, issuer: str, client_id: str, client_secret: str, redirect_uri: str, scope: str) -> None:
        self.issuer = issuer
        self._client_id = client_id
        self._client_secret = client_secret
        self._redirect_uri = redirect_uri
        self._scope = scope
        self._http = httpx.AsyncClient(timeout=_SECONDS, headers={"Accept": "application/json"}, trust_env=False)
        self._asking = asyncio.Lock()
        self._metadata: tuple[Metadata, float] | None = None
        self._failed: tuple[str, float] = "", 0.0
        self._keys: KeySet | None = None

    @property
    def name(self) -> str:
        """What people know it by: its host."""
        return urlsplit(self.issuer).hostname or self.issuer

    async def close(self) -> None:
        await self._http.aclose()

    async def address(self, state: str, nonce: str, verifier: str) -> str:
        """Where somebody goes to sign in. Raises ``ProviderAway``."""
        endpoint = (await self._known()).authorization_endpoint
        asked = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": self._redirect_uri,
            "scope": self._scope,
            "state": state,
            "nonce": nonce,
            "code_challenge": b64u(hashlib.sha256(verifier.encode()).digest()),
            "code_challenge_method": "S256",
        }
        return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(asked)}"

    async def identity(self, code: str, nonce: str, verifier: str) -> Identity:
        """Who has come back with ``code``. Raises ``SignInRefused``, and ``ProviderAway``."""
        known = await self._known()
        asked = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_uri,
            "code_verifier": verifier,
        }
        auth: httpx.Auth | None = None
        if not self._client_secret:
            asked["client_id"] = self._client_id
        elif "client_secret_basic" in known.token_endpoint_auth_methods_supported:
            auth = httpx.BasicAuth(quote(self._client_id, safe=""), quote(self._client_secret, safe=""))
        else:
            asked |= {"client_id": self._client_id, "client_secret": self._client_secret}
        answer = await self._sent(self._http.build_request("POST", known.token_endpoint, data=asked), auth)
        if answer.is_client_error:
            raise SignInRefused("the provider does not accept the code")
        tokens = _read(answer, _Tokens)
        return _identity(await self._claims(known, tokens.id_token, nonce))

    async def _claims(self, known: Metadata, id_token: str, nonce: str) -> Mapping[str, Any]:
        """What the ID token says (section 3.1.3.7)."""
        registry = jwt.JWTClaimsRegistry(
            leeway=LEEWAY,
            iss={"essential": True, "value": self.issuer},
            sub={"essential": True},
            aud={"essential": True, "value": self._client_id},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        try:
            claims = (await self._decoded(known, id_token)).claims
            registry.validate(claims)
        except (JoseError, ValueError, TypeError) as error:
            raise SignInRefused(f"the provider's ID token is not to be believed: {error}") from error
        audience, party = claims["aud"], claims.get("azp")
        if (isinstance(audience, list) and len(audience) > 1 and party is None) or party not in (None, self._client_id):
            raise SignInRefused("the provider's ID token is for somebody else")
        return claims

    async def _decoded(self, known: Metadata, id_token: str) -> jwt.Token:
        """A signature that does not fit the keys that are known may be by a new one: then they are asked for again."""
        keys, fresh = self._keys, self._keys is None
        if keys is None:
            keys = await self._asked_keys(known)
        try:
            return jwt.decode(id_token, keys, algorithms=list(ALGORITHMS))
        except (JoseError, ValueError):
            if fresh:
                raise
        return jwt.decode(id_token, await self._asked_keys(known), algorithms=list(ALGORITHMS))

    async def _known(self) -> Metadata:
        """What the provider says of itself. Whoever waits while another asks in vain does not ask, too."""
        clock = asyncio.get_running_loop()
        came = clock.time()
        async with self._asking:
            now = clock.time()
            if self._metadata is None or now >= self._metadata[1]:
                if came < self._failed[1]:
                    raise ProviderAway(self._failed[0])
                try:
                    self._metadata, self._keys = (await self._asked_metadata(), now + _KNOWN_SECONDS), None
                except ProviderAway as error:
                    self._failed = str(error), clock.time()
                    raise
            return self._metadata[0]

    async def _asked_metadata(self) -> Metadata:
        address = self.issuer.rstrip("/") + "/.well-known/openid-configuration"
        found: Metadata = _read(await self._sent(self._http.build_request("GET", address)), Metadata)
        endpoints = found.authorization_endpoint, found.token_endpoint, found.jwks_uri
        if found.issuer != self.issuer or not all(map(safe, endpoints)):
            raise ProviderAway("the provider says that it is another, or has an address that is not safe")
        return found

    async def _asked_keys(self, known: Metadata) -> KeySet:
        answer = await self._sent(self._http.build_request("GET", known.jwks_uri))
        try:
            self._keys = KeySet.import_key_set(answer.json())
        except (JoseError, ValueError, TypeError, KeyError) as error:
            raise ProviderAway(f"the provider's keys cannot be read: {error}") from error
        return self._keys

    async def _sent(self, request: httpx.Request, auth: httpx.Auth | None = None) -> httpx.Response:
        try:
            answer = await self._http.send(request, auth=auth)
        except httpx.HTTPError as error:
            raise ProviderAway(f"the provider does not answer: {type(error).__name__}") from error
        if not answer.is_success and not (answer.is_client_error and request.method == "POST"):
            raise ProviderAway(f"the provider answers with status {answer.status_code}")
        return answer


def _read(answer: httpx.Response, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(answer.content, type=kind)
    except (msgspec.DecodeError, ValueError) as error:
        raise ProviderAway("the provider's answer cannot be read") from error


def _identity(claims: Mapping[str, Any]) -> Identity:
    subject = claims["sub"]
    if not (0 < len(subject) <= _LONGEST and _whole(subject)):
        raise SignInRefused("the provider's ID token names nobody")
    told = (claims.get(name) for name in ("name", "nickname", "preferred_username"))
    return Identity(subject, tuple(name for name in told if isinstance(name, str) and _whole(name)))


def _whole(text: str) -> bool:
    """Whether it is text: JSON can also name halves of characters, which nothing here can keep."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
