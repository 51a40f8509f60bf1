"""The live table without a server: the leak law, and the fields around the game's own view."""

import random
from collections.abc import Sequence

import msgspec
import pytest
from msgspec.structs import replace

from domain.game import Viewer
from domain.games import GAMES
from domain.hidden import b64u
from domain.match import rules
from domain.match.state import State
from services.api.presence import Presence
from services.api.table_shapes import ClockView, LiveTable, SeatClock
from services.api.tables import live_table
from tests.domain.match.drive import GAME, HOST, MATCH, Drive, commitment_of, seed_of

VIEWERS: Sequence[Viewer] = (0, 1, 2, "public")
HEAD = b"\x01" * 32


def view(state: State, viewer: Viewer) -> LiveTable:
    return live_table(state, HEAD, viewer, {"ann": "Ann"}, None)


def started(**more: int) -> Drive:
    return Drive().start("ann", "bot1", "cid", **more)


def twin(state: State, viewer: Viewer, chance: random.Random) -> State:
    """The same table for ``viewer``: all cards that it cannot see are dealt anew, to hands of the same size.

    The ass stays where it is: everybody knows who holds it.
    """
    game = state.play
    unseen = [seat for seat in range(3) if seat != viewer]
    cards = [card for seat in unseen for card in game.hands[seat] if card != "ASS"] + list(game.undealt)
    chance.shuffle(cards)
    order = [*map(str, range(1, 14)), "J", "ASS"]
    hands = list(game.hands)
    for seat in unseen:
        own = [card for card in hands[seat] if card == "ASS"]
        own += [cards.pop() for _ in range(len(hands[seat]) - len(own))]
        hands[seat] = tuple(sorted(own, key=order.index))
    return replace(state, play=replace(game, hands=tuple(hands), undealt=tuple(sorted(cards, key=order.index))))


@pytest.mark.parametrize("viewer", VIEWERS)
def test_two_matches_that_differ_in_what_a_viewer_may_not_see_look_alike(viewer: Viewer):
    chance = random.Random(11)
    drive, compared = started(games=2), 0
    for _ in drive.play(chance.choice):
        if drive.state.status != "playing":
            break
        other = twin(drive.state, viewer, chance)
        assert view(other, viewer) == view(drive.state, viewer)
        assert msgspec.json.encode(view(other, viewer)) == msgspec.json.encode(view(drive.state, viewer))
        assert rules.to_act(other) == rules.to_act(drive.state)
        assert rules.deadline(other) == rules.deadline(drive.state)
        compared += other != drive.state
    print(f"{compared} pairs compared")
    assert compared > 40


def test_who_may_see_every_card_sees_the_difference():
    drive, chance = started(), random.Random(1)
    other = twin(drive.state, "public", chance)
    assert view(other, "all") != view(drive.state, "all")


def test_no_view_holds_a_seed_a_commitment_or_a_secret():
    drive = Drive()
    drive.open(3)
    secrets = [drive.hand_secret()]
    for player in ("ann", "bob", "cid"):
        drive.sit(player)
        secrets += [commitment_of(player), b64u(seed_of(player))]
    drive.reveal("ann")
    for viewer in (*VIEWERS, "all"):
        seen = msgspec.json.encode(view(drive.state, viewer)).decode()
        assert not any(secret in seen for secret in secrets)


def test_an_open_match_shows_its_seats_and_who_has_committed_and_revealed():
    drive = Drive()
    drive.open(3, clock=30, games=2)
    drive.bot("bot1", 2)
    seen = view(drive.state, "public")
    assert [(seat.seat, seat.player, seat.name, seat.kind, seat.level) for seat in seen.seats] == [
        (0, None, None, None, ""),
        (1, None, None, None, ""),
        (2, "bot1", "", "bot", "random"),
    ]
    assert [(seat.committed, seat.custody, seat.resigned) for seat in seen.seats] == [
        (False, None, False),
        (False, None, False),
        (True, "server", False),
    ]
    assert (seen.match, seen.game, seen.host, seen.status, seen.version) == (MATCH, GAME, HOST, "open", 2)
    assert (seen.head, seen.you, seen.deadline) == (b64u(HEAD), None, rules.deadline(drive.state))
    assert seen.clock is not None
    assert (seen.clock.deadline, seen.spectators, seen.hand) == (None, "open", 0)
    assert (seen.to_act, seen.winners) == ([], [])
    assert seen.options == {"games": 2, "time_limit_min": 0, "ass_round_joker": "choose", "dealer": "rotate"}
    drive.sit("ann")
    drive.sit("bob")
    drive.reveal("bob")
    assert [(seat.committed, seat.revealed) for seat in view(drive.state, 0).seats] == [
        (True, False),
        (True, True),
        (True, True),
    ]


def test_a_running_match_shows_the_table_whose_turn_it_is_and_the_scores():
    drive = started(games=2)
    seen = view(drive.state, 0)
    assert (seen.status, seen.hand, seen.scores) == ("playing", 1, [0, 0, 0])
    assert (seen.to_act, seen.you) == (sorted(rules.to_act(drive.state)), 0)
    assert seen.table == GAMES[GAME].view(drive.state.play, 0)
    assert (seen.version, seen.at) == (len(drive.log), drive.at)


def test_a_finished_match_shows_totals_and_winners():
    drive = started(games=2)
    for _ in drive.play(random.Random(2).choice):
        pass
    seen = view(drive.state, "public")
    assert (seen.status, seen.hand, seen.to_act) == ("finished", 2, [])
    assert (seen.scores, seen.winners) == (list(drive.state.totals), list(drive.state.winners))
    assert seen.winners


def test_a_resigned_seat_is_shown_as_such():
    drive = Drive().start("ann", "bob", "cid")
    drive.resign("bob")
    assert [seat.resigned for seat in view(drive.state, "public").seats] == [False, True, False]


def test_a_clock_says_when_the_turn_ends_and_who_is_there_is_connected():
    drive = Drive().start("ann", "bot1", "cid", clock=30)
    presence = Presence()
    presence.come(MATCH, "ann")
    seen = live_table(drive.state, HEAD, "public", {"ann": "Ann"}, presence)
    assert seen.clock is not None
    assert (seen.clock.turn_seconds, seen.clock.bank_seconds) == (30, None)
    assert seen.clock.deadline == seen.deadline == drive.at + 30_000
    assert [(seat.name, seat.connected) for seat in seen.seats] == [("Ann", True), ("", True), ("", False)]


def test_every_seat_that_is_due_has_a_clock_of_its_own():
    drive = Drive().start("ann", "bob", game="osel-fours", return_mode="sealed", clock=30, bank=60)
    begun = drive.at
    drive.act(0, drive.legal(0)[0], 40_000)
    clock = view(drive.state, "public").clock
    assert clock == ClockView(
        turn_seconds=30,
        bank_seconds=60,
        deadline=begun + 90_000,
        seats=[
            SeatClock(seat=0, since=None, deadline=None, bank_ms=50_000),
            SeatClock(seat=1, since=begun, deadline=begun + 90_000, bank_ms=60_000),
        ],
    )
    drive.act(1, drive.legal(1)[0], 0)
    clock = view(drive.state, "public").clock
    assert clock is not None
    assert [(seat.since, seat.bank_ms) for seat in clock.seats] == [(drive.at, 50_000)] * 2
    assert view(drive.state, "public").deadline == drive.at + 80_000
