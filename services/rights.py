"""Every right in one table: who may call which operation. What it does not name, nobody may call.

The API asks it before a handler runs (``services.api.gate``), wherever a match is looked at (``services.api.caller``),
and the engine before a command is decided (``services.matches``). docs/security.md shows it.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from domain.game import Seat
from domain.match import seating
from domain.match.state import State

Role: TypeAlias = Literal["player", "arbiter", "admin"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)


class May(StrEnum):
    """When somebody may. What depends on the match is no right where there is none."""

    YES = "yes"
    NO = "no"
    SHOWN = "if shown"
    """The match has spectators: ``open``, or with a delay, and then as it was so many events ago."""
    FILLING = "if shown or waiting"
    """The same, or it has not started: a host without a seat fills the table."""
    WAITING = "while waiting"
    """The match has not started."""
    OVER = "once over"
    """The match is over."""
    OVER_SHOWN = "once over, if shown"


class Right(msgspec.Struct, frozen=True, kw_only=True):
    """Who may call an operation, by what the caller is in the match that it is about: nobody whom it does not name.

    ``stranger`` sends no token, ``ended`` one that was revoked or has ended; ``player`` is anybody with one. A player
    who is ``seated`` there, or its ``host``, may in addition what that column says; an ``arbiter`` and an ``admin``
    likewise, but not in a match in which they sit. ``no`` says why it is refused; with a ``clause`` that is a clause of
    the match's rule book, and asked again as the command is decided. ``quick``: the token may have been asked for some
    seconds ago (ADR 13).
    """

    stranger: May = May.NO
    ended: May = May.NO
    player: May = May.NO
    seated: May = May.NO
    host: May = May.NO
    arbiter: May = May.NO
    admin: May = May.NO
    no: str = "that is not for you to do"
    clause: str = ""
    quick: bool = False


COLUMNS: Final = ("stranger", "ended", "player", "seated", "host", "arbiter", "admin")

_Y, _S = May.YES, May.SHOWN

_PUBLIC: Final = Right(stranger=_Y, ended=_Y, player=_Y, seated=_Y, host=_Y, arbiter=_Y, admin=_Y)
"""Asks nobody who they are."""
_OPEN: Final = msgspec.structs.replace(_PUBLIC, ended=May.NO)
"""For everybody; but whoever says who they are is asked whether it is true."""
_KNOWN: Final = msgspec.structs.replace(_OPEN, stranger=May.NO)
_MATCH: Final = Right(
    stranger=_S,
    player=_S,
    seated=_Y,
    host=May.FILLING,
    arbiter=_Y,
    admin=_Y,
    no="this match has no spectators: only its players see it",
)
_SEAT: Final = Right(seated=_Y, no="this player has no seat in this match", clause="4.1")
_HOST: Final = Right(host=_Y, no="only the host seats bots", clause="2.6")
_ADMIN: Final = Right(admin=_Y, no="that is for an admin to do")
_CASE: Final = Right(
    stranger=May.OVER_SHOWN,
    player=May.OVER_SHOWN,
    seated=_Y,
    host=May.OVER_SHOWN,
    arbiter=_Y,
    admin=_Y,
    no="before the match is over, its players and arbiters read a case",
)
_LOG: Final = Right(
    seated=May.OVER,
    arbiter=_Y,
    admin=_Y,
    no="the log is for the match's players when it is over, and for arbiters",
)
_BENCH: Final = Right(arbiter=_Y, admin=_Y, no="an arbiter rules, who has no seat in the match", clause="7.5")

EVERY_CARD: Final = "(every card)"
"""To look through all eyes at a hand under way, in ``readReplayStep``, ``readKnowledge`` and ``readBundle``."""

RIGHTS: Final[Mapping[str, Right]] = {
    # the service itself
    "readPage": _PUBLIC,
    "readSignedInPage": _PUBLIC,
    "readClientFile": _PUBLIC,
    "readVerifierFile": _PUBLIC,
    "readDocs": _PUBLIC,
    "readDocsFile": _PUBLIC,
    "readDocument": _PUBLIC,
    "listProblems": _PUBLIC,
    "readProblem": _PUBLIC,
    "isAlive": _PUBLIC,
    "isReady": _PUBLIC,
    "readMetrics": _PUBLIC,
    "listGames": _PUBLIC,
    "readRulebook": _PUBLIC,
    # people
    "createPlayer": _PUBLIC,
    "readSignIn": _PUBLIC,
    "beginSignIn": _OPEN,
    "finishSignIn": _PUBLIC,
    "readPlayer": _PUBLIC,
    "listPlayerMatches": _OPEN,
    "readLeaderboard": _OPEN,
    "readMe": _KNOWN,
    "renameMe": _KNOWN,
    "eraseMe": _KNOWN,
    "listTokens": _KNOWN,
    "makeToken": _KNOWN,
    "revokeToken": _KNOWN,
    "revokeTokens": _KNOWN,
    "appointPlayer": _ADMIN,
    "listAppointments": _ADMIN,
    # playing
    "listMatches": _OPEN,
    "openMatch": _KNOWN,
    "takeSeat": _KNOWN,
    "leaveSeat": _SEAT,
    "seatBots": _HOST,
    "revealSeed": _SEAT,
    "listMoves": _SEAT,
    "makeMove": msgspec.structs.replace(_SEAT, quick=True),
    "makeMoves": msgspec.structs.replace(_KNOWN, quick=True),  # each move in it is a makeMove
    "checkMove": _SEAT,
    "resign": msgspec.structs.replace(_SEAT, host=May.WAITING),
    # watching
    "readTable": _MATCH,
    "listEvents": _MATCH,
    "streamEvents": _MATCH,
    "openSocket": _MATCH,
    "readClock": _MATCH,
    "readScoreSheet": _MATCH,
    "readReplayIndex": _MATCH,
    "readReplayStep": _MATCH,
    "exportMatch": _MATCH,
    # auditing
    "auditMatch": _MATCH,
    "readBundle": _MATCH,
    "readKnowledge": _MATCH,
    EVERY_CARD: msgspec.structs.replace(_ADMIN, arbiter=_Y, no="other seats' cards are shown when the hand is over"),
    "listDisclosures": _LOG,
    "listDisputes": _MATCH,
    "readDispute": _CASE,
    "openDispute": msgspec.structs.replace(
        _SEAT, no="a dispute is opened by a player who has a seat in the match", clause="7.1"
    ),
    "ruleOnDispute": _BENCH,
}
"""By the name of the operation."""


def allows(
    operation: str, role: str | None, *, seated: bool = False, host: bool = False, state: State | None = None
) -> bool:
    """Whether somebody may: ``role`` is None for a stranger; ``state`` is the match's that it is about, if any."""
    right = RIGHTS.get(operation)
    if right is None:
        return False
    if role is None:
        return _holds(right.stranger, state)
    return (
        _holds(right.player, state)
        or (seated and _holds(right.seated, state))
        or (host and _holds(right.host, state))
        or (not seated and role == "arbiter" and _holds(right.arbiter, state))
        or (not seated and role == "admin" and _holds(right.admin, state))
    )


def could(operation: str, role: str) -> bool:
    """Whether somebody with a token and that role may in some match, whatever they are in it."""
    right = RIGHTS.get(operation)
    if right is None:
        return False
    columns = {right.player, right.seated, right.host}
    columns |= {right.arbiter} if role == "arbiter" else {right.admin} if role == "admin" else set()
    return columns != {May.NO}


def check(operation: str, state: State, player: str, role: str = "player") -> None:
    """Raises ``NotYours``, with the clause of the table, unless ``player`` may."""
    seated = seating.seat_of(state, player) is not None
    if not allows(operation, role, seated=seated, host=player == state.host, state=state):
        raise seating.NotYours(RIGHTS[operation].clause, RIGHTS[operation].no)


def seat_by(operation: str, state: State, player: str) -> Seat:
    """The seat by which ``player`` may, and by nothing else: ``check`` for who comes often. Raises ``NotYours``."""
    seat, right = seating.seat_of(state, player), RIGHTS[operation]
    if seat is None or right.seated is not May.YES:
        raise seating.NotYours(right.clause, right.no)
    return seat


def _holds(may: May, state: State | None) -> bool:
    if may is May.YES or may is May.NO or state is None:
        return may is May.YES
    shown, waiting = state.spectators != "none", state.status in ("open", "revealing")
    match may:
        case May.SHOWN:
            return shown
        case May.FILLING:
            return shown or waiting
        case May.WAITING:
            return waiting
        case May.OVER:
            return state.over
        case May.OVER_SHOWN:
            return state.over and shown


def page() -> str:
    """The table as Markdown, for docs/security.md."""
    lines = ["| operation | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name, right in RIGHTS.items():
        cells = [str(getattr(right, column)) for column in COLUMNS]
        lines.append(f"| {f'`{name}`' if name[0] != '(' else name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
