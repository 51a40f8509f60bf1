"""How a Kibitz on this machine is: asked by the health check of a container, every few seconds, so it loads little.

One that serves is asked over HTTP. A projector has no port: every few seconds it leaves a note in the data folder.

    python -m services.health [--projector]
"""

import http.client
import sys
import time
from pathlib import Path
from typing import Final

import msgspec

from services.settings import Settings, from_environment

NOTE: Final = "projector.json"
EVERY: Final = 5.0
"""How often a projector says how it is, in seconds."""
_STALE: Final = 4 * EVERY
_PATIENCE: Final = 8.0
_UNWELL: Final = 3


class Unwell(Exception):
    """It is not as it should be, or does not answer. The text says what is wrong."""


class Beat(msgspec.Struct, frozen=True):
    """What a projector says of itself. ``at``: seconds on this machine's clock. ``wrong`` is empty if all is well."""

    at: float
    wrong: str


def ask(settings: Settings) -> str:
    """What a process says that serves and is ready. Raises ``Unwell`` where it is not, and where none answers."""
    connection = http.client.HTTPConnection(_reachable(settings.host), settings.port, timeout=_PATIENCE)
    try:
        connection.request("GET", "/health/ready")
        answer = connection.getresponse()
        said = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise Unwell(f"no Kibitz answers on port {settings.port}: {error}") from error
    finally:
        connection.close()
    if answer.status != http.client.OK:
        raise Unwell(f"Kibitz is not ready: {said}")
    return said


def ask_projector(settings: Settings) -> str:
    """The same of the projector that works in the data folder."""
    note = Path(settings.data) / NOTE
    try:
        beat = msgspec.json.decode(note.read_bytes(), type=Beat)
    except (OSError, msgspec.MsgspecError) as error:
        raise Unwell(f"no projector has said anything in {settings.data}") from error
    if not 0 <= time.monotonic() - beat.at <= _STALE:
        raise Unwell(f"the projector has said nothing for more than {_STALE:.0f} seconds")
    if beat.wrong:
        raise Unwell(f"the read models do not follow: {beat.wrong}")
    return "the read models follow the events"


def tell(data: Path, wrong: str) -> None:
    """Leaves word of a projector in the folder ``data``. Raises ``OSError``."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = data / f"{NOTE}.new"
    fresh.write_bytes(msgspec.json.encode(Beat(time.monotonic(), wrong)))
    fresh.replace(data / NOTE)  # nobody reads half a note


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - recognized, not bound


def main(arguments: list[str]) -> int:
    """The exit code: 0 for well, 3 for not."""
    try:
        said = (ask_projector if "--projector" in arguments else ask)(from_environment())
    except (Unwell, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return _UNWELL
    sys.stdout.write(f"{said}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
