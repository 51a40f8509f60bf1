"""Where the feed's servers are: one server, or the nodes of a Redis or Valkey cluster.

In a cluster whatever is published at one node is heard at all of them, so a client needs any one node and no slots: an
ordinary connection will do, to the next node when one is lost. Sharded channels would spare the nodes from telling each
other, and would bind the one channel that there is to the node that has its slot: that node's loss would silence all.
"""

import os
from typing import Any, Final
from urllib.parse import urlsplit

from redis.asyncio import Redis
from redis.exceptions import RedisError

_CLUSTER: Final = "+cluster"
_CONNECT_SECONDS: Final = 2
_ANSWER_SECONDS: Final = 5
_GONE: Final = ("fail", "handshake", "noaddr")


class Nodes:
    """``url`` is ``redis://``, ``rediss://`` or ``unix://`` for one server. ``redis+cluster://user:word@a:1,b:2`` names
    nodes of a cluster, some or all: the others are learnt from them. Raises ``ValueError`` where it names none, or
    what cannot be one, and repeats nothing in which there might be a password.
    """

    def __init__(self, url: str) -> None:
        scheme, _, rest = url.partition("://")
        self._scheme, self.clustered = scheme.removesuffix(_CLUSTER), scheme.endswith(_CLUSTER)
        place, slash, path = rest.partition("/")
        self._who, at, named = place.rpartition("@") if self.clustered else ("", "", "")
        self._who += at
        self._path = slash + path
        self.known = [_node(at) for at in named.split(",") if at]
        if self.clustered and not self.known:
            raise ValueError(f"{scheme}:// names no node of a cluster")
        self._url = url
        try:
            for where in map(self._url_of, self.known) if self.clustered else [url]:
                _client(where).connection_pool.make_connection()  # type: ignore[no-untyped-call] # and not opened
        except (RedisError, ValueError, TypeError):
            raise ValueError(
                "no host, port and options of redis://, rediss:// or unix:// can be read in it; "
                "a / # ? or @ in a password is written %2F %23 %3F %40"
            ) from None

    def client(self, turn: int) -> Redis:
        """A client of the server; in a cluster of another node each ``turn``. Processes begin at different ones."""
        return _client(self.url(turn))

    def url(self, turn: int) -> str:
        """Where the server is, or one of the nodes, another each ``turn``."""
        return self._url_of(self.known[(os.getpid() + turn) % len(self.known)]) if self.clustered else self._url

    async def reached(self) -> dict[str, str]:
        """Asks the server, or every node that is known, whether it answers: by its address what is wrong, if anything.

        Who is to answer and with which password is left out of the address.
        """
        found = {}
        place = self._url.partition("?")[0].rpartition("@")[2].removeprefix(f"{self._scheme}://")
        for node in self.known or [place]:
            try:
                async with _client(self._url_of(node) if self.clustered else self._url) as client:
                    await client.ping()
                    found[node] = ""
            except (RedisError, OSError) as error:
                found[node] = str(error) or type(error).__name__
        return found

    async def learn(self, redis: Redis) -> None:
        """Asks a node for the others. Raises what the client raises, and ``RedisError`` if it is in no cluster."""
        if not self.clustered:
            return
        nodes: dict[str, Any] = await redis.execute_command("CLUSTER NODES")  # type: ignore[no-untyped-call]
        living = [at for at, node in nodes.items() if not any(word in node["flags"].split(",") for word in _GONE)]
        if len(living) < 2 and len(self.known) > 1:
            raise RedisError("this node knows none of the others")
        told = [_node(at) for at in living if at.rpartition(":")[0] and not at.endswith(":0")]
        self.known += [at for at in told if at not in self.known]

    def _url_of(self, node: str) -> str:
        return f"{self._scheme}://{self._who}{node}{self._path}"


def _client(url: str) -> Redis:
    return Redis.from_url(url, socket_connect_timeout=_CONNECT_SECONDS, socket_timeout=_ANSWER_SECONDS)


def _node(at: str) -> str:
    """Host and port as a URL has them: a node tells an address of IPv6 without brackets. Raises ``ValueError``."""
    host, _, port = at.rpartition(":")
    node = f"[{host}]:{port}" if ":" in host and not host.startswith("[") else at
    if urlsplit(f"//{node}").port == 0:
        raise ValueError(f"{at} is no node: a port is a number from 1 on")
    return node
