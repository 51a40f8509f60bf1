"""What can be set from outside, by environment variables that start with ``KIBITZ_``, or by files that these name."""

import os
import re
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

import msgspec

MOST_WORKERS: Final = 64
LEVELS: Final = ("debug", "info", "warning", "error")
"""Of the log, the most talkative first."""
AGE: Final = "^([0-9]{1,6})([dhm])$"
"""So many days, hours or minutes."""
_AGES: Final = "a number of days, hours or minutes, like 90d, 12h or 30m"
_ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[^/?#@:A-Z\s\[\]]+)(:[0-9]{1,5})?")
"""Scheme, host and port as browsers write them: without a path, not even a stroke, and nothing of a user."""
_LOOPBACK: Final = frozenset(("localhost", "127.0.0.1", "::1"))
_LONGEST: Final = 65_536
"""Bytes in the file of a setting."""
_LISTS: Final = ("cors_origins", "trusted_proxies")

Age = Annotated[str, msgspec.Meta(pattern=AGE)]
Kept = Annotated[str, msgspec.Meta(pattern=f"^$|{AGE}")]
"""How long; nothing: for ever."""
Rate = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
"""How often in a minute; 0 for any number."""
Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]
_WANTED: Final = {
    "archive_after": f"is {_AGES}",
    "token_life": f"is {_AGES}",
    "keep_refusals": f"is {_AGES}, or empty: for ever",
    "keep_keys": f"is {_AGES}, or empty: for ever",
    "keep_guests": f"is {_AGES}, or empty: for ever",
    "rate_alone": "is one of local, open, closed",
    "otlp_endpoint": "begins with http:// or https://",
}


class Settings(msgspec.Struct, frozen=True):
    """Each is the variable ``KIBITZ_`` with its name in capitals; ``docs/cli.md`` lists them for whoever sets them."""

    database_url: str = ""
    redis_url: str = ""
    """Both empty: servers of our own are started in the data folder."""
    data: str = "data"
    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8000
    workers: Annotated[int, msgspec.Meta(ge=1, le=MOST_WORKERS)] = 1
    bot_pace: Annotated[float, msgspec.Meta(ge=0, le=3600)] = 1.0
    """Seconds that a bot takes for a move."""

    cors_origins: tuple[str, ...] = ()
    """Origins whose pages may call the API; ``*`` for all."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses and networks whose ``X-Forwarded-For`` is believed."""
    hsts_seconds: Annotated[int, msgspec.Meta(ge=0, le=10**9)] = 0
    """How long browsers keep to HTTPS; 0: they are not told to."""

    rate_players: Rate = 600
    rate_matches: Rate = 300
    rate_disputes: Rate = 60
    """How many of these one address may make."""
    rate_feeds: Rate = 1200
    rate_reads: Rate = 600
    rate_exports: Rate = 600
    """How many feeds, audits and exports one address may ask for without a seat."""
    rate_alone: Literal["local", "open", "closed"] = "local"
    """While Redis does not count: each process counts by itself, nobody does, or what is counted is refused."""

    connections: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 10_000
    address_connections: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 1000
    """Connections of one process, and of one address with it (0: any number)."""
    head_seconds: Seconds = 10.0
    body_seconds: Seconds = 30.0
    """How long the parts of a request may take to arrive."""
    stall_seconds: Seconds = 60.0
    """How long a reader may read nothing."""

    token_life: Age = "180d"  # noqa: S105 - how long, not which
    oidc_issuer: str = ""
    oidc_client_id: str = ""
    oidc_client_secret: str = ""
    oidc_redirect_uri: str = ""
    oidc_scope: str = "openid profile"
    """An OpenID provider at which people sign in, this service as it knows it, and the address to which it sends them
    back; without an issuer nobody can sign in.
    """

    backups: str = ""
    backups_kept: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 7
    """The folder of backups, empty for none: of the embedded PostgreSQL they are ours, and whatever it is, the ids of
    the erased are kept there. How many bases ``kibitz backup`` leaves.
    """
    archive_after: Age = "90d"
    """How long a match has been over before ``kibitz archive`` takes it."""
    keep_refusals: Kept = "400d"
    keep_keys: Kept = "30d"
    keep_guests: Kept = "90d"
    """How long ``kibitz retain`` keeps refused attempts at settled matches, keys of creations, guests who never sat."""

    log_level: str = "info"
    otlp_endpoint: Annotated[str, msgspec.Meta(pattern="^(https?://.+)?$")] = ""
    trace_share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    """A collector of traces, empty for none, and the share of all traces that it is told."""


def safe(address: str) -> bool:
    """Whether what goes to an address is for nobody else to read: by https, or by http to this machine."""
    try:
        parts = urlsplit(address)
        here = parts.scheme == "http" and parts.hostname in _LOOPBACK
        return here or (parts.scheme == "https" and bool(parts.hostname))
    except ValueError:
        return False


def seconds_in(age: str) -> int:
    """The seconds of so many days, hours or minutes. Raises ``ValueError`` for what does not say so."""
    found = re.fullmatch(AGE, age)
    if found is None:
        raise ValueError(f"{age!r} is not {_AGES}")
    return int(found[1]) * {"d": 24 * 3600, "h": 3600, "m": 60}[found[2]]


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that the environment or its files give, defaults else. Raises ``ValueError`` naming what does not
    fit.
    """
    given: dict[str, object] = {}
    for field in msgspec.structs.fields(Settings):
        text = said(f"KIBITZ_{field.name.upper()}", environment)
        if text is not None:
            given[field.name] = tuple(filter(None, map(str.strip, text.split(",")))) if field.name in _LISTS else text
    try:
        settings = msgspec.convert(given, Settings, strict=False)
    except msgspec.ValidationError as error:
        wrong, _, name = str(error).rstrip("`").partition(" - at `$.")
        raise ValueError(f"KIBITZ_{name.upper()} does not fit: {_why(name, wrong)}") from error
    if not seconds_in(settings.token_life):
        raise ValueError("KIBITZ_TOKEN_LIFE does not fit: a token has to live for a while")
    if settings.log_level.lower() not in LEVELS:
        raise ValueError(f"KIBITZ_LOG_LEVEL does not fit: it is one of {', '.join(LEVELS)}")
    _check_origins(settings)
    _check_proxies(settings)
    _check_provider(settings)
    return settings


def said(name: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """What the variable ``name`` says, or the file that ``name`` with ``_FILE`` behind it names, without the newline at
    its end: so a secret need not stand in the environment, which every child and every crash report gets to see.

    Raises ``ValueError`` where both are given, and for a file that cannot be read; what is in it is never repeated.
    """
    text, file = environment.get(name), environment.get(f"{name}_FILE")
    if file is None:
        return text
    if text is not None:
        raise ValueError(f"{name} does not fit: {name}_FILE is given, too; which of them is meant?")
    try:
        with Path(file).open("rb") as given:
            data = given.read(_LONGEST + 1)  # a wrong name may be that of a device without an end
        if len(data) > _LONGEST:
            raise ValueError(f"{name}_FILE does not fit: {file} is too long for a setting")
        return data.decode("utf-8").rstrip("\r\n")
    except OSError as error:
        raise ValueError(f"{name}_FILE does not fit: {file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise ValueError(f"{name}_FILE does not fit: {file} is no text in UTF-8") from None


def _why(name: str, wrong: str) -> str:
    """What would fit, where msgspec's own words do not say it. What a file may have given is not repeated."""
    return f"it {_WANTED[name]}" if name in _WANTED else wrong


def _check_origins(settings: Settings) -> None:
    """Raises ``ValueError`` for an origin that no browser sends: it would let nobody in, and nobody would know why."""
    for origin in settings.cors_origins:
        if origin not in ("*", "null") and _ORIGIN.fullmatch(origin) is None:
            raise ValueError(
                "KIBITZ_CORS_ORIGINS does not fit: an origin is written as browsers send it, like "
                "https://cards.example or http://localhost:5173, in small letters, with nothing behind it, not even /"
            )


def _check_proxies(settings: Settings) -> None:
    for proxy in settings.trusted_proxies:
        try:
            ip_network(proxy)
        except ValueError as error:
            raise ValueError(f"KIBITZ_TRUSTED_PROXIES does not fit: {error}") from error


def _check_provider(settings: Settings) -> None:
    """Raises ``ValueError`` for a provider at which nobody could sign in safely."""
    if not settings.oidc_issuer:
        return
    for name in ("oidc_issuer", "oidc_client_id", "oidc_redirect_uri"):
        value: str = getattr(settings, name)
        if not value:
            raise ValueError(f"KIBITZ_{name.upper()} does not fit: with KIBITZ_OIDC_ISSUER it is needed")
        if name != "oidc_client_id" and not safe(value):
            raise ValueError(
                f"KIBITZ_{name.upper()} does not fit: it begins with https://, or with http:// on this machine"
            )
    if "openid" not in settings.oidc_scope.split():
        raise ValueError("KIBITZ_OIDC_SCOPE does not fit: without openid in it nobody learns who that is")
