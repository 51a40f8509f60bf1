"""``kibitz health``: asks a process on this machine how it is, for the health check of a container.

One that serves is asked over HTTP. A projector has no port: every few seconds it leaves a note in the data folder.
"""

import asyncio
import http.client
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from services.cli.failures import AWAY, Failure
from services.settings import Settings
from services.store.records import Unavailable

if TYPE_CHECKING:
    from services.projector import Projector  # a question every few seconds should not load what answers it

NOTE: Final = "projector.json"
EVERY: Final = 5.0
"""How often a projector says how it is, in seconds."""
_STALE: Final = 4 * EVERY
_PATIENCE: Final = 4.0


class Beat(msgspec.Struct, frozen=True):
    """What a projector says of itself. ``at``: seconds on this machine's clock. ``wrong`` is empty if all is well."""

    at: float
    wrong: str


def ask(settings: Settings) -> str:
    """What is said of a process that is ready. Raises ``Failure`` where it is not, and where none answers."""
    connection = http.client.HTTPConnection(reachable(settings.host), settings.port, timeout=_PATIENCE)
    try:
        connection.request("GET", "/health/ready")
        answer = connection.getresponse()
        said = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise Failure(f"no Kibitz answers on port {settings.port}: {error}", AWAY) from error
    finally:
        connection.close()
    if answer.status != 200:
        raise Failure(f"Kibitz is not ready: {said}", AWAY)
    return said


def ask_projector(settings: Settings) -> str:
    """The same of the projector that works in the data folder."""
    note = Path(settings.data) / NOTE
    try:
        beat = msgspec.json.decode(note.read_bytes(), type=Beat)
    except (OSError, msgspec.MsgspecError) as error:
        raise Failure(f"no projector has said anything in {settings.data}", AWAY) from error
    silent = time.monotonic() - beat.at
    if not 0 <= silent <= _STALE:
        raise Failure(f"the projector has said nothing for more than {_STALE:.0f} seconds", AWAY)
    if beat.wrong:
        raise Failure(f"the read models do not follow: {beat.wrong}", AWAY)
    return "the read models follow the events"


async def tell(projector: "Projector", data: Path) -> None:
    """Leaves word of ``projector`` in the folder ``data``, until cancelled."""
    while True:
        wrong = await _wrong(projector)
        with suppress(OSError):  # a full disk is no reason to stop working; the silence will be noticed
            _write(data, Beat(time.monotonic(), wrong))
        await asyncio.sleep(EVERY)


def _write(data: Path, beat: Beat) -> None:
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = data / f"{NOTE}.new"
    fresh.write_bytes(msgspec.json.encode(beat))
    fresh.replace(data / NOTE)  # nobody reads half a note


async def _wrong(projector: "Projector") -> str:
    try:
        health = await projector.health()
    except Unavailable as error:
        return str(error)
    still = (f"{name} stands still" for name in (*health.stalled, *health.outdated))
    return "; ".join((*health.alarms, *still))


def reachable(host: str) -> str:
    """Where this machine finds what listens on ``host``."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - recognized, not bound
