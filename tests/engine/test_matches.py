"""The engine on a real store: one way in, idempotent, safe between processes, telling nobody what is not theirs."""

import asyncio
import hashlib
import random
import secrets

import msgspec
import pytest

from domain.game import OutOfTurn, Refused
from domain.hidden import b64u
from domain.match import rules, seating
from domain.match.state import Clock
from services.feed import Feed
from services.ids import command_id, new_id
from services.matches import Matches
from services.problems import BadRequest, KeyReused, NotFound, VersionMismatch
from services.requests import Done, OpenRequest
from services.roster import BOTS
from services.store.store import Store
from tests.engine.played import audited

HOST = "host"
SECRET = b"the same in every process"


@pytest.fixture
def matches(store: Store, feed: Feed) -> Matches:
    return Matches(store, feed, SECRET)


async def opened(matches: Matches, seats: int = 3, **options) -> str:
    done = await matches.open(HOST, OpenRequest("whos-the-ass", seats, options), b"{}", None)
    return done.match


async def started(matches: Matches, seats: int = 3, **options) -> str:
    """A match with players p0, p1, ... whose seeds are all in the server's custody."""
    match = await opened(matches, seats, **options)
    for seat in range(seats):
        await matches.seat(match, f"p{seat}", None, None, b"", None)
    return match


async def due(matches: Matches, match: str) -> tuple[str, bytes]:
    """The player whose turn it is, and the first legal move."""
    state = await matches.state(match)
    player = f"p{min(rules.to_act(state))}"
    return player, msgspec.json.encode((await matches.legal(match, player)).moves[0])


async def played_out(matches: Matches, match: str, taste: int = 0) -> None:
    chance = random.Random(taste)
    while (state := await matches.state(match)).status == "playing":
        player = f"p{min(rules.to_act(state))}"
        move = chance.choice((await matches.legal(match, player)).moves)
        await matches.move(match, player, msgspec.json.encode(move), None)


async def record(store: Store, match: str) -> tuple[list, list]:
    return await store.events(match), await store.openings(match)


async def test_a_match_is_played_from_the_opening_to_the_winners(store: Store, matches: Matches):
    match = await started(matches, 4, games=2)
    await played_out(matches, match)
    state = await matches.state(match)
    assert (state.status, state.ended) == ("finished", 2)
    assert state.winners
    events, openings = await record(store, match)
    assert [event.version for event in events] == list(range(1, state.version + 1))
    assert audited(events, openings).verdict == "VALID"


async def test_a_process_that_knows_nothing_folds_the_same_state(store: Store, feed: Feed, matches: Matches):
    match = await started(matches, 3, games=1)
    for _ in range(20):
        player, move = await due(matches, match)
        await matches.move(match, player, move, None)
    assert await Matches(store, feed, SECRET).state(match) == await matches.state(match)
    state = await matches.state(match)
    assert (await matches.past.at(match, state.version))[0] == state


async def test_the_same_key_gets_the_first_answer_even_from_another_process(store: Store, feed: Feed, matches: Matches):
    match = await started(matches)
    player, move = await due(matches, match)
    first = await matches.move(match, player, move, "key")
    for process in (matches, Matches(store, feed, SECRET)):
        again = await process.move(match, player, move, "key")
        assert again.replayed
        assert (again.version, again.head, again.events) == (first.version, first.head, first.events)


async def test_the_first_answer_is_the_same_after_the_match_went_on(matches: Matches):
    match = await started(matches, 3, games=1)
    player, move = await due(matches, match)
    first = await matches.move(match, player, move, "key")
    await played_out(matches, match)
    again = await matches.move(match, player, move, "key")
    assert (again.version, again.head) == (first.version, first.head)
    assert again.replayed


async def test_the_first_answer_names_the_seat_and_shows_the_cards_of_then(matches: Matches):
    match = await opened(matches)
    first = await matches.seat(match, "p0", 0, None, b"", "sit")
    await matches.leave(match, "p0", None)
    await matches.seat(match, "p0", 2, None, b"", None)
    await matches.seat(match, "p1", 0, None, b"", None)
    last = await matches.seat(match, "p2", 1, None, b"", "last")
    again = await matches.seat(match, "p0", 0, None, b"", "sit")
    assert (again.seat, again.events) == (first.seat, first.events) == (0, again.events)
    state = await matches.state(match)
    for seat in range(3):
        sitting = state.seats[seat]
        assert sitting is not None
        await matches.resign(match, sitting.player, None)
        if (state := await matches.state(match)).status != "playing":
            break
    assert state.opened == 1
    assert (await matches.seat(match, "p2", 1, None, b"", "last")).events == last.events


async def test_a_key_with_another_request_is_refused_and_changes_nothing(matches: Matches):
    match = await started(matches)
    player, move = await due(matches, match)
    await matches.move(match, player, move, "key")
    version = (await matches.state(match)).version
    with pytest.raises(KeyReused):
        await matches.move(match, player, b'{"type":"pass"}', "key")
    assert (await matches.state(match)).version == version


async def test_a_command_id_does_not_tell_what_was_asked_for(store: Store, matches: Matches):
    match = await started(matches)
    player, move = await due(matches, match)
    done = await matches.move(match, player, move, "key")
    (cmd,) = {msgspec.json.decode(event)["cmd"] for event in done.events}
    assert cmd == command_id(SECRET, player, "key", b"move" + move)
    assert cmd != command_id(b"another", player, "key", b"move" + move)


async def test_a_key_belongs_to_who_sent_it(matches: Matches):
    match = await opened(matches)
    await matches.seat(match, "p0", None, None, b"", "key")
    done = await matches.seat(match, "p1", None, None, b"", "key")
    assert not done.replayed
    assert done.seat == 1


@pytest.mark.fault(21)
async def test_fifty_duplicates_at_once_have_one_effect_and_one_answer(store: Store, feed: Feed, matches: Matches):
    match = await started(matches)
    player, move = await due(matches, match)
    version = (await matches.state(match)).version
    processes = [matches, Matches(store, feed, SECRET), Matches(store, feed, SECRET)]
    answers: list[Done] = await asyncio.gather(
        *(processes[turn % 3].move(match, player, move, "key") for turn in range(50))
    )
    assert len({(answer.version, answer.head, answer.events) for answer in answers}) == 1
    assert sum(not answer.replayed for answer in answers) == 1
    state = await Matches(store, feed, SECRET).state(match)
    assert state.version == answers[0].version > version


@pytest.mark.fault(30)
async def test_of_simultaneous_seats_each_gets_one(store: Store, feed: Feed, matches: Matches):
    match = await opened(matches, 5)
    processes = [matches, Matches(store, feed, SECRET)]
    results = await asyncio.gather(
        *(processes[n % 2].seat(match, f"p{n}", None, None, b"", None) for n in range(12)), return_exceptions=True
    )
    seats = {result.seat for result in results if isinstance(result, Done)}
    assert seats == {0, 1, 2, 3, 4}
    assert all(isinstance(result, Done | seating.WrongState) for result in results)
    assert (await matches.state(match)).status == "playing"


@pytest.mark.fault(19)
async def test_opening_twice_with_one_key_opens_one_match(store: Store, feed: Feed, matches: Matches):
    request = OpenRequest("whos-the-ass", 3)
    processes = [matches, Matches(store, feed, SECRET)]
    answers = await asyncio.gather(*(processes[n % 2].open(HOST, request, b"{}", "key") for n in range(20)))
    assert len({answer.match for answer in answers}) == 1
    with pytest.raises(KeyReused):
        await matches.open(HOST, OpenRequest("whos-the-ass", 4), b'{"seats":4}', "key")


async def test_a_refused_move_changes_nothing_and_is_kept_as_evidence(store: Store, matches: Matches):
    match = await started(matches)
    player, _ = await due(matches, match)
    before = await matches.state(match)
    with pytest.raises(Refused) as refused:
        await matches.move(match, player, b'{"type":"play","cards":["1","2"]}', None)
    assert refused.value.rulebook == "whos-the-ass"
    other = next(f"p{seat}" for seat in range(3) if f"p{seat}" != player)
    with pytest.raises(OutOfTurn):
        await matches.move(match, other, b'{"type":"pass"}', None)
    assert await matches.state(match) == before
    kept = await store.refusals(match)
    assert [(entry.player, entry.status, entry.game) for entry in kept] == [
        (player, 422, "whos-the-ass"),
        (other, 409, "match"),
    ]
    assert kept[0].body == b'{"type":"play","cards":["1","2"]}'


async def test_what_is_not_a_move_of_the_game_is_not_understood(matches: Matches):
    match = await started(matches)
    player, _ = await due(matches, match)
    for body in (b"", b"[]", b"{", b'{"type":"bid"}', b'{"type":"pass","seat":2}', b"\xff", b"[" * 5000):
        with pytest.raises(BadRequest):
            await matches.move(match, player, body, None)


async def test_if_match_names_the_version_that_a_move_is_for(matches: Matches):
    match = await started(matches)
    player, move = await due(matches, match)
    version = (await matches.state(match)).version
    with pytest.raises(VersionMismatch):
        await matches.move(match, player, move, None, expected=version - 1)
    assert (await matches.move(match, player, move, None, expected=version)).version > version


async def test_nobody_but_the_seated_moves_and_nobody_finds_what_is_not_there(matches: Matches):
    match = await started(matches)
    with pytest.raises(seating.NotYours):
        await matches.move(match, "stranger", b'{"type":"pass"}', None)
    with pytest.raises(NotFound):
        await matches.state(new_id())
    with pytest.raises(NotFound):
        await matches.move(new_id(), "p0", b'{"type":"pass"}', None)
    for version in (0, 10_000):
        with pytest.raises(NotFound):
            await matches.past.at(match, version)


async def test_seeds_of_the_players_own_are_revealed_by_them(store: Store, matches: Matches):
    match = await opened(matches, 3, games=1)
    seeds = [secrets.token_bytes(32) for _ in range(3)]
    for seat, seed in enumerate(seeds):
        await matches.seat(match, f"p{seat}", seat, b64u(hashlib.sha256(seed).digest()), b"", None)
    assert (await matches.state(match)).status == "revealing"
    with pytest.raises(Refused):
        await matches.reveal(match, "p0", b64u(seeds[1]), b"", None)
    for seat, seed in enumerate(seeds):
        await matches.reveal(match, f"p{seat}", b64u(seed), b"", None)
    await played_out(matches, match)
    report = audited(*(await record(store, match)))
    assert (report.verdict, report.hands[0].own) == ("VALID", (0, 1, 2))


async def test_the_host_seats_bots_and_nobody_else_does(matches: Matches):
    match = await opened(matches, 5)
    with pytest.raises(seating.NotYours):
        await matches.seat_bots(match, "p0", [0], "random", b"", None)
    with pytest.raises(Refused):
        await matches.seat_bots(match, HOST, [0, 9], "random", b"", None)
    assert (await matches.state(match)).seats == (None,) * 5
    await matches.seat_bots(match, HOST, range(5), "random", b"", None)
    state = await matches.state(match)
    assert state.status == "playing"
    assert [seat and seat.player for seat in state.seats] == [bot.player for bot in BOTS[:5]]


async def test_an_answer_shows_the_caller_its_own_cards_only(matches: Matches):
    match = await opened(matches, 3)
    await matches.seat(match, "p0", 0, None, b"", None)
    await matches.seat(match, "p1", 1, None, b"", None)
    done = await matches.seat(match, "p2", 2, None, b"", None)
    dealt = next(event for event in map(msgspec.json.decode, done.events) if event["type"] == "CardsDealt")
    assert ["value" in hand for hand in dealt["body"]["hands"]] == [False, False, True]
    assert "value" not in dealt["body"]["undealt"]


async def test_a_caller_that_goes_away_leaves_the_command_whole(store: Store, feed: Feed, matches: Matches):
    match = await started(matches)
    for _ in range(10):
        player, move = await due(matches, match)
        call = asyncio.create_task(matches.move(match, player, move, "gone"))
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        done = await matches.move(match, player, move, "gone")
        assert done.version == (await Matches(store, feed, SECRET).state(match)).version
        player, move = await due(matches, match)
        await matches.move(match, player, move, None)
        break
    assert audited(*(await record(store, match))).verdict == "VALID"


async def test_the_clock_strikes_once_however_often_it_is_asked(store: Store, feed: Feed):
    time = [1_700_000_000_000]
    processes = [Matches(store, feed, SECRET, lambda: time[0]) for _ in range(2)]
    matches = processes[0]
    done = await matches.open(HOST, OpenRequest("whos-the-ass", 3, {}, Clock(turn_seconds=5)), b"{}", None)
    match = done.match
    for seat in range(3):
        await matches.seat(match, f"p{seat}", None, None, b"", None)
    with pytest.raises(seating.WrongState):
        await matches.expire(match)
    state = await matches.state(match)
    time[0] += 5_000
    results = await asyncio.gather(*(processes[n % 2].expire(match) for n in range(6)), return_exceptions=True)
    types = [event.code for event in await store.events(match, after=state.version)]
    assert types.count(8) == 1, results
    assert audited(*(await record(store, match))).verdict == "VALID"


@pytest.mark.fault(29)
async def test_two_processes_play_one_match_and_nothing_is_lost_or_doubled(store: Store, feed: Feed, matches: Matches):
    match = await started(matches, 3, games=1)
    processes = [matches, Matches(store, feed, SECRET), Matches(store, feed, SECRET)]
    chance = random.Random(7)

    async def play(process: Matches) -> int:
        done = 0
        while (state := await process.state(match)).status == "playing":
            player = f"p{min(rules.to_act(state))}"
            legal = (await process.legal(match, player)).moves
            if not legal:
                continue
            try:
                await process.move(match, player, msgspec.json.encode(chance.choice(legal)), None, state.version)
                done += 1
            except (VersionMismatch, Refused):
                pass
        return done

    done = await asyncio.gather(*map(play, processes))
    events, openings = await record(store, match)
    moves = {event.cmd for event in events if event.code in (103, 104, 105)}
    assert sum(done) == len(moves)
    assert audited(events, openings).verdict == "VALID"
