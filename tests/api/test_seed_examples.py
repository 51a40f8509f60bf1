"""The two examples that the rule book itself tells, played over HTTP: WX1 (a normal round) and WX2 (an ass round).

The cards of the examples are put into the deal by ordering the pack instead of shuffling it; everything else is the
service as it is.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from domain import fairness
from tests.api.conftest import Service
from tests.api.guests import Table, ok, problem

ARNO, BABS, CHRIS, DANNY, ERIK = range(5)
SEATS = 5

HANDS = {
    ARNO: ["6", "6", "6", "3", "3", "4", "4", "5", "5", "7", "7", "9"],  # and the ass
    BABS: ["8", "8", "J", "2", "9", "9", "9", "11", "11", "12", "12", "13", "13"],
    CHRIS: ["1", "1", "2", "2", "3", "3", "4", "4", "5", "5", "7", "7", "12"],
    DANNY: ["10", "10", "10", "2", "2", "6", "6", "8", "8", "11", "11", "13", "13"],
    ERIK: ["1", "1", "1", "3", "3", "4", "4", "5", "5", "7", "7", "9", "9"],
}


@pytest.fixture
def stacked_deck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 0 keeps the score, so seat 1 deals and seat 2 gets the first card; the ass falls to Arno."""
    first, dealt = 2, 39  # the ass is dealt as card number 39 at the latest

    def ordered(_key: bytes, _hand: int, _number: int, lists: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
        lots, cards, places = lists
        hands = {seat: list(hand) for seat, hand in HANDS.items()}
        place = next(n for n in range(dealt) if (first + n) % SEATS == ARNO)
        pile = [hands[(first + card) % SEATS].pop() for card in range(SEATS * 13) if card != place]
        rest = list(cards)
        for card in pile:
            rest.remove(card)
        return (
            tuple(sorted(lots)),
            (*pile, *rest),
            (str(place + 1), *(spot for spot in places if spot != str(place + 1))),
        )

    monkeypatch.setattr(fairness, "draw", ordered)


async def play(table: Table, seat: int, cards: Iterable[str], **declared: int) -> list[dict[str, Any]]:
    body = {"type": "play", "cards": list(cards), **declared}
    return ok(await table.guests[seat].post(f"{table.path}/moves", body))["events"]


async def refused(table: Table, seat: int, move: dict[str, Any], status: int = 422) -> dict[str, Any]:
    before = (await table.seen())["version"]
    answer = await table.guests[seat].post(f"{table.path}/moves", move)
    told = problem(answer, status, "out-of-turn" if status == 409 else "refused")
    assert (await table.seen())["version"] == before
    return told


async def dealt(service: Service) -> Table:
    table = await service.table(SEATS, options={"games": 1})
    seen = await table.seen(ARNO)
    assert seen["to_act"] == [ARNO]
    assert sorted(seen["table"]["hand"]) == sorted([*HANDS[ARNO], "ASS"])
    return table


def told(events: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [(event["type"], *(event["body"].get(name) for name in names)) for event in events]


@pytest.mark.usefixtures("stacked_deck")
async def test_wx1_three_tens_win_the_round_and_nine_cards_go_to_the_pile(service: Service):
    table = await dealt(service)
    assert told(await play(table, ARNO, ["6", "6", "6"]), "seat", "value") == [("CardsPlayed", ARNO, 6)]
    assert told(await play(table, BABS, ["8", "J", "8"]), "seat", "cards", "value") == [
        ("CardsPlayed", BABS, ["8", "8", "J"], 8)
    ]
    ok(await table.guests[CHRIS].post(f"{table.path}/moves", {"type": "pass"}))
    await play(table, DANNY, ["10", "10", "10"])
    last = ok(await table.guests[ERIK].post(f"{table.path}/moves", {"type": "pass"}))["events"]
    assert told(last, "seat", "value", "discarded") == [("Passed", ERIK, None, None), ("RoundWon", DANNY, 10, 9)]
    assert (await table.seen())["to_act"] == [DANNY]
    assert ok(await table.http.get(f"{table.path}/audit"))["verdict"] == "VALID"


@pytest.mark.usefixtures("stacked_deck")
async def test_wx2_danny_takes_the_ass_and_may_lead_it_in_the_round_after_next_only(service: Service):
    table = await dealt(service)
    # out of turn, and a pass by the starting player
    await refused(table, BABS, {"type": "pass"}, 409)
    await refused(table, ARNO, {"type": "pass"})
    events = await play(table, ARNO, ["ASS"])
    assert told(events, "seat") == [("AssPlayed", ARNO)]
    # nobody may pass in an ass round, nor play two cards
    passed = await refused(table, BABS, {"type": "pass"})
    assert passed["game"] == "whos-the-ass"
    assert passed["clause_text"]
    await refused(table, BABS, {"type": "play", "cards": ["8", "8"]})
    await play(table, BABS, ["2"])
    await play(table, CHRIS, ["1"])
    await play(table, DANNY, ["2"])
    last = await play(table, ERIK, ["1"])
    assert told(last, "seat", "cards") == [
        ("CardsPlayed", ERIK, ["1"]),
        ("AssCardsTaken", DANNY, ["1", "1", "2", "2", "ASS"]),
    ]
    seen = await table.seen(DANNY)
    assert seen["to_act"] == [DANNY]
    assert len(seen["table"]["hand"]) == 13 - 1 + 5
    # the ass lead is illegal in the next round
    await refused(table, DANNY, {"type": "play", "cards": ["ASS"]})
    assert {"type": "play", "cards": ["ASS"]} not in (await table.legal(table.guests[DANNY]))["moves"]
    await play(table, DANNY, ["13"])
    for seat in (ERIK, ARNO, BABS, CHRIS):
        ok(await table.guests[seat].post(f"{table.path}/moves", {"type": "pass"}))
    # and legal in the following one, if he starts
    assert {"type": "play", "cards": ["ASS"]} in (await table.legal(table.guests[DANNY]))["moves"]
    await play(table, DANNY, ["ASS"])


@pytest.mark.usefixtures("stacked_deck")
async def test_a_wrong_card_an_unknown_field_and_a_foreign_seat_change_nothing(service: Service):
    table = await dealt(service)
    await refused(table, ARNO, {"type": "play", "cards": ["10"]})
    await refused(table, ARNO, {"type": "play", "cards": ["6", "3"]})
    before = (await table.seen())["version"]
    unknown = await table.guests[ARNO].post(f"{table.path}/moves", {"type": "play", "cards": ["6"], "seat": 1})
    assert unknown.status_code == 400
    stranger = await service.guest("Somebody")
    foreign = await stranger.post(f"{table.path}/moves", {"type": "play", "cards": ["6"]})
    assert foreign.status_code == 403
    assert (await table.seen())["version"] == before
