"""What can be set from outside, by environment variables that start with ``KIBITZ_``."""

import os
from collections.abc import Mapping
from ipaddress import ip_network
from typing import Annotated, Final, Literal

import msgspec

MOST_WORKERS: Final = 64
AGE: Final = "^([0-9]{1,6})([dhm])$"
"""So many days, hours or minutes."""
_LISTS: Final = ("cors_origins", "trusted_proxies")

Rate = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
"""How often in a minute; 0 for any number."""
Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]


class Settings(msgspec.Struct, frozen=True):
    """``database_url`` and ``redis_url`` empty: servers of our own are started in the data folder.

    ``bot_pace`` is the time in seconds that a bot takes for a move; ``cors_origins`` the origins that may call the API
    from a browser page, ``("*",)`` for all. ``trusted_proxies`` are addresses and networks whose ``X-Forwarded-For`` is
    believed. The rates are how many guests, matches and disputes one address may make, and how many feeds, audits
    (``reads``) and exports it may ask for without a seat, in a minute; 0 for any number. ``rate_alone`` says what is
    done while Redis does not count them: each process counts by itself (``local``), nobody does (``open``), or what is
    counted is refused (``closed``). ``connections`` are those that a process has at most, ``address_connections`` those
    of one address (0: any number). ``head_seconds`` and ``body_seconds`` are how long the parts of a request may take
    to arrive, ``stall_seconds`` how long a reader may read nothing. ``hsts_seconds`` is how long browsers keep to
    HTTPS, 0 for not saying so. ``workers`` is how many processes serve. ``archive_after`` is how long a match has been
    over before ``kibitz archive`` takes it.
    """

    database_url: str = ""
    redis_url: str = ""
    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8000
    data: str = "data"
    bot_pace: Annotated[float, msgspec.Meta(ge=0, le=3600)] = 1.0
    cors_origins: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    rate_players: Rate = 600
    rate_matches: Rate = 300
    rate_disputes: Rate = 60
    rate_feeds: Rate = 1200
    rate_reads: Rate = 600
    rate_exports: Rate = 600
    rate_alone: Literal["local", "open", "closed"] = "local"
    connections: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 10_000
    address_connections: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 1000
    head_seconds: Seconds = 10.0
    body_seconds: Seconds = 30.0
    stall_seconds: Seconds = 60.0
    hsts_seconds: Annotated[int, msgspec.Meta(ge=0, le=10**9)] = 0
    log_level: str = "info"
    workers: Annotated[int, msgspec.Meta(ge=1, le=MOST_WORKERS)] = 1
    archive_after: Annotated[str, msgspec.Meta(pattern=AGE)] = "90d"


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that the environment names, defaults else. Raises ``ValueError`` naming what does not fit."""
    given: dict[str, object] = {}
    for field in msgspec.structs.fields(Settings):
        text = environment.get(f"KIBITZ_{field.name.upper()}")
        if text is not None:
            given[field.name] = tuple(filter(None, map(str.strip, text.split(",")))) if field.name in _LISTS else text
    try:
        settings = msgspec.convert(given, Settings, strict=False)
    except msgspec.ValidationError as error:
        wrong, _, name = str(error).rstrip("`").partition(" - at `$.")
        raise ValueError(f"KIBITZ_{name.upper()} does not fit: {wrong}") from error
    for proxy in settings.trusted_proxies:
        try:
            ip_network(proxy)
        except ValueError as error:
            raise ValueError(f"KIBITZ_TRUSTED_PROXIES does not fit: {error}") from error
    return settings
