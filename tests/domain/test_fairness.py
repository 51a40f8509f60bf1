"""The deal: commit, contribute, reveal. The tests hold the published derivation against a second implementation."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice, permutations, product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import fairness
from domain.cards import pack

GOLDEN = Path(__file__).parents[1] / "golden/fairness.json"
MATCH = "01890a5d-ac96-774b-bcce-b302099a8057"

quick = settings(deadline=None, max_examples=50)


# RFC 5869, appendix A: the vectors with SHA-256. Each: IKM, salt, info, PRK, OKM.
RFC_5869 = {
    "A.1": (
        "0b" * 22,
        bytes(range(0x0D)).hex(),
        bytes(range(0xF0, 0xFA)).hex(),
        "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
    ),
    "A.2": (
        bytes(range(0x50)).hex(),
        bytes(range(0x60, 0xB0)).hex(),
        bytes(range(0xB0, 0x100)).hex(),
        "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
        (
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
            "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
            "cc30c58179ec3e87c14c01d5c1f3434f1d87"
        ),
    ),
    "A.3": (
        "0b" * 22,
        "",
        "",
        "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
    ),
}


@pytest.mark.parametrize("case", RFC_5869)
def test_key_and_expansion_are_those_of_rfc_5869(case: str):
    secret, salt, info, key, output = map(bytes.fromhex, RFC_5869[case])
    assert fairness.hand_key(salt, secret, ()) == key
    assert fairness.expand(key, info, len(output)) == output


@pytest.mark.parametrize("length", [0, 1, 31, 32, 33, 8160])
def test_an_expansion_has_the_length_asked_for_and_begins_as_a_longer_one(length: int):
    assert fairness.expand(b"k", b"i", length) == fairness.expand(b"k", b"i", 8160)[:length]
    assert len(fairness.expand(b"k", b"i", length)) == length


def test_an_expansion_gives_8160_bytes_at_most():
    with pytest.raises(ValueError):
        fairness.expand(b"k", b"i", 8161)


def test_the_seeds_enter_the_key_after_the_secret_in_the_order_of_the_seats():
    assert fairness.hand_key(b"s", b"x", (b"0", b"1")) == hmac.digest(b"s", b"x01", "sha256")


# --- the chain of secrets ---


def test_a_link_is_the_hash_that_the_format_writes_down():
    written = b"kibitz/v1/chain" + b"\0" + MATCH.encode() + b"\0" + (300).to_bytes(2, "big") + b"\7" * 32
    assert fairness.secret_of(MATCH, b"\7" * 32, 299, 300) == hashlib.sha256(written).digest()


@quick
@given(st.binary(min_size=32, max_size=32), st.integers(1, fairness.HANDS))
def test_each_secret_links_to_the_one_before(last: bytes, hand: int):
    before, secret = (fairness.secret_of(MATCH, last, number) for number in (hand - 1, hand))
    assert fairness.secret_of(MATCH, secret, hand - 1, hand) == before


def test_the_chain_ends_in_its_random_bytes_and_begins_with_the_anchor():
    last = b"\x01" * 32
    assert fairness.secret_of(MATCH, last, fairness.HANDS) == last
    secret = last
    for number in range(512, 0, -1):
        secret = fairness.secret_of(MATCH, secret, number - 1, number)
    assert fairness.secret_of(MATCH, last, 0) == secret


def test_no_two_secrets_of_a_chain_and_no_two_chains_are_alike():
    secrets = [fairness.secret_of(MATCH, b"\x01" * 32, hand) for hand in range(0, 513, 64)]
    others = [fairness.secret_of(MATCH[:-1] + "8", b"\x01" * 32, hand) for hand in range(0, 512, 64)]
    assert len(set(secrets + others)) == len(secrets + others)


@pytest.mark.parametrize("hand", [-1, 513, 1000])
def test_there_is_no_secret_beyond_the_chain(hand: int):
    with pytest.raises(ValueError, match="chain of 512"):
        fairness.secret_of(MATCH, b"\x01" * 32, hand)


def test_a_commitment_is_the_sha_256_of_the_seed():
    assert fairness.commitment(b"seed") == hashlib.sha256(b"seed").digest()


# --- words, bounds, shuffles ---


def test_words_are_big_endian_and_go_on_past_2040_with_numbered_blocks():
    words = list(islice(fairness.words(b"key", "info"), 4090))
    for first, info in ((0, b"info"), (2040, b"info/1"), (4080, b"info/2")):
        data = fairness.expand(b"key", info, 40)
        assert words[first : first + 10] == [int.from_bytes(data[i : i + 4], "big") for i in range(0, 40, 4)]


@pytest.mark.parametrize(
    ("bound", "words", "place"),
    [
        (1, [0xFFFFFFFF], 0),
        (2, [0xFFFFFFFF], 1),
        (2**31, [0xFFFFFFFF], 2**31 - 1),
        (2**32, [0xFFFFFFFF], 2**32 - 1),
        (3, [0xFFFFFFFE], 2),
        (3, [0xFFFFFFFF, 7], 1),  # 2^32 mod 3 = 1: the last word is one too many
        (6, [0xFFFFFFFC, 0xFFFFFFFD, 0xFFFFFFFF, 5], 5),  # 2^32 mod 6 = 4
        (6, [0xFFFFFFFB], 5),
        (109, [2**32 - 2**32 % 109 - 1], 108),
        (109, [2**32 - 2**32 % 109, 0], 0),
        (2**31 + 1, [2**31 + 1, 2**31], 2**31),
    ],
)
def test_words_at_or_over_the_last_full_multiple_are_thrown_away(bound: int, words: list[int], place: int):
    stream = iter(words)
    assert fairness._below(bound, stream) == place
    assert list(stream) == []


@quick
@given(st.integers(1, 2**32), st.lists(st.integers(0, 2**32 - 1), min_size=1))
def test_a_place_is_below_its_bound(bound: int, words: list[int]):
    assert 0 <= fairness._below(bound, iter([*words, 0])) < bound


@quick
@given(st.lists(st.sampled_from("ABCDE")), st.binary())
def test_a_shuffle_moves_cards_and_neither_loses_nor_makes_one(cards: list[str], key: bytes):
    assert Counter(fairness.shuffled(cards, fairness.words(key, "i"))) == Counter(cards)


def test_every_order_comes_from_equally_many_words():
    orders = Counter(fairness.shuffled("ABCD", iter(words)) for words in product(range(4), range(3), range(2)))
    assert orders == Counter(permutations("ABCD"))


def test_a_shuffle_takes_a_word_for_each_place_but_the_first():
    stream = iter([0, 0, 0, 99])
    assert fairness.shuffled("ABCD", stream) == ("B", "C", "D", "A")
    assert list(stream) == [99]


@pytest.mark.parametrize("cards", ["", "A"])
def test_a_list_without_a_choice_takes_no_word(cards: str):
    assert fairness.shuffled(cards, iter(())) == tuple(cards)


def test_the_lists_of_a_draw_share_one_stream_and_each_draw_has_its_own():
    key = b"\x02" * 32
    deck, place = pack("2"), ("0", "1", "2")
    both = fairness.draw(key, 1, 1, (deck, place))
    stream = fairness.words(key, "kibitz/v1/draw/1/1")
    assert both == (fairness.shuffled(deck, stream), fairness.shuffled(place, stream))
    draws = {fairness.draw(key, hand, number, (deck,)) for hand, number in product((1, 2, 11), (1, 2, 11))}
    assert len(draws) == 9


def test_salts_have_16_bytes_and_differ_by_hand_version_and_field():
    key = b"\x02" * 32
    salts = [fairness.field_salt(key, *place) for place in product((1, 2), (7, 8), ("hands.0", "hands.1", "rest"))]
    assert {len(salt) for salt in salts} == {16}
    assert len(set(salts)) == 12


# --- a second implementation, written from the text of the format and not from the code ---


def by_the_book(case: dict[str, Any]) -> dict[str, Any]:
    match, hand, number = case["match"], case["hand"], case["number"]
    chain = {512: bytes.fromhex(case["last"])}
    for j in range(512, 0, -1):
        text = b"kibitz/v1/chain\x00%b\x00%b" % (match.encode(), j.to_bytes(2, "big"))
        chain[j - 1] = hashlib.sha256(text + chain[j]).digest()
    material = chain[hand] + bytes.fromhex("".join(case["seeds"]))
    key = hmac.new(bytes.fromhex(case["salt"]), material, hashlib.sha256).digest()
    stream = words_by_the_book(key, f"kibitz/v1/draw/{hand}/{number}")
    salt = hmac.new(key, f"kibitz/v1/salt/{hand}/9/hands.0".encode() + b"\x01", hashlib.sha256).digest()[:16]
    lists = [order_by_the_book(items.split(), lambda: next(stream)) for items in case["lists"]]
    return {"anchor": chain[0].hex(), "key": key.hex(), "drawn": lists, "salt_of_hands_0_of_event_9": salt.hex()}


def words_by_the_book(key: bytes, info: str) -> Iterator[int]:
    for block in count():
        name, data, last = (f"{info}/{block}" if block else info).encode(), b"", b""
        for i in range(1, 256):
            last = hmac.new(key, last + name + bytes([i]), hashlib.sha256).digest()
            data += last
        yield from (int.from_bytes(data[i : i + 4], "big") for i in range(0, 8160, 4))


def order_by_the_book(items: Sequence[str], word: Callable[[], int]) -> str:
    a = list(items)
    for i in range(len(a) - 1, 0, -1):
        lim = 2**32 - 2**32 % (i + 1)
        w = word()
        while not w < lim:
            w = word()
        a[i], a[w % (i + 1)] = a[w % (i + 1)], a[i]
    return " ".join(a)


VECTORS: list[dict[str, Any]] = msgspec.json.decode(GOLDEN.read_bytes())


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_the_deal_is_the_one_that_was_written_down(vector: dict[str, Any]):
    given, then = vector["given"], vector["then"]
    assert by_the_book(given) == then
    secret = fairness.secret_of(given["match"], bytes.fromhex(given["last"]), given["hand"])
    seeds = [bytes.fromhex(seed) for seed in given["seeds"]]
    key = fairness.hand_key(bytes.fromhex(given["salt"]), secret, seeds)
    drawn = fairness.draw(key, given["hand"], given["number"], [items.split() for items in given["lists"]])
    assert {
        "anchor": fairness.secret_of(given["match"], bytes.fromhex(given["last"]), 0).hex(),
        "key": key.hex(),
        "drawn": [" ".join(items) for items in drawn],
        "salt_of_hands_0_of_event_9": fairness.field_salt(key, given["hand"], 9, "hands.0").hex(),
    } == then
