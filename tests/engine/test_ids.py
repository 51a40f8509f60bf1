"""Command ids: stored with every event, so they stay what they are whatever makes them."""

import hmac

import pytest

from services.ids import command_id, is_id, key_number, key_part

SECRET = bytes(range(32))
WHO, KEY, REQUEST = "00000000-0000-7000-8000-000000000001", "key-1", b'move{"type":"pass"}'


def test_a_command_id_is_made_of_two_codes():
    left = hmac.digest(SECRET, f"key\0{WHO}\0{KEY}".encode(), "sha256")[:8]
    right = hmac.digest(SECRET, b"request\0" + left + REQUEST, "sha256")[:8]
    id_ = command_id(SECRET, WHO, KEY, REQUEST)
    assert id_ == "18f3d4cb-6ed7-8971-b62a-777bf316391f"
    assert is_id(id_)
    plain = id_.replace("-", "")
    assert (plain[:12], plain[13:16]) == (left.hex()[:12], left.hex()[13:16])  # between them the version of a UUID
    assert plain[17:] == right.hex()[1:]  # and before them its variant


@pytest.mark.parametrize("request_", [REQUEST, b"", b"move{}"])
def test_the_half_for_the_key_is_the_same_whatever_is_asked_for(request_: bytes):
    first, second = command_id(SECRET, WHO, KEY, REQUEST), command_id(SECRET, WHO, KEY, request_)
    assert key_part(first) == key_part(second)
    assert key_number(first) == key_number(second)
    assert (first == second) == (request_ == REQUEST)
