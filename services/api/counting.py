"""Counting requests against the limits of the address that they come from."""

import asyncio
from ipaddress import IPv6Address, ip_address

from services.api.limits import Level, Limit
from services.api.problems import Trouble, trouble
from services.api.reading import AnyRequest, context_of


def count_read(request: AnyRequest, *, seated: bool) -> None:
    """Counts one expensive read, unless the caller sits at the table. Raises a 429 that says when to ask again."""
    if not seated:
        _spend(request, "reads", context_of(request).limits.reads)


def count_player(request: AnyRequest) -> None:
    """Counts one new guest. Raises a 429 that says when to ask again."""
    _spend(request, "players", context_of(request).limits.players)


def _spend(request: AnyRequest, name: str, limit: Limit) -> None:
    if limit.rate <= 0:
        return
    level = limit.take(_network(request), asyncio.get_running_loop().time())
    if not level.taken:
        context_of(request).metrics.limited(name)
        raise _too_many(limit, level)


def _too_many(limit: Limit, level: Level) -> Trouble:
    headers = {
        "Retry-After": str(level.next),
        "RateLimit-Limit": str(limit.rate),
        "RateLimit-Remaining": str(level.left),
        "RateLimit-Reset": str(level.full),
    }
    return trouble("too-many", f"this address may do that {limit.rate} times a minute", headers)


def _network(request: AnyRequest) -> str:
    """Who is counted: an IPv4 address, or the /64 that a site has of IPv6 and in which it may change its address."""
    host = request.client.host if request.client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Address(int(address) >> 64 << 64))
    return host
