"""The one way into a match: load, decide, append, answer.

Commands of one match are decided one after another on a state kept in memory; between processes the version is the
guard: whoever loses the race reads on and decides again. What is kept here is a copy of the store, never the truth.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import structlog

from domain.event import SYSTEM, Actor
from domain.game import Refused, Seat
from domain.hidden import b64u
from domain.match import commands, rules, seating
from domain.match.state import Custody, State
from services import dealer, rights
from services.clock import now_ms, with_bank
from services.disclosure import shown
from services.draft import Draft
from services.feed import Feed
from services.ids import command_id, key_number, key_part, new_id
from services.live import Live
from services.moves import Check, Moves, checked, decode_move, moves_of
from services.past import Past
from services.problems import BadRequest, Full, KeyReused, NotFound, VersionMismatch, status_of
from services.requests import Done, OpenRequest, Request
from services.roster import BOTS
from services.store.records import Appended, Refusal, Step, StoredEvent, StoredOpening, Unavailable
from services.store.store import Store
from services.trail import Trail, current

log = structlog.get_logger()

RETRIES: Final = 8
KEPT: Final = 20_000
"""How many matches a process keeps in memory; the one longest unused goes first."""
BODY_KEPT: Final = 4096
BEFORE_START: Final = 10_000
"""After so many events nobody sits down any more where it has not begun: else some could come and go for ever."""
CLOCK: Final = "clock"
"""Who the clock is where a player is named."""


class Matches:
    """All matches, as this process serves them. Every method may raise ``Unavailable``; then the outcome is not known
    to the caller, and the same call with the same key learns or completes it.
    """

    def __init__(self, store: Store, feed: Feed, secret: bytes, now: Callable[[], int] = now_ms) -> None:
        """``secret`` is that of the installation, the same in all its processes: command ids depend on it. ``now`` is
        the time of what happens, in milliseconds since 1970; processes that share matches share it, too.
        """
        self._store = store
        self._feed = feed
        self._secret = secret
        self._now = now
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._listeners: list[Callable[[str, Sequence[Step]], None]] = []
        self.past = Past(store)

    def listen(self, listener: Callable[[str, Sequence[Step]], None]) -> None:
        """``listener(match, steps)`` is called with what a command has led to, right after it is stored by this
        process, and before the feed says so.
        """
        self._listeners.append(listener)

    async def open(self, player: str, request: OpenRequest, body: bytes, key: str | None) -> Done:
        """A new match with ``player`` as host. Raises ``Refused`` for a wrong game, seats or option."""
        match, cmd = new_id(), self._command_id(player, key, body)
        command = commands.Open(
            game=request.game,
            options=request.options,
            seats=request.seats,
            host=player,
            anchor="",
            clock=with_bank(request.clock),
            spectators=request.spectators,
        )
        rules.decide(State(), command, 0)  # a request that is refused must leave nothing behind
        if key is not None:
            match, claimed = await self._store.claim(player, key_part(cmd).encode(), cmd.encode(), match)
            if claimed != cmd.encode():
                raise KeyReused
        secret = await self._store.put_secret(match, dealer.new_secret())
        command = msgspec.structs.replace(command, anchor=dealer.anchor_of(match, secret))

        def opening(draft: Draft, _: dealer.Dealer) -> None:
            draft.take(command, SYSTEM)

        return await self._do(match, Request(player, cmd, opening, new=True))

    async def seat(
        self, match: str, player: str, seat: Seat | None, commitment: str | None, body: bytes, key: str | None
    ) -> Done:
        """``player`` sits down, or commits anew after the commitment became void (clauses 2.x, 3.4)."""

        def sit(draft: Draft, keeper: dealer.Dealer) -> None:
            state = draft.state
            _has_room(state)
            own = seating.seat_of(state, player)
            again = own is not None and seat in (None, own) and seating.lost_commitment(state, own)
            at = own if again else seating.free_seat(state, seat)
            custody: Custody = "server" if commitment is None else "own"
            text = keeper.commitment(at or 0, state.version + 1) if commitment is None else commitment
            if again and own is not None:
                draft.take(commands.CommitSeed(own, text, custody), own)
            else:
                draft.take(commands.TakeSeat(player, seat, text, custody), SYSTEM)

        cmd = self._command_id(player, key, b"seat" + body)
        return await self._do(match, Request(player, cmd, sit, body))

    async def leave(self, match: str, player: str, key: str | None) -> Done:
        def leave(draft: Draft, _: dealer.Dealer) -> None:
            draft.take(commands.LeaveSeat(player), self._actor(draft.state, player))

        return await self._do(match, Request(player, self._command_id(player, key, b"leave"), leave, right="leaveSeat"))

    async def seat_bots(
        self, match: str, host: str, seats: Sequence[Seat], level: str, body: bytes, key: str | None
    ) -> Done:
        """Bots sit down on ``seats``, all or none of them; only the host may do this (clause 2.6)."""

        def sit(draft: Draft, keeper: dealer.Dealer) -> None:
            _has_room(draft.state)
            for seat in seats:
                commitment = keeper.commitment(seat, draft.state.version + 1) if seat >= 0 else ""
                player = BOTS[seat % len(BOTS)].player
                draft.take(commands.TakeSeat(player, seat, commitment, "server", "bot", level, host), SYSTEM)

        if not seats:
            raise BadRequest("name at least one seat for a bot")
        cmd = self._command_id(host, key, b"bots" + body)
        return await self._do(match, Request(host, cmd, sit, body, right="seatBots"))

    async def reveal(self, match: str, player: str, seed: str, body: bytes, key: str | None) -> Done:
        """``player`` reveals the seed that was committed to (clause 3.2)."""

        def reveal(draft: Draft, _: dealer.Dealer) -> None:
            seat = seating.own_seat(draft.state, player)
            draft.take(commands.RevealSeed(seat, seed), seat)

        cmd = self._command_id(player, key, b"seed" + body)
        return await self._do(match, Request(player, cmd, reveal, right="revealSeed"))

    async def move(self, match: str, player: str, body: bytes, key: str | None, expected: int | None = None) -> Done:
        """``player`` makes the move that ``body`` says. Raises ``BadRequest`` for what is not a move of the game."""

        def move(draft: Draft, _: dealer.Dealer) -> None:
            seat = rights.seat_by("makeMove", draft.state, player)
            draft.take(commands.Act(seat, decode_move(draft.state.game, body)), seat)

        cmd = self._command_id(player, key, b"move" + body)
        return await self._do(match, Request(player, cmd, move, body, expected))

    async def resign(self, match: str, player: str, key: str | None) -> Done:
        def resign(draft: Draft, keeper: dealer.Dealer) -> None:
            hand = draft.state.hand_under_way
            secret = b64u(keeper.secret(hand)) if hand else ""
            draft.take(commands.Resign(player, secret), self._actor(draft.state, player))

        return await self._do(match, Request(player, self._command_id(player, key, b"resign"), resign, right="resign"))

    async def do(
        self,
        match: str,
        player: str,
        cmd: str,
        decide: Callable[[Draft, dealer.Dealer], None],
        body: bytes,
        right: str,
        *,
        role: str = "player",
    ) -> Done:
        """A command of another part of the engine, with the id that it has made; a refusal keeps ``body``."""
        return await self._do(match, Request(player, cmd, decide, body, right=right, role=role))

    async def expire(self, match: str) -> Done:
        """The clock strikes. Raises ``Refused`` if the time is not up. Striking twice at one version strikes once."""
        state = await self.state(match)

        def strike(draft: Draft, _: dealer.Dealer) -> None:
            draft.take(commands.Expire(), SYSTEM)

        cmd = self._command_id(CLOCK, f"{match}/{state.version}", b"")
        return await self._do(match, Request(CLOCK, cmd, strike, expected=state.version))

    async def check(self, match: str, player: str, body: bytes) -> Check:
        """Whether ``body`` would be accepted as a move now. Stores nothing, not even the refusal."""
        state = await self.state(match)
        seat = rights.seat_by("checkMove", state, player)
        return checked(state, seat, decode_move(state.game, body), self._now())

    async def legal(self, match: str, player: str) -> Moves:
        """The moves of ``player``'s seat now. Raises ``NotYours`` for somebody without a seat."""
        state = await self.state(match)
        return moves_of(state, seating.own_seat(state, player))

    async def state(self, match: str) -> State:
        """The newest state; ``past`` has those before. Raises ``NotFound``."""
        live = await self._fresh(match)
        return live.state

    async def head(self, match: str) -> tuple[State, bytes]:
        """The newest state with the hash of its last event."""
        live = await self._fresh(match)
        return live.state, live.head

    def _command_id(self, who: str, key: str | None, request: bytes) -> str:
        return command_id(self._secret, who, key or new_id(), request)

    async def _fresh(self, match: str) -> Live:
        """What memory has of the match, brought up to the store's version."""
        head = await self._store.head(match)
        if head is None:
            raise NotFound("match")
        live = self._kept(match)
        if live.state.version < head[0]:
            async with live.lock:
                await self._read_on(match, live)
        return live

    async def _do(self, match: str, request: Request) -> Done:
        """A caller that goes away tears nothing: what is on its way to the store is taken in when it is there, and who
        decides on the match before that is told of a conflict, and reads on.
        """
        request = msgspec.structs.replace(request, at=self._now())
        live, trail = self._kept(match), current()
        trail.match, trail.command = match, request.cmd
        async with live.lock:
            if live.state.version == 0:
                await self._read_on(match, live)
            for _ in range(RETRIES):
                done = await self._once(match, live, request, trail)
                if done is not None:
                    trail.seat = done.seat
                    return done
                await self._read_on(match, live)
        raise Unavailable("too many others were moving in this match")

    async def _once(self, match: str, live: Live, request: Request, trail: Trail) -> Done | None:
        """One attempt. None: another process was faster, and memory is behind the store."""
        if (key := key_number(request.cmd)) in live.answered:
            return await self._answer_again(match, request)
        if live.state.version == 0 and not request.new:
            raise NotFound("match")
        if request.expected not in (None, live.state.version):
            if await self._behind(match, live):
                return None
            late = VersionMismatch(request.expected or 0, live.state.version)
            await self._keep_attempt(match, live.state, request, 412, str(late))
            raise late
        keeper = live.dealer or await self._dealer(match, live)
        before = live.state
        draft = Draft(match, before, live.head, keeper, request.cmd, request.at)
        try:
            if request.right:
                rights.check(request.right, before, request.player, request.role)
            with trail.phase("decide"):
                request.decide(draft, keeper)
        except Refused as refused:
            if await self._behind(match, live):
                return None
            why = refused.rulebook, refused.clause
            await self._keep_attempt(match, live.state, request, status_of(refused), refused.reason, *why)
            raise
        with trail.phase("settle"):
            draft.settle()

        steps: list[Step] = []

        def stored(appended: Appended) -> None:
            live.take(before, draft.state, draft.head, key)
            steps.extend(draft.steps(appended))
            with trail.phase("publish"):
                for listener in self._listeners:
                    listener(match, steps)
                self._feed.publish(match, draft.state.version)

        with trail.phase("append"):
            appended = await self._store.append(draft.append(), stored)
        if not isinstance(appended, Appended):
            return None
        openings = [opening for step in steps for opening in step.openings]
        return self._done(draft.state, request.player, [step.event for step in steps], openings, replayed=False)

    async def _behind(self, match: str, live: Live) -> bool:
        """Whether memory is behind the store: then what it would refuse may be right after all."""
        head = await self._store.head(match)
        return head is not None and head[0] > live.state.version

    async def _answer_again(self, match: str, request: Request) -> Done:
        """The first answer, from the record: with the seat that was the caller's then, and what was open then.

        Raises ``KeyReused`` if the key came with another request.
        """
        events = await self._store.events_by(match, key_part(request.cmd))
        if events[0].cmd != request.cmd:
            raise KeyReused
        first, last = events[0].version, events[-1].version
        then, _ = await self.past.at(match, last)
        openings = await self._store.openings(match, after=first - 1, until=last)
        return self._done(then, request.player, events, openings, replayed=True)

    def _done(
        self,
        state: State,
        player: str,
        events: Sequence[StoredEvent],
        openings: Sequence[StoredOpening],
        *,
        replayed: bool,
    ) -> Done:
        seat = seating.seat_of(state, player)
        if seat is None:  # a host without a seat fills the table, and learns no more of the play than who watches
            last = state.started - 1 if state.started and state.spectators == "none" else seating.public_version(state)
            events = [event for event in events if event.version <= last] or events[:1]
        return Done(
            match=events[0].match,
            version=events[-1].version,
            head=events[-1].hash,
            seat=seat,
            events=tuple(shown(events, openings, seating.viewer_of(seat), state.opened)),
            replayed=replayed,
        )

    async def _keep_attempt(
        self,
        match: str,
        state: State,
        request: Request,
        status: int,
        reason: str,
        rulebook: str = "match",
        clause: str = "",
    ) -> None:
        if request.player == CLOCK:
            return  # it was only early, or slow: no attempt of a player
        seat = current().seat = seating.seat_of(state, request.player)
        refusal = Refusal(
            match=match,
            at=request.at,
            player=request.player,
            seat=seat,
            version=state.version,
            cmd=request.cmd,
            status=status,
            game=rulebook,
            clause=clause,
            reason=reason,
            body=request.body[:BODY_KEPT],
        )
        # Whoever tried has to be there no longer for the attempt to be kept.
        await asyncio.shield(asyncio.ensure_future(self._keep(refusal)))

    async def _keep(self, refusal: Refusal) -> None:
        try:
            await self._store.refuse(refusal)
        except Unavailable as error:
            log.warning("an attempt was not kept", match=refusal.match, clause=refusal.clause, error=str(error))

    def _kept(self, match: str) -> Live:
        live = self._live.get(match)
        if live is None:
            live = self._live[match] = Live()
            for old in list(self._live)[: max(0, len(self._live) - KEPT)]:
                if not self._live[old].lock.locked():
                    del self._live[old]
        self._live.move_to_end(match)
        return live

    async def _read_on(self, match: str, live: Live) -> None:
        before = live.state
        events = await self._store.events(match, after=before.version)
        if events:
            openings = await self._store.openings(match, after=before.version, until=events[-1].version)
            if live.state is before:  # otherwise what was on its way to the store has arrived: see ``_do``
                live.add(events, openings)

    async def _dealer(self, match: str, live: Live) -> dealer.Dealer:
        if live.dealer is None:
            secret = await self._store.secret(match)
            assert secret is not None, "the secret of a match is stored before its first event"
            live.dealer = dealer.Dealer(match, secret)
        return live.dealer

    @staticmethod
    def _actor(state: State, player: str) -> Actor:
        seat = seating.seat_of(state, player)
        return SYSTEM if seat is None else seat


def _has_room(state: State) -> None:
    """Raises ``Full`` where too much has happened for a match that has not begun."""
    if state.status in ("open", "revealing") and state.version >= BEFORE_START:
        raise Full(f"the match has had {BEFORE_START} events and has not begun: open another")
