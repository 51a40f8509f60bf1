"""Buckets of tokens that all processes draw from: one count for all, kept by Redis.

Each bucket is one number, the time at which it will be full (GCRA, as leaky buckets of ATM are counted). A script of
Redis reads and moves it, by the clock of Redis, so no two processes can take the same token and no clock of theirs
matters. A bucket that is full is forgotten by itself.
"""

import asyncio
from math import ceil
from typing import Any, Final, NamedTuple

import structlog
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.cluster import RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from services.feed.nodes import Nodes

log = structlog.get_logger()

KEY: Final = "kibitz:bucket:"
ANSWER_SECONDS: Final = 0.5
"""How long Redis is waited for: whoever asks is waiting, too."""
REST_SECONDS: Final = 1.0
"""How long Redis is not asked again after it did not answer, so that an outage does not slow every request down."""
MINUTE: Final = 60.0
"""In how many seconds an empty bucket fills."""
_CONNECTIONS: Final = 8
_AWAY: Final = (RedisError, OSError, TimeoutError)
_TAKE: Final = """
local now = redis.call('TIME')
now = now[1] * 1000 + now[2] / 1000
local each, size = tonumber(ARGV[1]), tonumber(ARGV[2])
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local held = size - (full - now) / each
if held < 1 - 1e-6 then
  return {0, 0, math.ceil(full - now), math.ceil((1 - held) * each)}
end
full = full + each
redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now))
return {1, math.floor(held - 1 + 1e-6), math.ceil(full - now), math.ceil(math.max(0, 2 - held) * each)}
"""
"""Takes one from a bucket of ``size`` that gets one more each ``each`` milliseconds."""


class Level(NamedTuple):
    """What is left in a bucket. ``full`` and ``next`` are the seconds until it is full, and until there is one more."""

    taken: bool
    left: int
    full: int
    next: int


class Away(Exception):
    """Redis does not count now."""


class Buckets:
    """``redis_url`` is that of a server, or names nodes of a cluster (``nodes.py``)."""

    def __init__(self, redis_url: str) -> None:
        self._nodes = Nodes(redis_url)
        self._redis: Any = None
        self._turn = 0
        self._rests = 0.0
        self.away = False

    async def take(self, name: str, rate: int) -> Level:
        """Takes one from the bucket ``name``, of ``rate`` tokens and ``rate`` more in each minute.

        Raises ``Away`` if Redis does not answer, and at once while it has lately not answered.
        """
        clock = asyncio.get_running_loop()
        if clock.time() < self._rests:
            raise Away
        try:
            async with asyncio.timeout(2 * ANSWER_SECONDS):
                if self._redis is None:
                    self._redis = self._client()
                taken, left, full, until = await self._redis.eval(_TAKE, 1, KEY + name, 1000 * MINUTE / rate, rate)
        except _AWAY as error:
            self._rests = clock.time() + REST_SECONDS
            if not self.away:
                log.warning("limits are not counted together", error=str(error) or type(error).__name__)
            self.away = True
            await self.close()  # in a cluster the next node is asked
            raise Away from error
        if self.away:
            log.info("limits are counted together again")
        self.away = False
        return Level(bool(taken), left, ceil(full / 1000), ceil(until / 1000))

    async def close(self) -> None:
        redis, self._redis = self._redis, None
        if redis is not None:
            try:
                await redis.aclose()
            except _AWAY as error:
                log.debug("a connection was gone before it was closed", error=str(error))

    def _client(self) -> Any:
        """A client whose commands reach the node that has the bucket, in at most ``ANSWER_SECONDS`` each."""
        self._turn += 1
        how: dict[str, Any] = {
            "socket_connect_timeout": ANSWER_SECONDS,
            "socket_timeout": ANSWER_SECONDS,
            "retry": Retry(NoBackoff(), 0),
        }
        url = self._nodes.url(self._turn)
        if self._nodes.clustered:
            return RedisCluster.from_url(url, **how)
        pool = BlockingConnectionPool.from_url(url, max_connections=_CONNECTIONS, timeout=ANSWER_SECONDS, **how)
        return Redis.from_pool(pool)
