"""Counting requests against the limits of the address that they come from."""

from typing import Any, Final

from services.api.addresses import network
from services.api.limits import Kind
from services.api.problems import trouble
from services.api.reading import AnyConnection, context_of, host_of
from services.feed import Level

_COUNTED: Final = "kibitz.counted"


async def count(request: AnyConnection, kind: Kind, *, seated: bool = False) -> None:
    """Counts one request of its kind, unless the caller sits at the table.

    Raises a 429 that says when to ask again. What is answered else says how many are left (``told_of``).
    """
    if seated:
        return
    limits = context_of(request).limits
    level = await limits.take(kind, network(host_of(request)))
    if level is None:
        return
    rate = limits.rate(kind)
    headers = _headers(rate, level)
    if not level.taken:
        context_of(request).metrics.limited(kind)
        detail = f"this address may do that {rate} times a minute"
        raise trouble("too-many", detail, {"Retry-After": str(level.next), **headers})
    request.scope[_COUNTED] = [(name.lower().encode(), value.encode()) for name, value in headers.items()]  # type: ignore[typeddict-unknown-key]


def told_of(scope: Any) -> list[tuple[bytes, bytes]]:
    """What an answer says of the limit that its request was counted against; nothing if it was not."""
    told: list[tuple[bytes, bytes]] = scope.get(_COUNTED, [])
    return told


def _headers(rate: int, level: Level) -> dict[str, str]:
    return {
        "RateLimit-Limit": str(rate),
        "RateLimit-Remaining": str(level.left),
        "RateLimit-Reset": str(level.full),
    }
