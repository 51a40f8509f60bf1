"""Who is counted as one: the address that a request comes from, or what a trusted proxy says that it is."""

from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

_LONGEST: Final = 45
"""No address is longer."""


def network(host: str) -> str:
    """What is counted as one caller: an IPv4 address, or the /64 that a site has of IPv6 and in which it may change its
    address. What is no address, which only a proxy can have said, is all counted as one.
    """
    try:
        address = ip_address(host if len(host) <= _LONGEST else "")
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Address(int(address) >> 64 << 64))
    return str(address)


class Proxies:
    """Whose word is taken for where a request comes from: addresses and networks. Raises ``ValueError`` for others."""

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        self.trusted = tuple(trusted)
        self._networks = [ip_network(text) for text in self.trusted]

    def __contains__(self, host: str) -> bool:
        try:
            return any(ip_address(host) in known for known in self._networks)
        except ValueError:
            return False
