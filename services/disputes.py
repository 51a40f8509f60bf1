"""Disputes: opening a case, ruling on it, and what a case is made of.

What is decided goes the way of every command (``services.matches``), so versions, keys and races are guarded as those
of moves are. What a person claims is kept apart from the events: it can be forgotten, they cannot.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from domain.event import SYSTEM
from domain.game import Refused
from domain.match import EVENTS, commands, seating
from domain.match.cases import DisputeRuled, DisputeState, HandVoided, RulingKind, ScoreAdjusted
from domain.match.rulings import read
from domain.match.state import State
from services import rulebooks
from services.audit import Report, verify
from services.dealer import Dealer
from services.disclosure import bundle
from services.draft import Draft
from services.ids import command_id, new_id
from services.matches import Matches
from services.problems import BadRequest, Full, KeyReused, NotFound
from services.requests import Done
from services.rights import ROLES, allows
from services.store.cases import Claim
from services.store.records import Player, StoredEvent, StoredOpening
from services.store.refusals import Attempts
from services.store.store import Store

ARBITERS: Final = tuple(role for role in ROLES if allows("ruleOnDispute", role))
"""The roles of those who rule."""
ATTEMPTS: Final = 200
"""How many attempts a case shows at most, the last ones."""
RULINGS: Final = 1000
"""How many rulings a match has at most, on all its cases together: so it has few more cases than that (7.3)."""
OF_RULINGS: Final = frozenset(
    entry.code for entry in EVENTS.types if entry.cls in (DisputeRuled, HandVoided, ScoreAdjusted)
)
"""The types of the events that rulings are, and lead to."""


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """A ruling as it was asked for; ``after`` is the number of rulings that the arbiter knows of."""

    ruling: RulingKind
    reason: str
    after: int = 0
    hand: int = 0
    points: tuple[int, ...] = ()
    clause: str = ""
    winners: tuple[int, ...] = ()


class Ruled(msgspec.Struct, frozen=True, kw_only=True):
    """A ruling as it is recorded: ``points`` are what it added, ``totals`` and ``winners`` those that it led to.

    ``totals`` is empty for a ruling that changed nothing.
    """

    number: int
    version: int
    at: int
    ruling: RulingKind
    arbiter: str
    reason: str
    hand: int
    points: tuple[int, ...]
    clause: str
    totals: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()


class Disputes:
    """The cases of all matches. Every method may raise ``Unavailable``, as those of ``Matches`` may."""

    def __init__(self, store: Store, matches: Matches, secret: bytes) -> None:
        self._store = store
        self._matches = matches
        self._secret = secret

    async def open(
        self, match: str, player: str, first: int, last: int, claim: str, body: bytes, key: str | None
    ) -> tuple[str, Done]:
        """A new case and its id, which is that of the command. Raises ``Refused`` (clauses 7.1 to 7.3)."""
        dispute = command_id(self._secret, player, key or new_id(), b"dispute\0" + match.encode() + body)

        def decide(draft: Draft, _: Dealer) -> None:
            seat = seating.seat_of(draft.state, player)
            draft.take(commands.OpenDispute(player, dispute, first, last), SYSTEM if seat is None else seat)

        await self._store.put_claim(dispute, Claim(match, player, claim))
        # What a refusal keeps cannot be forgotten: the claim is no part of it.
        evidence = msgspec.json.encode({"dispute": {"first": first, "last": last}})
        try:
            done = await self._matches.do(match, player, dispute, decide, evidence, "openDispute")
        except (Refused, NotFound, KeyReused, BadRequest):
            await self._store.drop_claim(dispute)
            raise
        return dispute, done

    async def rule(self, dispute: str, player: Player, asked: Ruling, body: bytes, key: str | None) -> Done:
        """One more ruling on a case. Raises ``NotFound``, ``Full``, and ``Refused`` (clauses 7.5 to 7.12)."""
        claim = await self.claim(dispute)
        arbiter = player.role in ARBITERS
        command = commands.Rule(
            player=player.player,
            arbiter=arbiter,
            dispute=dispute,
            ruling=asked.ruling,
            reason=asked.reason,
            after=asked.after,
            hand=asked.hand,
            points=asked.points,
            clause=asked.clause,
            winners=asked.winners,
        )

        def decide(draft: Draft, _: Dealer) -> None:
            if arbiter and asked.clause and not has_clause(draft.state.game, asked.clause):
                raise Refused("7.8", f"there is no clause {asked.clause[:20]!r} in the rules of this match")
            if sum(case.rulings for case in draft.state.disputes) >= RULINGS:
                raise Full(f"there are {RULINGS} rulings on this match: it gets no more")
            draft.take(command, SYSTEM)

        cmd = command_id(self._secret, player.player, key or new_id(), b"ruling\0" + dispute.encode() + body)
        evidence = msgspec.json.encode({"dispute": dispute, "ruling": asked.ruling, "hand": asked.hand})
        return await self._matches.do(
            claim.match, player.player, cmd, decide, evidence, "ruleOnDispute", role=player.role
        )

    async def claim(self, dispute: str) -> Claim:
        """What a case claims, about which match. Raises ``NotFound``."""
        claim = await self._store.claim_of(dispute)
        if claim is None:
            raise NotFound("dispute")
        return claim


async def findings(events: Sequence[StoredEvent], openings: Sequence[StoredOpening]) -> Report:
    """What the checks of the audit find in the record, by themselves, from all that the store has of it."""
    return await asyncio.to_thread(lambda: verify(bundle(events, openings, "all", 0)))


def rulings_on(dispute: str, events: Sequence[StoredEvent]) -> list[Ruled]:
    """The rulings on a case, in their order, as ``events`` tell them."""
    found: list[Ruled] = []
    for event in events:
        if event.code not in OF_RULINGS:
            continue
        body: Any = event.decoded().body
        if body.dispute != dispute:
            continue
        if isinstance(body, DisputeRuled):
            found.append(_ruled(event, body))
        else:
            points = body.points if isinstance(body, ScoreAdjusted) else tuple(-number for number in body.points)
            changes = {"points": points, "totals": body.totals, "winners": body.winners}
            found[-1] = msgspec.structs.replace(found[-1], **changes)
    return found


def attempts_in(case: DisputeState, state: State, seat: int | None) -> Attempts:
    """Which refused and late attempts at the disputed events whoever sits on ``seat`` may see.

    What others have tried in a hand shows what they hold: it is shown when that hand is over.
    """
    over = state.version if state.over else max((hand.last for hand in state.hands), default=0) - 1
    return Attempts(case.first - 1, case.last, over=over, seat=seat, limit=ATTEMPTS)


def book_of(game: str, clause: str) -> tuple[str, str]:
    """The rule book and number behind ``4.2`` (the game's) or ``match 4.2``."""
    book, _, number = clause.rpartition(" ")
    return book or game, number


def has_clause(game: str, clause: str) -> bool:
    book, number = book_of(game, clause)
    if book not in (game, rulebooks.MATCH):
        return False
    try:
        return bool(rulebooks.clause_text(book, number))
    except KeyError:
        return False


def _ruled(event: StoredEvent, body: DisputeRuled) -> Ruled:
    return Ruled(
        number=body.number,
        version=event.version,
        at=event.at,
        ruling=body.ruling,
        arbiter=body.arbiter,
        reason=read(body.reason),
        hand=body.hand,
        points=body.points,
        clause=body.clause,
    )
