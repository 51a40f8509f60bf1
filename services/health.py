"""How a Kibitz on this machine is: asked by the health check of a container, every few seconds, so it loads little.

One that serves is asked over HTTP. A projector has no port: every few seconds it leaves a note in the data folder.

    python -m services.health [--projector]
"""

import http.client
import sys
import time
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

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


def address(settings: Settings) -> str:
    """The URL at which this machine finds what listens where ``settings`` say."""
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104 - recognized, not bound
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def ask(url: str) -> str:
    """What the Kibitz at ``url`` says that is ready. Raises ``Unwell`` where it is not, and where none answers;
    ``ValueError`` for what is no address.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url} is no address: one begins with http:// or https://")
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=_PATIENCE)
    try:
        connection.request("GET", f"{parts.path.rstrip('/')}/health/ready")
        answer = connection.getresponse()
        said = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise Unwell(f"no Kibitz answers at {url}: {error}") from error
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


def main(arguments: list[str]) -> int:
    """The exit code: 0 for well, 3 for not."""
    try:
        settings = from_environment()
        said = ask_projector(settings) if "--projector" in arguments else ask(address(settings))
    except (Unwell, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return _UNWELL
    sys.stdout.write(f"{said}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
