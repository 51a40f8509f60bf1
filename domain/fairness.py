"""How a deal is made so that nobody chooses it and everybody can make it again.

The server fixes a chain of secrets before anybody sits down; seats commit to seeds of their own; when all have been
revealed, secret and seeds together order every list of a hand. Nothing here draws a random number: the same inputs
give the same deck for ever (HKDF is RFC 5869; why it is made like this is docs/adr/0005).
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from struct import Struct
from typing import Final

HANDS: Final = 512
"""N: how many hands the chain of one match has secrets for."""

_CHAIN: Final = b"kibitz/v1/chain\0"
_LONGEST: Final = 255 * 32
_WORDS: Final = Struct(">8I")


def secret_of(match: str, known: bytes, hand: int, above: int = HANDS) -> bytes:
    """``x_h`` from a later secret of the chain, ``known`` = ``x_above``. ``hand`` 0 is the published anchor.

    A step down: ``x_{j-1} = SHA-256(label || 0x00 || match || 0x00 || u16be(j) || x_j)``.
    Raises ``ValueError`` past the end of the chain: a secret that has been published must not serve again.
    """
    if not 0 <= hand <= above <= HANDS:
        raise ValueError(f"there is no way from secret {above} to secret {hand} of a chain of {HANDS}")
    secret, start = known, _CHAIN + match.encode() + b"\0"
    for number in range(above, hand, -1):
        secret = hashlib.sha256(start + number.to_bytes(2, "big") + secret).digest()
    return secret


def commitment(seed: bytes) -> bytes:
    return hashlib.sha256(seed).digest()


def hand_key(salt: bytes, secret: bytes, seeds: Iterable[bytes]) -> bytes:
    """The pseudorandom key of one hand (HKDF-Extract): from it come all its draws and all its salts."""
    return hmac.digest(salt, secret + b"".join(seeds), "sha256")


def expand(key: bytes, info: bytes, length: int) -> bytes:
    """HKDF-Expand. ``length`` is in bytes; raises ``ValueError`` for more than 8160."""
    if length > _LONGEST:
        raise ValueError(f"HKDF expands to {_LONGEST} bytes at most, not {length}")
    return b"".join(islice(_blocks(key, info), -(-length // 32)))[:length]


def _blocks(key: bytes, info: bytes) -> Iterator[bytes]:
    """T(1), T(2), ... of RFC 5869: 32 bytes each, 255 at most, made as they are asked for."""
    block = b""
    for count in range(1, 256):
        block = hmac.digest(key, block + info + bytes([count]), "sha256")
        yield block


def words(key: bytes, info: str) -> Iterator[int]:
    """32-bit big-endian words without end: the first 2040 from ``info``, then from ``info/1``, ``info/2``, ..."""
    name, block = info, 0
    while True:
        for data in _blocks(key, name.encode()):
            yield from _WORDS.unpack(data)
        block += 1
        name = f"{info}/{block}"


def shuffled(items: Sequence[str], stream: Iterator[int]) -> tuple[str, ...]:
    """``items`` in the order that ``stream`` gives: Fisher and Yates from the end, without modulo bias."""
    order = list(items)
    for place in range(len(order) - 1, 0, -1):
        other = _below(place + 1, stream)
        order[place], order[other] = order[other], order[place]
    return tuple(order)


def draw(key: bytes, hand: int, number: int, lists: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """The ``number``-th draw of a hand, counted from 1: its lists are shuffled one after another from one stream."""
    stream = words(key, f"kibitz/v1/draw/{hand}/{number}")
    return tuple(shuffled(items, stream) for items in lists)


def field_salt(key: bytes, hand: int, version: int, path: str) -> bytes:
    """The 16-byte salt of the hidden field at ``path`` of the event with that version."""
    return expand(key, f"kibitz/v1/salt/{hand}/{version}/{path}".encode(), 16)


def _below(bound: int, stream: Iterator[int]) -> int:
    limit = 2**32 - 2**32 % bound
    for word in stream:
        if word < limit:
            return word % bound
    raise AssertionError("the stream of words has no end")
