"""What checks the golden games: that it notices, in a stored match, whatever may go wrong with one."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from domain.event import chained
from domain.hidden import Opening, b64u, canonical, digest_of
from tests.domain.golden_games import Line, heads, store, stored, verified, verify
from tests.domain.match.drive import Drive

GOLDEN = Path(__file__).parent / "whos_the_ass" / "golden"
NAME = "resigned"

Change = Callable[[list[Line]], list[Line]]


def rechained(lines: list[Line]) -> list[Line]:
    """The same events in a chain that holds: what a forger would do who cannot forge anything else."""
    prev, out = "", []
    for line in lines:
        data = canonical({**msgspec.json.decode(line.data), "prev": prev})
        prev = b64u(chained(data))
        out.append(msgspec.structs.replace(line, data=data.decode()))
    return out


def body_changed(lines: list[Line], kind: str, change: Callable[[dict], None]) -> list[Line]:
    at, envelope = next(
        (at, found) for at, line in enumerate(lines) if (found := msgspec.json.decode(line.data))["type"] == kind
    )
    change(envelope["body"])
    return [*lines[:at], msgspec.structs.replace(lines[at], data=canonical(envelope).decode()), *lines[at + 1 :]]


def another_salt(lines: list[Line]) -> list[Line]:
    """The first opening with a salt that does not follow from the secret, and the digest that belongs to it."""
    at = next(at for at, line in enumerate(lines) if line.openings)
    first, *others = lines[at].openings
    opening = Opening(first.path, first.to, bytes(len(first.salt)), first.value)
    envelope = msgspec.json.decode(lines[at].data)
    field = envelope["body"]
    for step in opening.path.split("."):
        field = field[int(step)] if isinstance(field, list) else field[step]
    field["digest"] = digest_of(opening.salt, opening.value)
    line = msgspec.structs.replace(lines[at], data=canonical(envelope).decode(), openings=[opening, *others])
    return rechained([*lines[:at], line, *lines[at + 1 :]])


def without_an_opening(lines: list[Line]) -> list[Line]:
    return [msgspec.structs.replace(line, openings=line.openings[1:]) for line in lines]


CHANGES: dict[str, Change] = {
    "a byte": lambda lines: body_changed(lines, "MatchOpened", lambda body: body.update(host="another")),
    "an event less": lambda lines: [*lines[:5], *lines[6:]],
    "two events swapped": lambda lines: [*lines[:-2], lines[-1], lines[-2]],
    "an opening less": without_an_opening,
    "another salt": another_salt,
    "another anchor": lambda lines: rechained(
        body_changed(lines, "MatchOpened", lambda body: body.update(anchor=b64u(bytes(32))))
    ),
    "another seed": lambda lines: rechained(
        body_changed(lines, "SeedRevealed", lambda body: body.update(seed=b64u(bytes(32))))
    ),
    "another dealer": lambda lines: rechained(
        body_changed(lines, "CardsDealt", lambda body: body.update(dealer=(body["dealer"] + 1) % 3))
    ),
    "another card": lambda lines: rechained(
        body_changed(lines, "CardsPlayed", lambda body: body.update(cards=["1"], value=1))
    ),
    "another winner": lambda lines: rechained(
        body_changed(lines, "MatchEnded", lambda body: body.update(winners=[0]))
    ),
}  # fmt: skip


def test_a_stored_match_holds_and_so_does_its_chain_made_anew():
    lines = stored(GOLDEN, NAME)
    assert verify(lines).winners == (2,)
    assert rechained(lines) == lines


@pytest.mark.parametrize("change", CHANGES)
def test_a_match_that_was_changed_is_noticed(change: str):
    changed = CHANGES[change](stored(GOLDEN, NAME))
    assert changed != stored(GOLDEN, NAME)
    with pytest.raises((AssertionError, LookupError, ValueError, msgspec.MsgspecError)):
        verify(changed)


def test_a_match_is_written_once_and_never_again(tmp_path: Path):
    drive = Drive()
    drive.open(3)
    store(tmp_path, "first", drive)
    before = (tmp_path / "first.jsonl").read_bytes()
    store(tmp_path, "second", drive)
    with pytest.raises(FileExistsError):
        store(tmp_path, "first", drive)
    assert (tmp_path / "first.jsonl").read_bytes() == before
    assert list(heads(tmp_path)) == ["first", "second"]


def test_a_match_that_is_another_one_than_was_stored_is_noticed(tmp_path: Path):
    drive = Drive()
    drive.open(3)
    store(tmp_path, "match", drive)
    verified(tmp_path, "match")
    drive.sit("anna")
    (tmp_path / "match.jsonl").unlink()
    store(tmp_path / "other", "match", drive)
    (tmp_path / "other" / "match.jsonl").rename(tmp_path / "match.jsonl")
    with pytest.raises(AssertionError):
        verified(tmp_path, "match")
