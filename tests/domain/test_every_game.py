"""What holds for every game: its laws, checked by random legal play.

A new game gets all of this with its line in ``domain.games``, and adds one line to ``CARDS``. Its secrets and its
stored format have laws of their own: ``test_every_secret.py`` and ``test_every_format.py``.
"""

import random
from collections.abc import Callable, Mapping
from functools import cache, reduce
from itertools import product
from typing import Any, Union, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from domain import match
from domain.game import DEALER, AnyGame, Drawn, OutOfTurn, Refused
from domain.games import GAMES
from domain.hidden import canonical, seal
from tests.domain.play import LIMIT, absent, alternatives, start, steps, stored

CARDS: Mapping[str, tuple[int, Callable[[Any], int]]] = {
    "whos-the-ass": (
        110,
        lambda state: (
            sum(map(len, state.hands))
            + sum(len(turn.cards) for turn in state.table)
            + state.discarded
            + len(state.undealt)
        ),
    ),
    "osel-fours": (52, lambda state: sum(map(len, state.hands)) + len(state.aside)),
    **dict.fromkeys(
        ("osel-two-against-one", "osel-three-against-one"),
        (
            36,
            lambda state: (
                sum(map(len, (*state.hands, *state.piles))) + len(state.pot) + len(state.talon) + len(state.laid_away)
            ),
        ),
    ),
    "osel-trumps": (
        36,
        lambda state: (
            sum(map(len, state.hands))
            + sum(len(turn.cards) for turn in state.pot)
            + sum(map(len, state.piles))
            + len(state.stock)
        ),
    ),
    "spades-two": (
        52,
        lambda state: (
            sum(map(len, state.hands))
            + len(state.stock)
            + (state.drawn is not None)
            + state.discarded
            + sum(len(cards or ()) for cards in state.thrown)
            + len(state.trick)
            + 2 * len(state.tricks)
        ),
    ),
}
"""For each game the number of its cards, and the number that a state accounts for once they are dealt."""

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
seeds = some.integers(0, 2**32)
few = settings(max_examples=40, deadline=None)


@every_game
@few
@given(seed=seeds)
def test_a_match_ends_and_says_who_won(game: AnyGame, seed: int):
    table = start(game, seed)
    *_, last = steps(game, table, seed)
    outcome = game.outcome(last.after)
    assert outcome is not None
    assert sorted(seat for group in outcome.ranking for seat in group) == list(range(len(game.totals(table))))
    assert game.to_act(last.after) == frozenset()


@every_game
@few
@given(seed=seeds)
def test_a_match_of_absent_players_ends_too(game: AnyGame, seed: int):
    for count, step in enumerate(steps(game, start(game, seed), seed, absent)):
        assert count < LIMIT
        if step.seat != DEALER:
            assert step.command in game.legal(step.before, step.seat)


@every_game
@few
@given(seed=seeds)
def test_what_is_stored_folds_to_the_same_state(game: AnyGame, seed: int):
    table = start(game, seed)
    log: list[Any] = []
    played = table
    for step in steps(game, table, seed):
        log += step.events
        played = step.after
    decoded = [
        match.EVENTS.decode(entry.code, entry.schema, entry.data, entry.openings).body for entry in stored(game, log)
    ]
    assert reduce(game.evolve, decoded, table) == played


@every_game
@few
@given(seed=seeds)
def test_moves_survive_their_json(game: AnyGame, seed: int):
    decoder = msgspec.json.Decoder(Union[game.moves])
    for step in steps(game, start(game, seed), seed):
        if step.seat != DEALER:
            assert decoder.decode(msgspec.json.encode(step.command)) == step.command


@every_game
@few
@given(seed=seeds)
def test_every_question_has_an_answer_after_every_prefix(game: AnyGame, seed: int):
    state = start(game, seed)
    viewers = (*range(len(game.totals(state))), "public", "all")
    events = [event for step in steps(game, state, seed) for event in step.events]
    for event in events:
        state = game.evolve(state, event)
        game.outcome(state)
        game.chance(state)
        for viewer in viewers:
            msgspec.json.encode(game.view(state, viewer))
        for seat in range(len(game.totals(state))):
            moves, tries = game.legal(state, seat), game.attempts(state, seat)
            assert bool(moves) == (seat in game.to_act(state))
            assert not moves or game.fallback(state, seat) in moves
            assert len(tries) == len(set(map(msgspec.json.encode, tries)))


@every_game
@few
@given(seed=seeds)
def test_a_seat_that_is_not_due_can_do_nothing(game: AnyGame, seed: int):
    tried: list[Any] = []
    for step in steps(game, start(game, seed), seed):
        due = game.to_act(step.before)
        tried = [*tried[-5:], *([step.command] if step.seat != DEALER else [])]
        for seat in set(range(len(game.totals(step.before)))) - due:
            assert game.legal(step.before, seat) == []
            for move in (*tried, *game.attempts(step.before, seat)):
                with pytest.raises(OutOfTurn):
                    game.decide(step.before, seat, move)


@every_game
@few
@given(seed=seeds)
def test_only_the_dealer_brings_chance(game: AnyGame, seed: int):
    for step in steps(game, start(game, seed), seed):
        drawn = [event for event in step.events if type(event) in game.draws]
        if step.seat == DEALER:
            assert game.to_act(step.before) == {DEALER}
            assert len(drawn) <= 1
        else:
            assert drawn == []
            assert game.chance(step.before) == ()
        for seat in range(len(game.totals(step.before))):
            with pytest.raises(Refused):
                game.decide(step.before, seat, Drawn(game.chance(step.before)))


@every_game
@few
@given(seed=seeds)
def test_a_draw_that_is_not_an_order_of_what_was_named_is_refused(game: AnyGame, seed: int):
    for step in steps(game, start(game, seed), seed):
        if step.seat != DEALER:
            continue
        lists = step.command.lists
        wrong = [(), lists[1:], (*lists, ("1",))]
        for place, items in enumerate(lists):
            others = (items[1:], (*items, items[0]), ("?", *items[1:]))
            wrong += [(*lists[:place], other, *lists[place + 1 :]) for other in others]
        for changed in wrong:
            with pytest.raises(Refused):
                game.decide(step.before, DEALER, Drawn(changed))


@every_game
@few
@given(seed=seeds)
def test_the_same_draws_and_moves_give_the_same_match(game: AnyGame, seed: int):
    table = start(game, seed)
    again = table
    for step in steps(game, table, seed):
        events = game.decide(again, step.seat, step.command)
        assert events == step.events
        assert game.decide(again, step.seat, step.command) == events
        again = reduce(game.evolve, events, again)
        assert again == step.after


@every_game
@few
@given(seed=seeds)
def test_no_card_is_lost_or_made(game: AnyGame, seed: int):
    number, count = CARDS[game.id]
    state, dealt = start(game, seed), False
    for step in steps(game, state, seed):
        for event in step.events:
            state = game.evolve(state, event)
            dealt = dealt or type(event) in game.draws
            assert not dealt or count(state) == number


@every_game
@few
@given(seed=seeds)
def test_totals_are_the_sum_of_the_points_in_events(game: AnyGame, seed: int):
    table = start(game, seed)
    totals, hands = game.totals(table), 0
    for step in steps(game, table, seed):
        for event in step.events:
            if hasattr(event, "points"):
                totals = tuple(total + more for total, more in zip(totals, event.points, strict=True))
                hands += 1
                assert event.totals == totals
        assert game.totals(step.after) == totals
        assert game.hands(step.after) == hands


@every_game
def test_legal_is_exactly_what_decide_accepts(game: AnyGame):
    """By brute force: every move with up to three cards of the pack, at tables of every size."""
    tried = 0
    for seats in game.seats:
        chance = random.Random(seats)
        played = list(steps(game, start(game, seats, seats), seats))
        for step in chance.sample(played, min(len(played), 6)):
            for seat in game.to_act(step.before) - {DEALER}:
                legal = [_outcome(game, step.before, seat, move) for move in game.legal(step.before, seat)]
                moves = _every_small_move(game.id)
                accepted = {_outcome(game, step.before, seat, move) for move in moves} - {None}
                assert None not in legal
                assert len(set(legal)) == len(legal)
                assert accepted <= set(legal)
                tried += len(moves)
    print(f"{game.id}: {tried} moves tried")
    assert tried > 5_000


def _outcome(game: AnyGame, state: Any, seat: int, move: Any) -> bytes | None:
    """What a move leads to, or None if it is refused. Moves with one outcome are one move."""
    try:
        return b"".join(type(event).__name__.encode() + canonical(event) for event in game.decide(state, seat, move))
    except Refused:
        return None


@cache
def _every_small_move(name: str) -> list[Any]:
    game = GAMES[name]
    cards = (*_names_of_cards(game), "no such card")
    return [
        kind(*values)
        for kind in game.moves
        for values in product(*(tuple(alternatives(hint, cards, 3)) for hint in _fields(kind)))
    ]


def _fields(kind: type[msgspec.Struct]) -> list[Any]:
    hints = get_type_hints(kind)
    return [hints[name] for name in kind.__struct_fields__]


def _names_of_cards(game: AnyGame) -> tuple[str, ...]:
    """The distinct cards of a game: whatever its deals hide."""
    names = {
        card
        for step in steps(game, start(game, 1), 1)
        for event in step.events
        for opening in seal(event, lambda _: bytes(16))[1]
        for card in msgspec.json.decode(opening.value)
    }
    return tuple(sorted(names))
