"""The web server of one process with all that works beside it: started, shown, and ended in time."""

import asyncio
import socket
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final

import structlog

from services.api import create_api
from services.api.context import Context
from services.api.server import Config, Server
from services.app import running
from services.cli.asked import when_asked_to_stop
from services.cli.failures import FAULT, Failure
from services.cli.front import Front, Shown
from services.collector import collect_less
from services.demo import Demo
from services.settings import Settings

log = structlog.get_logger()

GRACE: Final = 3.0
"""How long open requests may go on after a stop, in seconds. Then what still waits for the store is refused."""
_CLOSE: Final = 1.0
_CUT: Final = 5
"""Seconds after a stop at which connections are cut whose readers do not read. Longer than all before."""
PATIENCE: Final = 30.0
"""How long a start waits for the demo to be laid out, in seconds: it may be in trouble and the service well."""


class Web(Server):
    """The server, leaving signals to us: there is more to stop than it knows of. ``ready`` is set when it answers."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(settings: Settings, line: socket.socket, front: Front, *, demo: bool) -> None:
    """Serves on ``line`` until SIGINT or SIGTERM; then ends open streams, each after a whole frame, finishes what was
    asked or refuses it, and ends within ten seconds whatever others do. A second signal does not wait for requests.

    Raises ``Failure`` if the web server ends by itself.
    """
    asked_to_stop = asyncio.Event()
    async with running(settings) as context:
        web = Web(Config(create_api(context), context.wire, timeout_graceful_shutdown=_CUT))

        def stop() -> None:
            web.force_exit = asked_to_stop.is_set()  # who asks twice is in a hurry
            asked_to_stop.set()

        when_asked_to_stop(stop)
        serving = asyncio.create_task(web.serve(sockets=[line]))
        try:
            await _first(serving, web.ready.wait())
            collect_less()
            front.answers()
            show = _started(context) if demo else None
            if show is not None:
                await _first(serving, show.ready(), asked_to_stop.wait(), asyncio.sleep(PATIENCE))
            if not asked_to_stop.is_set():
                front.shows(_shown(show))
            await _first(serving, asked_to_stop.wait())
        finally:
            context.closing.set()
            web.should_exit = True
            await _ended(serving, context)
    if not asked_to_stop.is_set():
        raise Failure("the web server ended by itself; the log file says more", FAULT)


def _started(context: Context) -> Demo:
    show = Demo(context.store, context.matches, context.feed, context.readmodels, context.projector)
    context.parts.start("demo", show.run)
    return show


def _shown(show: Demo | None) -> Shown | None:
    return Shown(show.playing[0], show.finished[0]) if show and show.playing and show.finished else None


async def _ended(serving: "asyncio.Task[None]", context: Context) -> None:
    """Returns when the web server has ended. A store that does not answer keeps nobody longer than ``GRACE``: what
    waits for it is refused (503), and may be asked again elsewhere with the same key.
    """
    done, _ = await asyncio.wait({serving}, timeout=GRACE)
    if not done:
        await context.store.close(_CLOSE)
    await asyncio.gather(serving, return_exceptions=True)


async def _first(serving: "asyncio.Task[None]", *others: Coroutine[Any, Any, object]) -> None:
    """Waits for the first of ``others``, or for the web server to end, which it should not."""
    waiting = [asyncio.ensure_future(other) for other in others]
    try:
        await asyncio.wait((serving, *waiting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
