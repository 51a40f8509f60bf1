"""Who may see what: the one function that decides, and the bytes that follow from it."""

import msgspec
import pytest

from domain.game import Viewer
from domain.hidden import Opening
from domain.match.rules import to_act
from services.disclosure import may_open, shown
from services.store.records import StoredEvent, StoredOpening
from tests.domain.match.drive import Drive

HAND = 2
ENTRY = StoredOpening(9, HAND, Opening("hands.1", (1, 3), bytes(16), b'["7"]'))


@pytest.mark.parametrize("seat", [1, 3])
def test_the_seats_that_a_value_is_for_see_it_at_once(seat: int):
    assert may_open(ENTRY, seat, 0)


@pytest.mark.parametrize("viewer", [0, 2, 4, -1, "public", "0", "1", "", None])
def test_nobody_else_does_until_the_hand_is_open(viewer: Viewer):
    assert not may_open(ENTRY, viewer, 0)
    assert not may_open(ENTRY, viewer, HAND - 1)
    assert may_open(ENTRY, viewer, HAND)


def test_what_belongs_to_no_hand_is_never_opened_by_one():
    assert not may_open(StoredOpening(9, 0, ENTRY.opening), "public", HAND)


@pytest.mark.parametrize("viewer", [0, 1, 2, "public", "all"])
def test_a_deal_shows_a_viewer_its_own_cards_and_no_others(viewer: Viewer):
    drive = Drive().start("ann", "bot1", "cid")
    assert to_act(drive.state)
    (deal,) = [logged for logged in drive.log if logged.openings]
    event = StoredEvent(0, 1, drive.match, deal.event.version, deal.code, 1, "", 0, deal.data, b"", b"")
    openings = [StoredOpening(event.version, 1, opening) for opening in deal.openings]

    (data,) = shown([event], openings, viewer, 0)

    body = msgspec.json.decode(data)["body"]
    assert ["value" in hand for hand in body["hands"]] == [viewer in (seat, "all") for seat in range(3)]
    assert ("value" in body["undealt"]) == (viewer == "all")
