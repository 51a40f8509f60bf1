"""What works beside the requests: each part is kept going, and what becomes of it can be seen."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

log = structlog.get_logger()

PAUSE_SECONDS: Final = 1.0
RECENT_SECONDS: Final = 60.0


class Parts:
    """The parts of one process. ``restarts`` counts by name how often each failed and was started again."""

    def __init__(self, pause: float = PAUSE_SECONDS) -> None:
        self._pause = pause
        self._failed: dict[str, float] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.restarts: dict[str, int] = {}

    @property
    def ailing(self) -> tuple[str, ...]:
        """The parts that do not run, or failed within the last minute, by name."""
        now = asyncio.get_running_loop().time()
        recent = {name for name, at in self._failed.items() if now - at < RECENT_SECONDS}
        return tuple(sorted(recent | {name for name, task in self._tasks.items() if task.done()}))

    def start(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Runs ``work`` until ``stop``: what it did not foresee is logged and counted, and it begins again."""
        self.restarts[name] = 0
        self._tasks[name] = asyncio.create_task(self._kept_going(name, work), name=name)

    async def stop(self) -> None:
        """Ends all parts and waits until they have."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self._tasks.clear()

    async def _kept_going(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
                log.error("a part of the service ended and is started again", part=name)
            except Exception:
                log.exception("a part of the service failed and is started again", part=name)
            self.restarts[name] += 1
            self._failed[name] = asyncio.get_running_loop().time()
            await asyncio.sleep(self._pause)
