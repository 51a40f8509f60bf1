"""What can be set from outside, by environment variables that start with ``KIBITZ_``."""

import os
import re
from collections.abc import Mapping
from typing import Annotated, Final

import msgspec

MOST_WORKERS: Final = 64
AGE: Final = "^([0-9]{1,6})([dhm])$"
"""So many days, hours or minutes."""
_ADDRESS: Final = re.compile(r"https://[^/]|http://(localhost|127\.0\.0\.1|\[::1\])(:|/|$)")


class Settings(msgspec.Struct, frozen=True):
    """``database_url`` and ``redis_url`` empty: servers of our own are started in the data folder.

    ``bot_pace`` is the time in seconds that a bot takes for a move; ``cors_origins`` the origins that may call the API
    from a browser page, ``("*",)`` for all. ``rate_players`` and ``rate_reads`` are how many guests one address may
    make, and how many audits and exports it may ask for without a seat, in a minute; 0 for any number. ``workers`` is
    how many processes serve. ``archive_after`` is how long a match has been over before ``kibitz archive`` takes it.

    ``token_life`` is how long a token lives. The ``oidc_`` ones name an OpenID provider at which people sign in, this
    service as it knows it, and the address to which it sends them back; without an issuer nobody can sign in.
    """

    database_url: str = ""
    redis_url: str = ""
    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8000
    data: str = "data"
    bot_pace: Annotated[float, msgspec.Meta(ge=0, le=3600)] = 1.0
    cors_origins: tuple[str, ...] = ()
    rate_players: Annotated[int, msgspec.Meta(ge=0)] = 600
    rate_reads: Annotated[int, msgspec.Meta(ge=0)] = 600
    log_level: str = "info"
    workers: Annotated[int, msgspec.Meta(ge=1, le=MOST_WORKERS)] = 1
    archive_after: Annotated[str, msgspec.Meta(pattern=AGE)] = "90d"
    token_life: Annotated[str, msgspec.Meta(pattern=AGE)] = "180d"  # noqa: S105 - how long, not which
    oidc_issuer: str = ""
    oidc_client_id: str = ""
    oidc_client_secret: str = ""
    oidc_redirect_uri: str = ""
    oidc_scope: str = "openid profile"


def seconds_in(age: str) -> int:
    """The seconds of so many days, hours or minutes. Raises ``ValueError`` for what does not say so."""
    found = re.fullmatch(AGE, age)
    if found is None:
        raise ValueError(f"{age!r} is not a number of days, hours or minutes, like 90d, 12h or 30m")
    return int(found[1]) * {"d": 24 * 3600, "h": 3600, "m": 60}[found[2]]


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that the environment names, defaults else. Raises ``ValueError`` naming what does not fit."""
    given: dict[str, object] = {}
    for field in msgspec.structs.fields(Settings):
        text = environment.get(f"KIBITZ_{field.name.upper()}")
        if text is not None:
            given[field.name] = (
                tuple(filter(None, map(str.strip, text.split(",")))) if field.name == "cors_origins" else text
            )
    try:
        settings = msgspec.convert(given, Settings, strict=False)
    except msgspec.ValidationError as error:
        wrong, _, name = str(error).rstrip("`").partition(" - at `$.")
        raise ValueError(f"KIBITZ_{name.upper()} does not fit: {wrong}") from error
    if not seconds_in(settings.token_life):
        raise ValueError("KIBITZ_TOKEN_LIFE does not fit: a token has to live for a while")
    _check_provider(settings)
    return settings


def _check_provider(settings: Settings) -> None:
    """Raises ``ValueError`` for a provider at which nobody could sign in safely."""
    if not settings.oidc_issuer:
        return
    for name in ("oidc_issuer", "oidc_client_id", "oidc_redirect_uri"):
        value: str = getattr(settings, name)
        if not value:
            raise ValueError(f"KIBITZ_{name.upper()} does not fit: with KIBITZ_OIDC_ISSUER it is needed")
        if name != "oidc_client_id" and not _ADDRESS.match(value):
            raise ValueError(f"KIBITZ_{name.upper()} does not fit: it begins with https://, but on this machine")
    if "openid" not in settings.oidc_scope.split():
        raise ValueError("KIBITZ_OIDC_SCOPE does not fit: without openid in it nobody learns who that is")
