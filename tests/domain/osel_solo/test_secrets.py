"""Osel, one against the rest: what a viewer may not see makes no difference to that viewer, in any state."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.cards import Card
from domain.game import DEALER, AnyGame, Seat, Viewer
from domain.hidden import Hidden, seal
from domain.osel import PACK, in_order
from domain.osel_solo import GAMES
from domain.osel_solo.score import first_asked, highest, is_void
from domain.osel_solo.state import CardPlayed, CardsAssigned, Options, Passed, State, TalonShared, others
from tests.domain.play import redact, seen, steps

every_form = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)


def options(number: int) -> Options:
    return Options(variant=number % 3 + 1, must_beat=("off", "on")[number // 3 % 2])  # type: ignore[arg-type]


def otherwise(state: State, viewer: Viewer, chance: random.Random) -> State | None:
    """``state`` with all cards dealt anew that ``viewer`` cannot see, or None if the past would then show it.

    What stays: the viewer's own cards, captured cards (all were seen), and cards that the viewer gave or got.
    """
    own = set(state.hands[viewer]) if isinstance(viewer, int) else set()
    known = {to.card for to in state.transfers if viewer in (to.giver, to.receiver)}
    known |= {to.card for to in state.assigned if viewer == to.giver}
    known |= {card for card in state.laid_away if viewer == state.soloist}
    places = [*state.hands, state.talon, state.laid_away]
    pool = [card for place in places for card in place if card not in own | known]
    chance.shuffle(pool)
    changed = [tuple(card if card in own | known else pool.pop() for card in place) for place in places]
    hands = tuple(in_order(hand) for hand in changed[: len(state.hands)])
    moved = {
        old: new
        for place, new_place in zip(places, changed, strict=True)
        for old, new in zip(place, new_place, strict=True)
    }
    twin = replace(
        state,
        hands=hands,
        talon=changed[-2],
        laid_away=in_order(changed[-1]),
        assigned=tuple(replace(to, card=moved[to.card]) for to in state.assigned),
        returned=tuple(replace(to, card=moved[to.card]) for to in state.returned),
        transfers=tuple(replace(to, card=moved.get(to.card, to.card)) for to in state.transfers),
    )
    return twin if could_be(twin) else None


def could_be(state: State) -> bool:
    """Whether what everybody knows of the auction and of the returns fits these cards, as far as they still tell."""
    if state.stage == "auction":
        assert state.dealer is not None
        left = [seat for seat in (*others(state.dealer, len(state.hands)), state.dealer) if seat not in state.passed]
        return (first_asked(state.hands, left),) == state.due and not is_void(state.hands, state.options.redeal)
    if state.stage == "returns":
        asked = [seat for seat in range(len(state.hands)) if len(highest(state.hands[seat])) > 1]
        waiting = {seat for seat in asked if seat != state.soloist}
        answered = {to.giver for to in state.returned}
        return waiting == {*state.due, *answered} and all(
            to.card in highest(state.hands[to.giver]) for to in state.returned
        )
    return True


def told(events: list[Any], other: list[Any], viewer: Viewer) -> Iterator[tuple[Any, Any]]:
    """The events of two tables side by side, until the rules tell something: who is asked, or the score.

    The cards that a viewer takes up itself are told too.
    """
    for one, two in zip(events, other, strict=False):
        if hasattr(one, "totals"):
            return
        if isinstance(one, Passed | TalonShared | CardsAssigned) and redact(one, viewer) != redact(two, viewer):
            return
        yield one, two
        taken = [hidden for hidden in fields_of(one) if viewer in hidden.to]
        if [hidden.value for hidden in taken] != [hidden.value for hidden in fields_of(two) if viewer in hidden.to]:
            return


def fields_of(event: Any) -> list[Hidden[Any]]:
    values = [getattr(event, name) for name in event.__struct_fields__]
    return [
        hidden
        for value in values
        for hidden in (value if isinstance(value, tuple) else (value,))
        if isinstance(hidden, Hidden)
    ]


@every_form
def test_a_viewer_cannot_tell_two_tables_apart_in_any_state(game: AnyGame):
    seats = game.seats[0]
    chance = random.Random(seats)
    compared, events, stages = 0, 0, set()
    for number in range(6):
        for step in steps(game, game.initial(options(number), seats), number):
            state = step.after
            if not state.due:
                continue
            for viewer in (chance.randrange(seats), state.due[0], "public"):
                twin = otherwise(state, viewer, chance)
                if twin is None or twin == state:
                    continue
                compared += 1
                stages.add(state.stage)
                events += assert_alike(game, state, twin, viewer, chance)
    print(f"{game.id}: {compared} pairs of states in {sorted(stages)}, {events} events compared")
    assert compared > 400
    expected = {"auction", "variant", "gifts", "laying_away", "play"}
    assert stages >= (expected if seats == 3 else expected | {"exchange"})


def assert_alike(game: AnyGame, state: State, twin: State, viewer: Viewer, chance: random.Random) -> int:
    assert game.view(twin, viewer) == game.view(state, viewer)
    assert msgspec.json.encode(game.view(twin, viewer)) == msgspec.json.encode(game.view(state, viewer))
    assert game.to_act(twin) == game.to_act(state)
    if isinstance(viewer, int):
        assert game.legal(twin, viewer) == game.legal(state, viewer)
        assert game.attempts(twin, viewer) == game.attempts(state, viewer)
    seat = chance.choice(state.due)
    move = chance.choice(game.legal(state, seat))
    if move not in game.legal(twin, seat):
        return 0
    count = 0
    for one, other in told(game.decide(state, seat, move), game.decide(twin, seat, move), viewer):
        if [hidden.value for hidden in fields_of(one) if viewer in hidden.to] == [
            hidden.value for hidden in fields_of(other) if viewer in hidden.to
        ]:
            assert redact(one, viewer) == redact(other, viewer)
            assert seen(one, viewer) == seen(other, viewer)
            count += 1
    return count


@every_form
def test_hidden_fields_are_for_the_seats_that_the_rules_name(game: AnyGame):
    seats = game.seats[0]
    met: dict[str, set[int]] = {}
    for number in range(6):
        for step in steps(game, game.initial(options(number), seats), number):
            for event in step.events:
                for opening in seal(event, lambda _: bytes(16))[1]:
                    name = f"{type(event).__name__}.{opening.path.split('.')[0]}"
                    met.setdefault(name, set()).add(len(opening.to))
                    place = int(opening.path.split(".")[1]) if "." in opening.path else None
                    assert opening.to == audience(event, opening.path.split(".")[0], place, seats)
    print(f"{game.id}: {met}")
    names = {"CardsDealt.hands", "CardsDealt.talon", "TalonTaken.cards", "CardsGiven.cards", "CardsLaidAway.cards"}
    names |= {"TalonShared.cards"}
    exchange = {"CardsAssigned.cards", "CardsExchanged.given", "CardsExchanged.returned"}
    assert set(met) - {"ReturnChosen.card"} == (names if seats == 3 else names | exchange)


def audience(event: Any, field: str, place: int | None, seats: int) -> tuple[Seat, ...]:
    match type(event).__name__, field:
        case "CardsDealt", "talon":
            return ()
        case (("CardsDealt" | "TalonShared"), _):
            assert place is not None
            return (place,)
        case (("CardsGiven" | "CardsExchanged"), _):
            assert place is not None
            return (event.seat, others(event.seat, seats)[place])
        case _:
            return (event.seat,)


@every_form
def test_no_view_names_a_card_that_its_viewer_may_not_know(game: AnyGame):
    seats = game.seats[0]
    looked = 0
    for number in range(3):
        known: dict[Viewer, set[Card]] = {}
        for step in steps(game, game.initial(options(number), seats), number):
            for event in step.events:
                if type(event) in game.draws:
                    known = {viewer: set() for viewer in (*range(seats), "public")}
                for viewer, cards in known.items():
                    cards |= set(cards_in(seen(event, viewer)))
            for viewer, cards in known.items():
                shown = msgspec.to_builtins(replace(game.view(step.after, viewer), last_hand=None))
                assert set(cards_in(shown)) <= cards
                looked += 1
    assert looked > 1000


def cards_in(value: Any) -> Iterator[Card]:
    match value:
        case str() if value in PACK:
            yield Card(value)
        case dict():
            yield from cards_in(list(value.values()))
        case list() | tuple():
            for item in value:
                yield from cards_in(item)
        case _:
            return


@every_form
def test_everybody_may_see_everything_of_a_hand_that_is_over_but_only_by_asking_for_all(game: AnyGame):
    state = next(steps(game, game.initial(options(0), game.seats[0]), 1)).after
    shown = game.view(state, "all")
    assert (shown.hands, shown.talon, shown.laid_away) == (state.hands, state.talon, state.laid_away)
    assert not {"piles", "sevens", "returned", "opener"} & set(shown.__struct_fields__)
    assert DEALER not in (state.due or ())
    assert CardPlayed.__struct_fields__ == ("seat", "card", "beats")
