"""Golden games: matches that were stored once, and must fold and re-verify for ever.

Beside the tests of a game lies a folder ``golden``: a file for each match, an event a line, and ``heads.json`` with the
hash of each match's last event. A match that is not there yet is written, and one that is there never again, by

    python -m tests.domain.golden_games
"""

import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import msgspec

from domain import fairness
from domain.event import SYSTEM, Recorded, chained
from domain.game import Drawn
from domain.games import GAMES
from domain.hidden import Hidden, Opening, b64u, bare, canonical, digest_of, unb64u, with_hidden
from domain.match import EVENTS, commands, rules
from domain.match import state as facts
from domain.match.state import State, evolve
from services import audit
from services.audit import Report
from tests.domain.match.drive import HOST, Drive, commitment_of


class Line(msgspec.Struct, frozen=True):
    """An event as it was stored: ``data`` are its canonical bytes, ``openings`` what is kept apart of them."""

    code: int
    schema: int
    data: str
    openings: list[Opening]


# --- files ---


def store(folder: Path, name: str, drive: Drive) -> None:
    """Writes the match that ``drive`` has played. Raises ``FileExistsError`` if there is one of that name."""
    folder.mkdir(exist_ok=True)
    lines = [
        Line(entry.code, EVENTS.of(entry.event.body).schema, entry.data.decode(), [*entry.openings])
        for entry in drive.log
    ]
    with (folder / f"{name}.jsonl").open("xb") as file:
        file.write(msgspec.json.Encoder().encode_lines(lines))
    found = {**heads(folder), name: b64u(chained(lines[-1].data.encode()))}
    text = msgspec.json.format(msgspec.json.encode(found, order="sorted"))
    (folder / "heads.json").write_bytes(text + b"\n")


def heads(folder: Path) -> dict[str, str]:
    """The hash of the last event of each stored match, by its name."""
    path = folder / "heads.json"
    return msgspec.json.decode(path.read_bytes(), type=dict[str, str]) if path.exists() else {}


def stored(folder: Path, name: str) -> list[Line]:
    return msgspec.json.Decoder(Line).decode_lines((folder / f"{name}.jsonl").read_bytes())


def bodies(folder: Path, name: str) -> list[Any]:
    """The events of a stored match with everything opened."""
    return [event.body for event in recorded(stored(folder, name))]


def recorded(lines: Sequence[Line]) -> list[Recorded[Any]]:
    return [EVENTS.decode(line.code, line.schema, line.data.encode(), line.openings) for line in lines]


# --- what must hold of them for ever ---


def check_folder(folder: Path, names: Sequence[str]) -> None:
    """Every match that is spoken of is stored, and every one that is stored is spoken of."""
    assert {path.stem for path in folder.glob("*.jsonl")} == set(names)
    assert set(heads(folder)) == set(names)


def verified(folder: Path, name: str) -> State:
    """The end of a stored match, after everything that is stored of it has been made again."""
    lines = stored(folder, name)
    assert b64u(chained(lines[-1].data.encode())) == heads(folder)[name]
    return verify(lines)


def verify(lines: Sequence[Line]) -> State:
    """The chain, the digests, the salts, the anchor, the deals, every decision. Returns the fold."""
    check_chain(lines)
    check_openings(lines)
    check_salts(lines)
    return check_decisions(recorded(lines))


def check_chain(lines: Sequence[Line]) -> None:
    """Every event is in its canonical bytes and carries its place and the hash of the one before it."""
    prev, at, match = "", 0, ""
    for version, line in enumerate(lines, 1):
        data = line.data.encode()
        envelope = msgspec.json.decode(data)
        match, before = match or envelope["match"], at
        at = envelope["at"]
        assert canonical(envelope) == data
        assert (envelope["match"], envelope["version"], envelope["prev"]) == (match, version, prev)
        assert at >= before
        prev = b64u(chained(data))


def check_openings(lines: Sequence[Line]) -> None:
    """Every hidden field has its opening, and that fits the digest and the readers in the event."""
    for line in lines:
        event = EVENTS.decode(line.code, line.schema, line.data.encode())
        assert sorted(opening.path for opening in line.openings) == _hidden_paths(event.body)
        for opening in line.openings:
            field = msgspec.json.decode(line.data)["body"]
            for step in opening.path.split("."):
                field = field[int(step)] if isinstance(field, list) else field[step]
            assert field == {"digest": digest_of(opening.salt, opening.value), "to": list(opening.to)}


def _hidden_paths(event: Any) -> list[str]:
    """Where the hidden fields of ``event`` stand."""
    paths: list[str] = []

    def note(path: str, hidden: Hidden[Any]) -> Hidden[Any]:
        paths.append(path)
        return hidden

    with_hidden(event, note)
    return sorted(paths)


def check_salts(lines: Sequence[Line]) -> None:
    """The salts follow from the published secrets, and each of these leads back to the anchor."""
    state, keys = State(), dict[int, bytes]()
    events = recorded(lines)
    secrets = published(events)
    for line, event in zip(lines, events, strict=True):
        hand = state.ended + 1
        if line.openings and hand not in keys:
            secret = unb64u(secrets[hand])
            keys[hand] = key_of(state, secret)
            assert b64u(fairness.secret_of(state.match, secret, 0, hand)) == state.anchor
        for opening in line.openings:
            assert opening.salt == fairness.field_salt(keys[hand], hand, event.version, opening.path)
        state = evolve(state, event)
    assert set(keys) == set(secrets)


def check_decisions(events: Sequence[Recorded[Any]]) -> State:
    """Every command is read off the events that it led to, and leads to the same ones. Returns the fold."""
    state, done, secrets = State(), 0, published(events)
    while done < len(events):
        ahead = events[done:]
        decided = consequences(state, ahead, secrets)
        assert decided
        found = ahead[: len(decided)]
        assert [bare(event) for event in decided] == [bare(event.body) for event in found]
        assert {(event.at, event.cmd, event.seat) for event in found} == {(ahead[0].at, ahead[0].cmd, ahead[0].seat)}
        state = reduce(evolve, found, state)
        done += len(found)
    assert rules.duty(state) is None
    return state


def audited(lines: Sequence[Line]) -> Report:
    """What the service's own audit says of a stored match."""
    openings = [(version, opening) for version, line in enumerate(lines, 1) for opening in line.openings]
    return audit.verify(audit.bundled([line.data.encode() for line in lines], openings))


# --- how it is made again ---


def published(events: Sequence[Recorded[Any]]) -> Mapping[int, str]:
    """The secrets of the hands, by the number of the hand."""
    ends = facts.HandEnded | facts.MatchEnded | facts.MatchAbandoned
    return {event.body.hand: event.body.secret for event in events if isinstance(event.body, ends) and event.body.hand}


def key_of(state: State, secret: bytes) -> bytes:
    seeds = [unb64u(sitting.seed) for sitting in state.seats if sitting is not None]
    return fairness.hand_key(unb64u(state.salt), secret, seeds)


def consequences(state: State, ahead: Sequence[Recorded[Any]], secrets: Mapping[int, str]) -> list[Any]:
    """What the rules make of the command that comes next."""
    first = ahead[0]
    duty = rules.duty(state)
    if duty is not None:
        assert first.seat == SYSTEM
        return rules.decide(state, fulfilled(state, duty, first, secrets), first.at)
    if isinstance(first.seat, int) and (isinstance(first.body, facts.TimeUsed) or type(first.body) not in facts.OWN):
        return next(moved(state, first.seat, ahead), [])
    return rules.decide(state, asked(state, ahead), first.at)


def moved(state: State, seat: int, ahead: Sequence[Recorded[Any]]) -> Iterator[list[Any]]:
    """The events of the legal moves that lead to what is recorded."""
    for move in GAMES[state.game].legal(state.play, seat):
        events = rules.decide(state, commands.Act(seat, move), ahead[0].at)
        if [bare(event) for event in events] == [bare(event.body) for event in ahead[: len(events)]]:
            yield events


def fulfilled(state: State, duty: commands.Duty, first: Recorded[Any], secrets: Mapping[int, str]) -> commands.Command:
    match duty:
        case commands.MustCommit(seat):
            return commands.CommitSeed(seat, first.body.commitment, "server")
        case commands.MustReveal(seat):
            return commands.RevealSeed(seat, first.body.seed)
        case commands.MustStart():
            return commands.Start()
        case commands.MustDraw(hand, number, lists):
            # a draw that ends the match instead of dealing belongs to a hand that never was
            drawn = (
                fairness.draw(key_of(state, unb64u(secrets[hand])), hand, number, lists) if hand in secrets else lists
            )
            return commands.Draw(Drawn(drawn, first.at - state.started_at))
        case commands.MustCloseHand():
            return commands.CloseHand(first.body.secret)
        case commands.MustEndMatch():
            return commands.EndMatch()
        case commands.MustPlayFallback(seat):
            return commands.PlayFallback(seat)


def asked(state: State, ahead: Sequence[Recorded[Any]]) -> commands.Command:
    """What somebody asked of the match that led to these events."""
    match ahead[0].body:
        case facts.MatchOpened(game, options, seats, host, anchor, clock, spectators):
            return commands.Open(game, options, seats, host, anchor, clock, spectators)
        case facts.SeatTaken(seat, player, kind, commitment, custody, level):
            return commands.TakeSeat(player, seat, commitment, custody, kind, level, state.host)
        case facts.SeedCommitted(seat, commitment, custody):
            return commands.CommitSeed(seat, commitment, custody)
        case facts.SeedRevealed(seat, seed):
            return commands.RevealSeed(seat, seed)
        case facts.SeatResigned(seat):
            sitting = state.seats[seat]
            assert sitting is not None
            return commands.Resign(sitting.player, getattr(ahead[1].body, "secret", "") if len(ahead) > 1 else "")
        case facts.MatchAbandoned("host"):
            return commands.Resign(state.host, "")
        case _:
            return commands.Expire()


# --- how it is made for the first time ---


def sit(drive: Drive, game: str, players: Sequence[str], *, clock: int | None = None, **options: Any) -> Drive:
    """``players`` sit down and reveal their seeds: the match is under way."""
    drive.open(len(players), game=game, clock=clock, **options)
    for player in players:
        take_seat(drive, player)
    for player in players:
        drive.reveal(player)
    assert drive.state.status == "playing"
    return drive


def take_seat(drive: Drive, player: str) -> None:
    """As the service records it: by the seat that is taken. A name that begins with ``bot`` is a bot."""
    seat = drive.state.seats.index(None)
    if player.startswith("bot"):
        committed = drive._server_commitment()
        taken = commands.TakeSeat(player, seat, committed, "server", "bot", "random", HOST)
    else:
        taken = commands.TakeSeat(player, seat, commitment_of(player), "own")
    drive.do(taken, by=seat)


def main() -> None:
    for tests in sorted(Path(__file__).parent.glob("*/test_golden_games.py")):
        module = importlib.import_module(f"tests.domain.{tests.parent.name}.{tests.stem}")
        for name in module.GAMES:
            if not (module.GOLDEN / f"{name}.jsonl").exists():
                store(module.GOLDEN, name, module.made(name))
                sys.stdout.write(f"{module.GOLDEN.parent.name}/{name}\n")


if __name__ == "__main__":
    main()
