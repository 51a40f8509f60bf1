"""The shapes of what goes in and out of people: guests, tokens, signing in, roles."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from services.api.names import LONGEST
from services.api.shapes import Asked
from services.api.table_shapes import Millis
from services.rights import Role


class PlayerCreated(msgspec.Struct, frozen=True):
    """``token`` is shown this once: keep it, it is all that says who you are. At ``expires`` it ends."""

    player: str
    name: str
    token: str
    expires: Millis


class Me(msgspec.Struct, frozen=True):
    player: str
    name: str
    role: Role


class MyAccess(msgspec.Struct, frozen=True):
    """Who the caller is. ``account`` says whether the player can sign in; a guest has its tokens only.

    ``made`` and ``expires`` are those of the token that was sent.
    """

    player: str
    name: str
    role: Role
    account: bool
    made: Millis
    expires: Millis


class NewToken(Asked, frozen=True, kw_only=True):
    """``label`` tells it apart in the list. ``old_seconds``: the token that is sent lives on for so many seconds; left
    out, as long as it would.
    """

    label: Annotated[str, Meta(description=f"{LONGEST} characters at most, of the kind that names have.")] = ""
    old_seconds: Annotated[int, Meta(ge=0, le=86_400)] | None = None


class TokenMade(msgspec.Struct, frozen=True):
    """``token`` is shown this once. ``id`` names it in the list of tokens."""

    id: str
    label: str
    token: str
    made: Millis
    expires: Millis


class TokenLine(msgspec.Struct, frozen=True):
    """A token as its holder sees it in the list. ``current`` is the one that the request was sent with."""

    id: str
    label: str
    made: Millis
    expires: Millis
    current: bool


class SignInOffer(msgspec.Struct, frozen=True):
    """``provider`` is the host at which one signs in; null where one cannot."""

    offered: bool
    provider: str | None


class SignInBegun(msgspec.Struct, frozen=True):
    """``address`` is where the browser goes. ``secret`` is for who began it; ``state`` comes back with the code."""

    address: str
    state: str
    secret: str


Opaque = Annotated[str, Meta(min_length=1, max_length=4096)]


class SignInCode(Asked, frozen=True, kw_only=True):
    """What the provider has sent back, and the secret that was given at the beginning."""

    state: Opaque
    secret: Opaque
    code: Opaque
    iss: Opaque | None = None


class SignedIn(msgspec.Struct, frozen=True):
    """``token`` is shown this once; at ``expires`` it ends. ``how`` this became the player of the account."""

    player: str
    name: str
    token: str
    expires: Millis
    how: Literal["known", "linked", "new"]


class RoleRequest(Asked, frozen=True, kw_only=True):
    role: Role


class RoleGiven(msgspec.Struct, frozen=True):
    """``by`` gave ``player`` the role ``role`` instead of ``before``. ``by`` is null for an operator."""

    at: Millis
    by: str | None
    player: str
    before: str
    role: str
