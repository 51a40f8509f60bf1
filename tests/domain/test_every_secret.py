"""The leak law, for every game: what a viewer may not see makes no difference to what that viewer gets."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any

import msgspec
import pytest

from domain.game import DEALER, AnyGame, Drawn, Refused
from domain.games import GAMES
from domain.hidden import canonical, hides, seal
from tests.domain.play import redact, seen, start, steps, stored

_SOLO = frozenset(
    {
        "Passed.asked",
        "TalonTaken.cards",
        "TalonShared.cards",
        "TalonShared.leader",
        "CardsAssigned.asked",
        "CardsExchanged.given",
        "CardsExchanged.returned",
    }
)
NEWS: Mapping[str, frozenset[str]] = {
    "spades-two": frozenset({"CardDrawn.card", "CardKept.skipped", "CardRejected.taken"}),
    "osel-trumps": frozenset({"HandsRefilled.drawn", "HandsRefilled.asked", "ClaimDeclined.asked"}),
    "osel-two-against-one": _SOLO,
    "osel-three-against-one": _SOLO,
}
"""For each game the fields of events that tell by the rules what was hidden until then: deals may differ in them."""

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


@every_game
def test_what_a_viewer_may_not_see_changes_nothing_for_that_viewer(game: AnyGame):
    """The leak law: of two deals that a viewer could not tell apart so far, one gives it what the other does."""
    compared = 0
    for seed in range(60):
        chance = random.Random(seed)
        table = start(game, seed)
        viewer = chance.choice((*range(len(game.totals(table))), "public"))
        hand: list[Any] = []
        for step in steps(game, table, seed):
            hand = [step] if any(type(event) in game.draws for event in step.events) else [*hand, step]
            if chance.random() < 0.03:
                break
        if len(hand) < 2:
            continue
        *past, step = hand
        twin = _twin(game, past, viewer, chance)
        if twin == past[-1].after:
            continue
        compared += 1
        state = past[-1].after
        assert canonical(game.view(twin, viewer)) == canonical(game.view(state, viewer))
        assert game.view(twin, viewer) == game.view(state, viewer)
        assert game.to_act(twin) == game.to_act(state)
        if viewer != "public":
            assert game.legal(twin, viewer) == game.legal(state, viewer)
            assert game.attempts(twin, viewer) == game.attempts(state, viewer)
        for seat in game.to_act(state) - {DEALER}:
            for move in game.legal(state, seat):
                if move in game.legal(twin, seat):
                    _assert_same_events(game, state, twin, seat, move, viewer)
    print(f"{game.id}: {compared} pairs compared")
    assert compared > 20


def _assert_same_events(game: AnyGame, state: Any, twin: Any, seat: int, move: Any, viewer: Any) -> None:
    """Until the hand is over: then all cards are shown."""
    here, there = game.decide(state, seat, move), game.decide(twin, seat, move)
    ends = (game.hands(reduce(game.evolve, events, before)) for events, before in ((here, state), (there, twin)))
    if max(ends) > game.hands(state):
        here = [event for event in here if not hasattr(event, "totals")]
        there = [event for event in there if not hasattr(event, "totals")]
    same = _before_news(game, here, there, viewer)
    here, there = here[:same], there[:same]
    assert [seen(event, viewer) for event in here] == [seen(event, viewer) for event in there]


def _before_news(game: AnyGame, here: list[Any], there: list[Any], viewer: Any) -> int:
    """How many events there are before the first that tells ``viewer`` different news, and does nothing else."""
    told = [path.split(".") for path in NEWS.get(game.id, ())]
    for count, pair in enumerate(zip(here, there, strict=False)):
        one, other = (redact(event, viewer) for event in pair)
        if one == other or type(one) is not type(other):
            continue
        blank = {name: None for kind, name in told if kind == type(one).__name__}
        if msgspec.structs.replace(one, **blank) == msgspec.structs.replace(other, **blank):
            return count
    return max(len(here), len(there))


def _twin(game: AnyGame, past: list[Any], viewer: Any, chance: random.Random) -> Any:
    """A state that ``past`` could have led to as far as ``viewer`` can tell: other cards where it cannot look."""
    shown = [[seen(event, viewer) for event in step.events] for step in past]
    drawn, twin = past[0].command, past[-1].after
    for _ in range(12):
        lists = [list(items) for items in drawn.lists]
        longest = max(lists, key=len)
        here, there = chance.sample(range(len(longest)), 2)
        longest[here], longest[there] = longest[there], longest[here]
        changed = Drawn(tuple(map(tuple, lists)), drawn.elapsed)
        state = past[0].before
        try:
            for step, expected in zip(past, shown, strict=True):
                events = game.decide(state, step.seat, changed if step.seat == DEALER else step.command)
                if [seen(event, viewer) for event in events] != expected:
                    break
                state = reduce(game.evolve, events, state)
            else:
                drawn, twin = changed, state
        except Refused:
            continue
    return twin


@every_game
def test_a_deal_opens_to_a_seat_no_more_than_its_view_shows(game: AnyGame):
    opened = 0
    for seats in game.seats:
        for step in steps(game, start(game, seats, seats), seats):
            state = step.before
            for event in step.events:
                state = game.evolve(state, event)
                if type(event) not in game.draws:
                    continue
                openings = seal(event, lambda _: bytes(16))[1]
                for seat in range(seats):
                    values = [msgspec.json.decode(opening.value) for opening in openings if seat in opening.to]
                    cards = Counter(_texts(values))
                    opened += cards.total()
                    assert cards <= Counter(_texts(msgspec.to_builtins(game.view(state, seat))))
    assert opened > 0


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from _texts(list(value.values()))
        case list() | tuple():
            for item in value:
                yield from _texts(item)
        case _:
            return


@every_game
def test_sealed_bytes_hold_no_hidden_value(game: AnyGame):
    hidden = 0
    for step in steps(game, start(game, 7), 7):
        for event, entry in zip(step.events, stored(game, step.events), strict=True):
            kind: Any = type(event)
            assert hides(kind) == bool(entry.openings)
            for opening in entry.openings:
                hidden += 1
                assert len(opening.value) < 3 or opening.value not in entry.data
                assert opening.salt not in entry.data
    assert hidden > 0
