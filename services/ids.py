"""Identifiers: of matches, players, commands and tokens, and the shard a match lives in."""

import hashlib
import re
import secrets
from functools import lru_cache
from typing import Final
from uuid import UUID

import uuid_utils

SHARDS: Final = (0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 13, 16, 24, 28, 41, 52)
"""The sixteen shard ids. On a distributed database each falls into a hash range of its own; 0 to 15 would not."""
LOWEST: Final = "00000000-0000-0000-0000-000000000000"
"""What every id comes after."""

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_VARIANT: Final = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}


def new_id() -> str:
    """A UUIDv7 (RFC 9562) as text: for matches and players."""
    return str(uuid_utils.uuid7())


def made_at(id_: str) -> int:
    """When a match, or a player who is no bot, was made, in milliseconds since 1970, as its id says."""
    return UUID(id_).int >> 80


def first_id(at: int) -> str:
    """An id above those of all matches and players that were made before ``at`` (milliseconds since 1970)."""
    digits = f"{max(0, min(at, (1 << 48) - 1)):012x}"
    return f"{digits[:8]}-{digits[8:]}-ffff-ffff-ffffffffffff"


@lru_cache(maxsize=65_536)
def shard_of(match: str) -> int:
    """The shard of a match: by the last four bits of its id. Raises ``ValueError`` for what is not a UUID."""
    return SHARDS[UUID(match).int & 0xF]


def command_id(secret: bytes, who: str, key: str, request: bytes) -> str:
    """A UUIDv8 that tells who sent which key (its first half) with which request (its second half).

    So the events of a command say by themselves whether a key was used before and whether the request was the same;
    and nobody can use up the key of another. Command ids are public, and a request may say what is hidden (a card given
    face down): without the server's ``secret`` an id tells nothing about it, not even by trying every card.
    """
    left = _code(secret, f"key\0{who}\0{key}".encode())[:8]
    right = _code(secret, b"request\0" + left + request)[:8]
    h = (left + right).hex()
    return f"{h[:8]}-{h[8:12]}-8{h[13:16]}-{_VARIANT[h[16]]}{h[17:20]}-{h[20:]}"


def key_part(command: str) -> str:
    """The half of a command id that stands for who and key."""
    return command[:18]


def key_number(command: str) -> int:
    """The same half as a number below 2**60: all of it but the digit that is the same in every command id."""
    return int(command[:8] + command[9:13] + command[15:18], 16)


def _code(secret: bytes, text: bytes) -> bytes:
    """HMAC-SHA-256 of ``text``. Both of its hashes have begun with the key, which is the greater part of the work."""
    inner, outer = _begun(secret)
    within, around = inner.copy(), outer.copy()
    within.update(text)
    around.update(within.digest())
    return around.digest()


@lru_cache(maxsize=16)
def _begun(secret: bytes) -> "tuple[hashlib._Hash, hashlib._Hash]":
    """The inner and the outer hash of HMAC (RFC 2104), begun with a secret that is no longer than a block."""
    key = secret.ljust(hashlib.sha256().block_size, b"\0")
    return hashlib.sha256(bytes(b ^ 0x36 for b in key)), hashlib.sha256(bytes(b ^ 0x5C for b in key))


def is_id(text: str) -> bool:
    """Whether ``text`` is a UUID as ids are written, in letters of either case."""
    return _UUID.fullmatch(text) is not None


def new_token() -> str:
    """A bearer token: 256 bits, base64url."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
