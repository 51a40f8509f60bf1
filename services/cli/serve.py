"""``kibitz serve``: the servers, the service and the demo in one process, started and stopped in order."""

import asyncio
import signal
import socket
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import structlog
import uvicorn
import uvloop
from msgspec.structs import replace
from rich.console import Console

from services.api import create_api
from services.api.context import Context
from services.api.socket import FRAME_BYTES, PING_SECONDS
from services.app import running
from services.cli import logs, welcome
from services.cli.failures import FAULT, Failure
from services.cli.servers import Servers, announced, own_servers
from services.demo import Demo
from services.embedded import Embedded, EmbeddedError
from services.settings import Settings
from services.store.migrate import migrate

log = structlog.get_logger()

ANOTHER: Final = "another: make serve PORT=9000, or kibitz serve --port 9000"
GRACE: Final = 5
"""How long open requests may go on after a stop, in seconds."""
KEEP_ALIVE: Final = 75
"""Seconds that an idle connection stays open: longer than clients keep theirs, so that they close first."""
PATIENCE: Final = 30.0
"""How long a start waits for the demo to be laid out, in seconds: it may be in trouble and the service well."""
LOOK: Final = 1.0
"""How often it is looked whether the embedded servers live, in seconds."""


class Web(uvicorn.Server):
    """uvicorn, leaving signals to us: there is more to stop than it knows of. ``ready`` is set when it answers."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def run(settings: Settings, *, demo: bool, log_to: str | None) -> None:
    """The command: serves until Ctrl-C or SIGTERM. Whatever was started is stopped, also if the rest cannot start."""
    console = Console(highlight=False, soft_wrap=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # until the loop takes over
    with listening(settings.host, settings.port) as line:
        port = line.getsockname()[1]
        with console.status("starting PostgreSQL and Redis") as status, own_servers(settings) as using:
            logs.configure(_log_file(settings, log_to), settings.log_level)
            status.update("bringing the database to the newest schema")
            migrate(using.database_url)
            status.stop()
            ready = replace(settings, port=port, database_url=using.database_url, redis_url=using.redis_url)
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(_serve(ready, line, using, console, demo=demo))
    console.print("stopped; the next start goes on from here")


def _log_file(settings: Settings, log_to: str | None) -> Path | None:
    if log_to == logs.STDERR:
        return None
    return Path(settings.data) / "kibitz.log" if log_to is None else Path(log_to)


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


async def _serve(settings: Settings, line: socket.socket, using: Servers, console: Console, *, demo: bool) -> None:
    loop, asked_to_stop = asyncio.get_running_loop(), asyncio.Event()
    url = f"http://{_reachable(settings.host)}:{settings.port}"
    async with running(settings) as context:
        web = Web(
            uvicorn.Config(
                create_api(context),
                http="httptools",
                ws="websockets-sansio",
                ws_max_size=FRAME_BYTES,
                ws_ping_interval=PING_SECONDS,
                ws_ping_timeout=PING_SECONDS,
                ws_per_message_deflate=False,  # it would cost more memory than all the rest of a socket
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=GRACE,
                timeout_keep_alive=KEEP_ALIVE,
            )
        )

        def stop() -> None:
            web.force_exit = asked_to_stop.is_set()  # who asks twice is in a hurry
            asked_to_stop.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
        show = _demo(context) if demo else None
        serving = asyncio.create_task(web.serve(sockets=[line]))
        beside = [asyncio.create_task(show.run())] if show else []
        if using.embedded is not None:
            beside.append(asyncio.create_task(_keep_alive(using.embedded)))
        try:
            await _first(serving, web.ready.wait())
            with announced(Path(settings.data), url, using):
                if show is not None:
                    await _first(serving, show.ready(), asked_to_stop.wait(), asyncio.sleep(PATIENCE))
                if not asked_to_stop.is_set():
                    welcome.say(console, settings, url, show)
                await _first(serving, asked_to_stop.wait())
        finally:
            context.closing.set()
            web.should_exit = True
            for task in beside:
                task.cancel()
            await asyncio.gather(serving, *beside, return_exceptions=True)
    if not asked_to_stop.is_set():
        raise Failure("the web server ended by itself; the log file says more", FAULT)


def _demo(context: Context) -> Demo:
    return Demo(context.store, context.matches, context.feed, context.readmodels, context.projector)


async def _first(serving: "asyncio.Task[None]", *others: Coroutine[Any, Any, object]) -> None:
    """Waits for the first of ``others``, or for the web server to end, which it should not."""
    waiting = [asyncio.ensure_future(other) for other in others]
    try:
        await asyncio.wait((serving, *waiting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


async def _keep_alive(embedded: Embedded) -> None:
    """Starts an embedded server again that has died; the parts of the service wait for it meanwhile."""
    while True:
        await asyncio.sleep(LOOK)
        try:
            await asyncio.to_thread(embedded.revive)
        except EmbeddedError as error:
            log.error("an embedded server does not start again", error=str(error))  # noqa: TRY400 - a line is enough


def _reachable(host: str) -> str:
    """Where a browser on this machine finds what listens on ``host``."""
    if host in ("0.0.0.0", "::"):  # noqa: S104 - recognized, not bound
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
