"""Who calls, and what that caller may see of a match."""

from dataclasses import dataclass, replace
from typing import Final

from litestar.handlers import BaseRouteHandler

from domain.game import Seat, Viewer
from domain.match import seating
from domain.match.state import State
from services.api.context import Context
from services.api.describe import Operation
from services.api.problems import unauthenticated
from services.api.reading import AnyConnection, context_of, header, path_id
from services.ids import token_hash
from services.problems import Forbidden
from services.rights import EVERY_CARD, RIGHTS, allows
from services.store.records import Player

_NEEDED: Final = "this needs a token: POST /v1/players gives one"
_REVOKED: Final = "this token is not, or no longer, that of a player"

ADMITTED: Final = "kibitz.admitted"
"""Where the gate leaves the player whom it let pass, in the scope of the request."""
_LOOK: Final = "readTable"
"""Whoever may read its table may know of a match."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A match and who looks at it. ``viewer`` is the caller's seat, or the public.

    ``state`` and ``head`` are what the caller may see: the newest, or for a ``late`` one those of N events ago (clause
    1.6 of the match). Whatever tells of a match goes no further than this state.
    """

    match: str
    state: State
    head: bytes
    player: Player | None
    seat: Seat | None

    @property
    def viewer(self) -> Viewer:
        return seating.viewer_of(self.seat)

    @property
    def arbiter(self) -> bool:
        """Whether the caller may see every card: an arbiter, but not at a table where the arbiter plays."""
        return self.may(EVERY_CARD)

    def may(self, operation: str) -> bool:
        """Whether the caller may do that here, by the table of rights."""
        player, state = self.player, self.state
        role, host = (None, False) if player is None else (player.role, player.player == state.host)
        return allows(operation, role, seated=self.seat is not None, host=host, state=state)

    @property
    def late(self) -> bool:
        """Whether the caller watches with the delay of a match that has one."""
        return self.seat is None and self.state.spectators.startswith("delayed:") and not self.arbiter

    @property
    def over(self) -> bool:
        """Whether the match has ended: nothing of it is hidden any more, and only a ruling can change what counts."""
        return self.state.over

    def may_look_back(self, viewer: Viewer, then: State) -> bool:
        """Whether the match as it was ``then`` may be seen through the eyes of ``viewer``: another seat's only if the
        hand of then is over, or by an arbiter.
        """
        own = viewer in ("public", self.viewer)
        return own or self.arbiter or then.hand_under_way <= self.state.opened


def token_of(request: AnyConnection) -> bytes | None:
    """The hash of the token that was sent; None without one. Raises a 401 for what cannot be a token."""
    return token_in(header(request, "Authorization"))


def known_token(request: AnyConnection) -> bytes:
    """The same, but a token there must be. Raises a 401 without one."""
    token = token_of(request)
    if token is None:
        raise unauthenticated(_NEEDED, sent=False)
    return token


def token_in(text: str | None) -> bytes | None:
    """As ``token_of``, of the text of the header."""
    if text is None:
        return None
    scheme, _, token = text.partition(" ")
    if scheme.lower() != "bearer" or not token.strip() or len(token) > 512:
        raise unauthenticated("send Authorization: Bearer and the token", sent=True)
    return token_hash(token.strip())


def operation_of(handler: BaseRouteHandler) -> str:
    """The name of the operation that a handler is for; empty if it says none."""
    operation = handler.opt.get("operation")
    return operation.name if isinstance(operation, Operation) else ""


async def coming(request: AnyConnection, player: str) -> None:
    """Sees to it that ``player``, who is about to leave a trace, is not forgotten now. Raises a 401 for whom that comes
    too late.
    """
    if not await context_of(request).store.coming(player):
        raise unauthenticated(_REVOKED, sent=True)


async def caller(request: AnyConnection) -> Player | None:
    """The player whose token was sent; None without one. Raises a 401 for a token that is not, or no longer, one."""
    admitted: Player | None = request.scope.get(ADMITTED)  # type: ignore[assignment]
    if admitted is not None:
        return admitted
    token = token_of(request)
    return None if token is None else await holder(context_of(request), token)


async def holder(context: Context, token: bytes) -> Player:
    """The player whose token has that hash. Raises a 401 for a token that is not, or no longer, one."""
    player = await context.store.player_of(token)
    if player is None:
        raise unauthenticated(_REVOKED, sent=True)
    return player


async def mover(context: Context, token: bytes | None) -> Player:
    """Who makes a move with that token: as it was told a moment ago (``services.api.tokens``). Raises a 401."""
    if token is None:
        raise unauthenticated(_NEEDED, sent=False)
    player = await context.tokens.holder(token)
    if player is None:
        raise unauthenticated(_REVOKED, sent=True)
    return player


async def known_caller(request: AnyConnection) -> Player:
    """The player whose token was sent. Raises a 401 without one."""
    player = await caller(request)
    if player is None:
        raise unauthenticated(_NEEDED, sent=False)
    return player


async def sight(request: AnyConnection) -> Sight:
    """What the caller sees of the match in the path, by the operation that is called.

    Raises ``NotFound``, and ``Forbidden`` for unwanted spectators and for whoever may not do that there.
    """
    match = path_id(request, "match")
    seen = await sight_of(context_of(request), match, await caller(request))
    operation = operation_of(request.route_handler)
    right = RIGHTS[operation]
    if not right.clause and not seen.may(operation):  # what a clause says is told with that clause
        raise Forbidden(right.no)
    return seen


async def sight_of(context: Context, match: str, player: Player | None) -> Sight:
    """What ``player`` sees of a match. Raises ``NotFound``, and ``Forbidden`` for unwanted spectators."""
    seen = seen_by(*await context.matches.head(match), player)
    if not seen.late:
        return seen
    state, head = await context.matches.past.public(seen.state, seen.head)
    return replace(seen, state=state, head=head)


def seen_by(state: State, head: bytes, player: Player | None) -> Sight:
    """How ``player`` sees a match in that state, which a ``late`` one must not see before its time.

    Raises ``Forbidden`` for unwanted spectators.
    """
    seat = None if player is None else seating.seat_of(state, player.player)
    seen = Sight(state.match, state, head, player, seat)
    if not seen.may(_LOOK):
        raise Forbidden(RIGHTS[_LOOK].no)
    return seen
