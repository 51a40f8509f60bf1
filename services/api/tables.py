"""The live table: a match as its viewer sees it, with names and who is there."""

from collections.abc import Iterable, Mapping

import msgspec

from domain.game import Viewer
from domain.games import GAMES
from domain.hidden import b64u
from domain.match import clock, rules
from domain.match.state import SeatState, State
from services.api.answers import fingerprint
from services.api.presence import Presence
from services.api.table_shapes import ClockView, LiveTable, SeatAtTable, SeatClock
from services.store.store import Store


def players_of(states: Iterable[State]) -> set[str]:
    """The ids of everybody who sits in one of these states."""
    return {sitting.player for state in states for sitting in state.seats if sitting is not None}


class Names(msgspec.Struct, frozen=True):
    """What the players of a match are called now, by id. ``tag`` stands for that in an ETag: names change, and go."""

    known: dict[str, str]

    @property
    def tag(self) -> str:
        return fingerprint(msgspec.json.encode(self.known, order="deterministic"))


async def names_in(store: Store, *states: State) -> Names:
    """The names of everybody who sits in one of these states."""
    return Names(await store.names(players_of(states)))


def seat_names(state: State, names: Mapping[str, str]) -> list[str]:
    """What the player on each seat is called; empty where nobody sits or there is no name (any more)."""
    return ["" if sitting is None else names.get(sitting.player, "") for sitting in state.seats]


def live_table(
    state: State, head: bytes, viewer: Viewer, names: Mapping[str, str], presence: Presence | None
) -> LiveTable:
    """``state`` as ``viewer`` sees it. Without ``presence``, as in a replay, nobody watches and only bots are there.

    Of other processes ``presence`` knows what it was told when it last had a ``look``.
    """
    deadline = rules.deadline(state)
    turn = deadline if state.status == "playing" else None
    return LiveTable(
        match=state.match,
        game=state.game,
        options=msgspec.to_builtins(state.options),
        status=state.status,
        version=state.version,
        head=b64u(head),
        at=state.at,
        hand=state.hand_under_way or state.ended,
        host=state.host,
        spectators=state.spectators,
        seats=[_seat(state, seat, sitting, names, presence) for seat, sitting in enumerate(state.seats)],
        to_act=sorted(rules.to_act(state)),
        you=viewer if isinstance(viewer, int) else None,
        table=GAMES[state.game].view(state.play, viewer),
        scores=list(state.totals),
        winners=list(state.winners),
        clock=_clock(state, turn),
        deadline=deadline,
        watching=0 if presence is None else presence.spectators(state.match, players_of([state])),
    )


def _clock(state: State, deadline: int | None) -> ClockView | None:
    if state.clock is None:
        return None
    seats = [
        SeatClock(
            seat=seat,
            since=clock.since(state, seat),
            deadline=clock.deadline(state, seat),
            bank_ms=state.banks[seat] if state.banks else 0,
        )
        for seat in range(len(state.seats))
    ]
    limits = state.clock
    return ClockView(turn_seconds=limits.turn_seconds, bank_seconds=limits.bank_seconds, deadline=deadline, seats=seats)


def _seat(
    state: State, seat: int, sitting: SeatState | None, names: Mapping[str, str], presence: Presence | None
) -> SeatAtTable:
    if sitting is None:
        return SeatAtTable(
            seat=seat,
            player=None,
            name=None,
            kind=None,
            level="",
            connected=False,
            committed=False,
            revealed=False,
            custody=None,
            resigned=False,
        )
    here = presence is not None and presence.has(state.match, sitting.player)
    return SeatAtTable(
        seat=seat,
        player=sitting.player,
        name=names.get(sitting.player, ""),
        kind=sitting.kind,
        level=sitting.level,
        connected=here or sitting.kind == "bot",
        committed=bool(sitting.commitment),
        revealed=bool(sitting.seed),
        custody=sitting.custody,
        resigned=sitting.resigned,
    )
