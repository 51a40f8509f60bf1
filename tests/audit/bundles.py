"""Bundles of matches, put together from what was stored of them and from nothing that the verifiers use."""

import hashlib
import json
from base64 import urlsafe_b64decode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from domain.games import GAMES
from domain.hidden import Opening, b64u
from tests.domain import golden_games
from tests.domain.match.drive import Drive

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(ROOT.glob("tests/domain/*/golden"))
GOLDEN = {f"{folder.parent.name}/{path.stem}": path for folder in FOLDERS for path in sorted(folder.glob("*.jsonl"))}
"""Every stored match of every game."""

Bundle = dict[str, Any]


def of(events: Sequence[bytes], openings: Sequence[tuple[int, Opening]]) -> Bundle:
    """The bundle of a match from its event texts and, each with its version, its openings."""
    bodies = [json.loads(data) for data in events]
    opened = bodies[0]["body"]
    return {
        "format": "kibitz-bundle/1",
        "match": bodies[0]["match"],
        "game": opened["game"],
        "seats": opened["seats"],
        "options": opened["options"],
        "versions": len(events),
        "head": b64u(hashlib.sha256(b"\0" + events[-1]).digest()),
        "rulebooks": [{"game": name, "sha256": rulebook_hash(name)} for name in ("match", opened["game"])],
        "events": [data.decode() for data in events],
        "openings": [
            {
                "version": version,
                "path": opening.path,
                "to": list(opening.to),
                "salt": b64u(opening.salt),
                "value": opening.value.decode(),
            }
            for version, opening in openings
        ],
        "keys": published(bodies),
    }


def published(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The secrets that the events publish."""
    bodies = [event["body"] for event in events]
    return [{"hand": body["hand"], "secret": body["secret"]} for body in bodies if body.get("secret")]


def rulebook_hash(name: str) -> str:
    folder = GAMES[name].folder if name in GAMES else name
    return b64u(hashlib.sha256((ROOT / "domain" / folder / "RULES.md").read_bytes()).digest())


def golden(name: str) -> Bundle:
    """The bundle of a stored match, named as in ``GOLDEN``."""
    path = GOLDEN[name]
    lines = golden_games.stored(path.parent, path.stem)
    openings = [(version, opening) for version, line in enumerate(lines, 1) for opening in line.openings]
    return of([line.data.encode() for line in lines], openings)


def driven(drive: Drive) -> Bundle:
    """The bundle of a match that is being driven. As a player of no seat gets it: what is over is open."""
    openings = [
        (entry.event.version, opening)
        for entry in drive.log
        for opening in entry.openings
        if entry.hand <= drive.state.opened
    ]
    return of([entry.data for entry in drive.log], openings)


def text(bundle: Bundle) -> bytes:
    return json.dumps(bundle, separators=(",", ":"), ensure_ascii=False).encode()


def raw(base64url: str) -> bytes:
    """The bytes behind a text in base64url without padding."""
    return urlsafe_b64decode(base64url + "==")
