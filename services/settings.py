"""What can be set from outside, by environment variables that start with ``KIBITZ_``."""

import os
from collections.abc import Mapping
from typing import Annotated, Final

import msgspec

MOST_WORKERS: Final = 64
AGE: Final = "^([0-9]{1,6})([dhm])$"
"""So many days, hours or minutes."""


class Settings(msgspec.Struct, frozen=True):
    """``database_url`` and ``redis_url`` empty: servers of our own are started in the data folder.

    ``bot_pace`` is the time in seconds that a bot takes for a move; ``cors_origins`` the origins that may call the API
    from a browser page, ``("*",)`` for all. ``rate_players`` and ``rate_reads`` are how many guests one address may
    make, and how many audits and exports it may ask for without a seat, in a minute; 0 for any number. ``workers`` is
    how many processes serve. ``archive_after`` is how long a match has been over before ``kibitz archive`` takes it.
    ``otlp_endpoint`` is the address of a collector of traces, empty for none; ``trace_share`` the share of all traces
    that it is told, from 0 to 1.
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
    otlp_endpoint: Annotated[str, msgspec.Meta(pattern="^(https?://.+)?$")] = ""
    trace_share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0


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
        return msgspec.convert(given, Settings, strict=False)
    except msgspec.ValidationError as error:
        wrong, _, name = str(error).rstrip("`").partition(" - at `$.")
        raise ValueError(f"KIBITZ_{name.upper()} does not fit: {wrong}") from error
