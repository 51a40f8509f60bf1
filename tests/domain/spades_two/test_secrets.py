"""Two-handed Spades: what a viewer may not see makes no difference to that viewer, in any state."""

import random
import re
from collections import Counter
from itertools import chain
from typing import Any, Final

import msgspec
import pytest
from msgspec.structs import replace

from domain.cards import Card
from domain.game import DEALER, Viewer
from domain.hidden import seal
from domain.spades_two import GAME
from domain.spades_two.state import PACK, CardKept, HandScored, MatchWon, Options, State, in_order
from tests.domain.play import redact, seen, steps

SKIPPED = ("hidden", "drawer", "open")
VIEWERS: Final[tuple[Viewer, ...]] = (0, 1, "public")
CARD = re.compile(r'"((?:[2-9JQKA]|10)[SHDC])"')

every_option = pytest.mark.parametrize("skipped", SKIPPED)


def table(skipped: str, hands: int = 2) -> State:
    return GAME.initial(Options(max_hands=hands, skipped_card=skipped), 2)  # type: ignore[arg-type]


def known(state: State, viewer: Viewer) -> set[Card]:
    """The cards that ``viewer`` has been shown in this hand."""
    cards = [*state.trick, *chain.from_iterable(trick.cards for trick in state.tricks)]
    if state.options.skipped_card == "open":
        cards += chain.from_iterable(state.skipped)
    if isinstance(viewer, int):
        own = (state.hands, state.rejected, state.received, state.thrown)
        cards += chain.from_iterable(of_seats[viewer] or () for of_seats in own)
        cards += state.skipped[viewer] if state.options.skipped_card == "drawer" else ()
        cards += [state.drawn] if state.drawn is not None and state.turn == viewer else []
    return set(cards)


def otherwise(state: State, viewer: Viewer, chance: random.Random) -> State:
    """``state`` with all cards that ``viewer`` has not been shown in this hand put in each other's place."""
    free = [card for card in PACK if card not in known(state, viewer)]
    change: dict[Card, Card] = {card: card for card in PACK}
    change |= dict(zip(free, chance.sample(free, len(free)), strict=True))

    def changed(cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(change[card] for card in cards)

    def sorted_again(cards: tuple[Card, ...] | None) -> Any:
        return None if cards is None else in_order(changed(cards))  # None: no exchange yet

    return replace(
        state,
        hands=tuple(map(sorted_again, state.hands)),
        stock=changed(state.stock),
        drawn=None if state.drawn is None else change[state.drawn],
        rejected=tuple(map(sorted_again, state.rejected)),
        skipped=tuple(map(sorted_again, state.skipped)),
        thrown=tuple(map(sorted_again, state.thrown)),
        received=tuple(map(sorted_again, state.received)),
    )


def unrevealed(event: Any) -> Any:
    """``event`` without the cards that it shows somebody for the first time, which no two deals have in common."""
    kept = redact(event, None)
    return replace(kept, skipped="") if isinstance(event, CardKept) and isinstance(event.skipped, str) else kept


@every_option
def test_a_viewer_cannot_tell_two_deals_apart(skipped: str):
    chance = random.Random(skipped)
    pairs: Counter[str] = Counter()
    compared = 0
    for seed in range(6):
        for step in steps(GAME, table(skipped), seed):
            state = step.after
            if state.turn is None:
                continue
            for viewer in VIEWERS:
                twin = otherwise(state, viewer, chance)
                pairs[state.stage] += twin != state
                assert GAME.view(twin, viewer) == GAME.view(state, viewer)
                assert GAME.to_act(twin) == GAME.to_act(state)
                if isinstance(viewer, int):
                    assert GAME.legal(twin, viewer) == GAME.legal(state, viewer)
                    assert GAME.attempts(twin, viewer) == GAME.attempts(state, viewer)
                move = chance.choice(GAME.legal(state, state.turn))
                if move not in GAME.legal(twin, state.turn):
                    continue
                here, there = GAME.decide(state, state.turn, move), GAME.decide(twin, state.turn, move)
                if any(isinstance(event, HandScored) for event in (*here, *there)):
                    continue
                if state.stage in ("double_nil", "draft"):
                    assert [unrevealed(event) for event in here] == [unrevealed(event) for event in there]
                else:
                    assert [seen(event, viewer) for event in here] == [seen(event, viewer) for event in there]
                compared += len(here)
    print(f"skipped_card {skipped}: pairs {dict(pairs)}, {compared} events compared")
    assert min(pairs[stage] for stage in ("double_nil", "draft", "exchange", "bidding", "play")) > 5
    assert compared > 500


@every_option
def test_every_card_in_a_view_was_shown_to_the_viewer_by_an_event_of_the_hand(skipped: str):
    looked = 0
    for seed in range(6):
        shown_so_far: dict[Any, set[str]] = {viewer: set() for viewer in VIEWERS}
        for step in steps(GAME, table(skipped), seed):
            if step.seat == DEALER and step.before.stage == "deal":
                shown_so_far = {viewer: set() for viewer in VIEWERS}
            state = step.before
            for event in step.events:
                state = GAME.evolve(state, event)
                for viewer in VIEWERS:
                    shown_so_far[viewer] |= set(CARD.findall(msgspec.json.encode(seen(event, viewer)).decode()))
                    shown = set(CARD.findall(msgspec.json.encode(GAME.view(state, viewer)).decode()))
                    assert shown <= shown_so_far[viewer]
                    looked += len(shown)
    print(f"skipped_card {skipped}: {looked} cards looked at")
    assert looked > 10_000


@every_option
def test_openings_are_for_the_seats_that_the_information_lines_name(skipped: str):
    """Field by field, written down anew: who gets which opening."""
    audience: dict[tuple[str, str], Any] = {
        ("StockShuffled", "stock"): lambda seat: (),
        ("CardDrawn", "card"): lambda seat: (seat,),
        ("CardKept", "card"): lambda seat: (seat,),
        ("CardKept", "skipped"): lambda seat: (seat,) if skipped == "drawer" else (),
        ("CardRejected", "rejected"): lambda seat: (seat,),
        ("CardRejected", "taken"): lambda seat: (seat,),
        ("CardsThrown", "cards"): lambda seat: (seat,),
        ("ReplacementsDrawn", "cards"): lambda seat: (seat,),
    }
    met: Counter[tuple[str, str]] = Counter()
    for seed in range(6):
        for step in steps(GAME, table(skipped), seed):
            for event in step.events:
                for opening in seal(event, lambda _: bytes(16))[1]:
                    field = (type(event).__name__, opening.path)
                    assert opening.to == audience[field](getattr(event, "seat", None))
                    met[field] += 1
    print(f"skipped_card {skipped}: {sum(met.values())} openings")
    assert met.keys() == audience.keys() - ({("CardKept", "skipped")} if skipped == "open" else set())


def test_the_view_of_all_shows_every_card():
    for step in steps(GAME, table("hidden"), 3):
        shown = GAME.view(step.after, "all")
        found = CARD.findall(msgspec.json.encode(shown).decode())
        assert set(found) == set(PACK)


def test_a_card_that_the_opponent_got_back_stays_in_the_list_of_who_rejected_it():
    """Otherwise the list would tell what the opponent drew."""
    noticed = 0
    for seed in range(40):
        for step in steps(GAME, table("open"), seed):
            state = step.after
            if isinstance(step.events[-1], MatchWon):
                break
            for seat in range(2):
                back = set(state.received[1 - seat]) & set(state.rejected[seat])
                noticed += bool(back)
                assert back <= set(GAME.view(state, seat).rejected[seat] or ())
    assert noticed > 10
