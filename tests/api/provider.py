"""An OpenID provider on loopback: discovery, keys, authorization, and tokens for codes, each as the standards say.

``twist`` may change the claims and the header of the next ID tokens, so that a test can see what is made of wrong ones.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import parse_qs, parse_qsl, unquote, urlencode, urlsplit

import msgspec
import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey

from domain.hidden import b64u

CLIENT, SECRET = "kibitz", "a secret: with a colon"
REDIRECT: Final = "https://kibitz.example/signed-in"

Twist = Callable[[dict[str, Any], dict[str, Any]], None]


def straight(claims: dict[str, Any], header: dict[str, Any]) -> None:
    """Leaves everything as it is."""


class _Ascii(json.JSONEncoder):
    """Escapes what is not ASCII, halves of characters among it, as many providers do."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how | {"ensure_ascii": True})


class StandIn:
    """The provider. ``person`` are the claims of whoever sits before the browser now; ``asked`` counts requests."""

    def __init__(self) -> None:
        self.url = ""
        self.issuer = ""
        self.keys = [RSAKey.generate_key(2048, {"kid": "first", "use": "sig"}, auto_kid=False)]
        self.person: dict[str, Any] = {"sub": "ann-1", "name": "Ann of Elsewhere"}
        self.twist: Twist = straight
        self.signer: Any = None
        self.away = False
        self.redirect = REDIRECT
        self.asked: dict[str, int] = {}
        self._codes: dict[str, dict[str, str]] = {}

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def signs_in(self, address: str) -> dict[str, str]:
        """What the provider sends the browser back with that goes to ``address``."""
        asked = dict(parse_qsl(urlsplit(address).query))
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert asked["redirect_uri"] == self.redirect
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked | {"person": msgspec.json.encode(self.person).decode()}
        return {"code": code, "state": asked["state"], "iss": self.issuer}

    def exchanged(self, headers: dict[bytes, bytes], form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """The answer of the token endpoint: a code is taken once, from the client that began, with its verifier."""
        scheme, _, pair = headers.get(b"authorization", b"").decode().partition(" ")
        user, _, password = base64.b64decode(pair).decode().partition(":") if scheme == "Basic" else ("", "", "")
        if (unquote(user), unquote(password)) != (CLIENT, SECRET):
            return 401, {"error": "invalid_client"}
        begun = self._codes.pop(form.get("code", ""), None)
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).decode().rstrip("=")
        if begun is None or challenge != begun["code_challenge"] or form["redirect_uri"] != begun["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": begun["nonce"]}
        claims |= msgspec.json.decode(begun["person"])
        header = {"alg": "RS256", "kid": self.keys[-1].kid}
        self.twist(claims, header)
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self._signed(claims, header)}

    def _signed(self, claims: dict[str, Any], header: dict[str, Any]) -> str:
        if header["alg"] in ("none", "HS256"):  # no library does that
            parts = (msgspec.json.encode(part) for part in (header, claims))
            text = ".".join(b64u(part) for part in parts)
            known = self.keys[-1].as_pem(private=False)
            return f"{text}." + (b64u(hmac.digest(known, text.encode(), "sha256")) if header["alg"] == "HS256" else "")
        return jwt.encode(header, claims, self.signer or self.keys[-1], [header["alg"]], encoder_cls=_Ascii)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"]
        self.asked[path] = self.asked.get(path, 0) + 1
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        status, told, more = 200, dict[str, Any](), list[tuple[bytes, bytes]]()
        if self.away:
            status = 503
        elif path.endswith("/.well-known/openid-configuration"):
            told = self.metadata()
        elif path == "/keys":
            told = {"keys": [key.as_dict(private=False) for key in self.keys]}
        elif path == "/token":
            form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
            status, told = self.exchanged(dict(scope["headers"]), form)
        elif path == "/authorize":
            back = self.signs_in(f"{self.url}{path}?{scope['query_string'].decode()}")
            status, more = 302, [(b"location", f"{self.redirect}?{urlencode(back)}".encode())]
        else:
            status = 404
        headers = [(b"content-type", b"application/json"), *more]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": msgspec.json.encode(told)})


@asynccontextmanager
async def provided() -> AsyncIterator[StandIn]:
    """A provider that runs, on a free port."""
    provider = StandIn()
    config = uvicorn.Config(provider, host="127.0.0.1", port=0, log_config=None, lifespan="off", access_log=False)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    provider.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    provider.issuer = provider.url
    try:
        yield provider
    finally:
        server.should_exit = True
        await task


def known_to(provider: StandIn) -> dict[str, Any]:
    """The settings of a service that the provider knows."""
    return {
        "oidc_issuer": provider.issuer,
        "oidc_client_id": CLIENT,
        "oidc_client_secret": SECRET,
        "oidc_redirect_uri": provider.redirect,
    }
