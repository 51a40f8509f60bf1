"""P8: what a verifier needs for a bundle, against hashing the bytes of its events."""

import time
from collections.abc import Iterator
from functools import partial

from domain.event import chained
from domain.games import GAMES
from services.audit import verify
from services.disclosure import bundle
from tests.bench.paired import Row, compared, in_turn
from tests.bench.playouts import a_match
from tests.bench.scale import Scale
from tests.engine.played import Played

_EVENTS = 1_500


def _verified_a_second(data: bytes, events: int, times: int) -> float:
    began = time.process_time()
    for _ in range(times):
        report = verify(data)
        assert report.verdict in ("VALID", "INCOMPLETE"), report
        assert report.versions == events, report
        assert not any(check.ok is False for check in report.checks), report
    return events * times / (time.process_time() - began)


def _hashed_a_second(played: Played, times: int) -> float:
    texts = [event.data for event in played.events]
    began = time.process_time()
    for _ in range(times):
        for text in texts:
            chained(text)
    return len(texts) * times / (time.process_time() - began)


def measure_audits(scale: Scale) -> Iterator[Row]:
    for game in GAMES:
        played = a_match(game, min(_EVENTS, scale.moves))
        events = len(played.events)
        data, times = bundle(played.events, played.openings, "all", 0), max(1, scale.moves // events)
        yield compared(
            in_turn(
                partial(_verified_a_second, data, events, times), partial(_hashed_a_second, played, times), scale.rounds
            ),
            id="P8",
            figure=f"verifying a bundle, {game}",
            unit="events/s",
            reference="hashing the same bytes",
            aim=50_000.0,
            held="value",
            note=f"{events} events",
        )
