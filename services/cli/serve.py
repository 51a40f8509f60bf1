"""``kibitz serve``: the servers, the schema, the socket, and one process or several that serve on it.

With one, all is in this process. With more, this process keeps the servers and the socket, and watches over workers.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Final

import structlog
import uvloop
from msgspec.structs import replace
from rich.console import Console

from services import health
from services.cli import logs, welcome
from services.cli.failures import USAGE, Failure
from services.cli.front import Front, Shown
from services.cli.servers import Servers, announced, own_servers
from services.embedded import Embedded, EmbeddedError
from services.settings import Settings
from services.store.migrate import migrate

log = structlog.get_logger()

ANOTHER: Final = "another: make serve PORT=9000, or kibitz serve --port 9000"
LOOK: Final = 1.0
"""How often it is looked whether the embedded servers live, in seconds."""


def run(settings: Settings, *, demo: bool, log_to: str | None) -> None:
    """The command: serves until Ctrl-C or SIGTERM. Whatever was started is stopped, also if the rest cannot start."""
    console = Console(highlight=False, soft_wrap=True)
    _check_extras(settings)
    with listening(settings.host, settings.port) as line:
        port, file = line.getsockname()[1], _log_file(settings, log_to)
        with (
            console.status("starting PostgreSQL and Redis") as status,
            loading("services.cli.web"),
            own_servers(settings) as using,
        ):
            logs.configure(file, settings.log_level)
            status.update("bringing the database to the newest schema")
            migrate(using.database_url)
            status.stop()
            ready = replace(settings, port=port, database_url=using.database_url, redis_url=using.redis_url)
            with _Front(console, ready, using) as front:
                if settings.workers == 1:
                    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                        runner.run(_alone(ready, line, front, using, demo=demo))
                else:
                    asyncio.run(_watching(ready, file, line, front, using, demo=demo))
    console.print("stopped; the next start goes on from here")


def _check_extras(settings: Settings) -> None:
    if settings.otlp_endpoint and find_spec("opentelemetry") is None:
        raise Failure("KIBITZ_OTLP_ENDPOINT needs what comes with it: pip install 'kibitz[otel]'", USAGE)


class _Front:
    """Says on the terminal, and in the data folder, where the service is to be found."""

    def __init__(self, console: Console, settings: Settings, using: Servers) -> None:
        self._console = console
        self._settings = settings
        self._using = using
        self._url = health.address(settings)
        self._told = ExitStack()

    def answers(self) -> None:
        self._told.enter_context(announced(Path(self._settings.data), self._url, self._using))

    def shows(self, shown: Shown | None) -> None:
        own = self._using.embedded is not None
        welcome.say(self._console, self._settings, self._url, shown, own_servers=own)

    def __enter__(self) -> "_Front":
        return self

    def __exit__(self, *_: object) -> None:
        self._told.close()


async def _alone(settings: Settings, line: socket.socket, front: Front, using: Servers, *, demo: bool) -> None:
    from services.cli import web  # noqa: PLC0415 - see ``loading``

    pages = asyncio.create_task(logs.turn_pages())
    try:
        async with _kept_alive(using.embedded):
            await web.serve(settings, line, front, demo=demo)
    finally:
        pages.cancel()


async def _watching(
    settings: Settings, file: Path | None, line: socket.socket, front: Front, using: Servers, *, demo: bool
) -> None:
    from services.cli import worker, workers  # noqa: PLC0415 - what only watches need not load what serves

    with TemporaryDirectory(prefix="kibitz-figures-") as figures:
        log_to = None if file is None else str(file)
        job = worker.Job(settings=settings, line=line.fileno(), demo=demo, log=log_to, figures=figures)
        async with _kept_alive(using.embedded):
            await workers.overseen(job, line, front)


def _log_file(settings: Settings, log_to: str | None) -> Path | None:
    if log_to == logs.STDERR:
        return None
    return Path(settings.data) / "kibitz.log" if log_to is None else Path(log_to)


@contextmanager
def loading(module: str) -> Iterator[None]:
    """Loads ``module`` while the block runs, for whoever imports it later: servers start, and most of that is waiting.

    What goes wrong with it is left to that import to say.
    """

    def load() -> None:
        with suppress(ImportError):
            import_module(module)

    Thread(target=load, daemon=True).start()
    yield


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket bound to the address; taken before anything is started, so that a second start disturbs nothing.

    Raises ``Failure`` for a port that is taken and an address that is not ours.
    """
    try:
        [(family, kind, protocol, _, address), *_] = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        line = socket.socket(family, kind, protocol)
    except OSError as error:
        raise Failure(f"{host} is not an address to listen on: {error.strerror}") from error
    with line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            line.bind(address)
            line.listen(2048)  # a taken port may show here only
        except PermissionError as error:
            raise Failure(f"port {port} may not be used by this account; {ANOTHER}") from error
        except OSError as error:
            taken = f"port {port} on {host} is taken; is Kibitz running already? {ANOTHER}"
            raise Failure(taken if port else f"{host} cannot be listened on: {error.strerror}") from error
        line.setblocking(False)
        yield line


@asynccontextmanager
async def _kept_alive(embedded: Embedded | None) -> AsyncIterator[None]:
    """Until the end of the block, starts an embedded server again that has died; the service waits for it meanwhile."""
    if embedded is None:
        yield
        return
    task = asyncio.create_task(_keep_alive(embedded))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _keep_alive(embedded: Embedded) -> None:
    while True:
        await asyncio.sleep(LOOK)
        try:
            await asyncio.to_thread(embedded.revive)
        except EmbeddedError as error:
            log.error("an embedded server does not start again", error=str(error))  # noqa: TRY400 - a line is enough
