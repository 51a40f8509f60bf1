"""The feed on a cluster of three nodes, started here: told at one node, heard at another, and a node may be lost."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as Refused
from redis.exceptions import RedisError

from services.embedded.valkey import _program
from services.feed import Feed
from services.feed.nodes import _GONE, Nodes
from services.ids import new_id
from tests.engine.test_redis import connected, heard
from tests.waiting import PATIENCE, eventually, free_ports

SLOTS = 16384


class Node:
    """One node on loopback; its port is that of its clients, and one more is for the other nodes."""

    def __init__(self, folder: Path, port: int, bus: int, host: str = "127.0.0.1") -> None:
        self.port, self.bus, self.folder, self.host = port, bus, folder, host
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        network = ["--bind", self.host, "--port", str(self.port), "--cluster-port", str(self.bus)]
        cluster = ["--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "30000"]
        keeping = ["--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen([_program(), *network, *cluster, *keeping], stdout=log, stderr=log)

    def end(self, number: signal.Signals = signal.SIGKILL) -> None:
        if self.process is not None and self.process.poll() is None:
            os.kill(self.process.pid, number)
            self.process.wait(PATIENCE)

    def client(self) -> Redis:
        return Redis(host=self.host, port=self.port, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)

    @property
    def at(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@pytest.fixture
def nodes() -> Iterator[list[Node]]:
    """Three nodes that run, each alone."""
    folder = Path(tempfile.mkdtemp(prefix="kibitz-cluster-"))
    ports = free_ports(6)
    made = [Node(folder / str(k), ports[k], ports[3 + k]) for k in range(3)]
    try:
        for node in made:
            node.start()
        yield made
    finally:
        for node in made:
            node.end()
        shutil.rmtree(folder)


@pytest.fixture
async def cluster(nodes: list[Node]) -> list[Node]:
    """The three as one cluster, which has all slots."""
    for k, node in enumerate(nodes):
        await _until_it_answers(node)
        first, last = SLOTS * k // 3, SLOTS * (k + 1) // 3 - 1
        await _say(node, "CLUSTER ADDSLOTSRANGE", first, last)
        await _say(node, "CLUSTER MEET", "127.0.0.1", nodes[0].port, nodes[0].bus)

    async def whole() -> bool:
        return all([b"cluster_state:ok" in await _info(node) and len(await _met(node)) == 3 for node in nodes])

    await eventually(whole)
    return nodes


async def _say(node: Node, *words: str | int) -> object:
    client = node.client()
    try:
        return await client.execute_command(*words)
    finally:
        await client.aclose()


async def _info(node: Node) -> bytes:
    client = node.client()
    client.response_callbacks.clear()
    try:
        return bytes(await client.execute_command("CLUSTER INFO"))
    finally:
        await client.aclose()


async def _met(node: Node) -> list[str]:
    """The nodes that one knows, itself among them, and is connected to: as ``Nodes.learn`` will see them."""
    known = await _say(node, "CLUSTER NODES")
    assert isinstance(known, dict)
    return [at for at, one in known.items() if one["connected"] and not any(word in one["flags"] for word in _GONE)]


async def _all_meet(nodes: list[Node]) -> None:
    async def so() -> bool:
        return all([len(await _met(node)) == len(nodes) for node in nodes])

    await eventually(so)


async def _until_it_answers(node: Node) -> None:
    async def so() -> bool:
        with suppress(Refused, OSError):
            await _say(node, "PING")
            return True
        return False

    await eventually(so)


async def listening(url: str) -> Feed:
    feed = Feed(url)
    await feed.start()
    await connected(feed)
    return feed


def url_of(*nodes: Node) -> str:
    return f"redis+cluster://{','.join(node.at for node in nodes)}"


async def test_what_is_told_at_one_node_is_heard_at_every_other(cluster: list[Node]):
    # given feeds that know one node each, and have learnt of the others
    feeds = [await listening(url_of(node)) for node in cluster]
    for feed in feeds:
        assert sorted(feed._nodes.known) == sorted(node.at for node in cluster)
    # then whoever tells is heard by all, and a version is told once
    for sender in feeds:
        for receiver in feeds:
            await heard(sender, receiver)
    match, told = new_id(), list[int]()
    feeds[2].listen(lambda moved, version: told.append(version) if moved == match else None)
    for version in range(1, 51):
        feeds[0].publish(match, version)
        await asyncio.sleep(0.005)
    await eventually(lambda: 50 in told)
    assert told == sorted(set(told))
    for feed in feeds:
        await feed.stop()


@pytest.fixture
def two_of_ipv6(tmp_path: Path) -> Iterator[list[Node]]:
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6")
    ports = free_ports(4)
    made = [Node(tmp_path / str(k), ports[k], ports[2 + k], "::1") for k in range(2)]
    try:
        for node in made:
            node.start()
        yield made
    finally:
        for node in made:
            node.end()


async def test_nodes_are_learnt_of_whose_addresses_are_of_ipv6(two_of_ipv6: list[Node]):
    first, second = two_of_ipv6
    for node in two_of_ipv6:
        await _until_it_answers(node)
    await _say(second, "CLUSTER MEET", "::1", first.port, first.bus)
    await _all_meet(two_of_ipv6)
    # given two feeds that know the same node, and have learnt of the other
    here, there = await listening(url_of(first)), await listening(url_of(first))
    assert here._nodes.known == [first.at, second.at]
    # when that node is lost, then they go on at the other
    first.end()
    here.publish(new_id(), 1)
    await connected(here, is_=False)
    await connected(here)
    await connected(there)
    await heard(here, there)
    await asyncio.gather(here.stop(), there.stop())


async def test_with_a_node_lost_its_feeds_go_on_at_another_and_it_may_come_back(cluster: list[Node]):
    feeds = [await listening(url_of(*cluster[k:], *cluster[:k])) for k in range(3)]
    for lost in cluster[:2]:
        # when a node is killed, and with it the slots that nobody else has
        lost.end()
        # then every feed is connected again, and all hear all
        for feed in feeds:
            feed.publish(new_id(), 1)  # who tells notices a connection that is gone
        await asyncio.sleep(0)
        for sender in feeds:
            for receiver in feeds:
                await connected(sender)
                await heard(sender, receiver)
        # and when it is back, it is as good as any
        lost.start()
        await _until_it_answers(lost)
        await _all_meet(cluster)
    for sender in feeds:
        for receiver in feeds:
            await heard(sender, receiver)
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(feed.stop() for feed in feeds))


async def test_with_every_node_lost_nothing_waits_and_the_feed_comes_back_with_the_first(cluster: list[Node]):
    here, there, match = await listening(url_of(*cluster)), await listening(url_of(*cluster)), new_id()
    for node in cluster:
        node.end()
    for version in range(1000):
        here.publish(match, version + 1)
    await connected(here, is_=False)
    await connected(there, is_=False)
    with here.watch(match) as watch:
        await watch.changed(0.01)
    for node in cluster[:2]:
        node.start()
    await connected(here)
    await connected(there)
    await heard(here, there)
    await asyncio.gather(here.stop(), there.stop())


@pytest.mark.parametrize(
    ("url", "known", "first"),
    [
        ("redis+cluster://a:1,b:2", ["a:1", "b:2"], "a"),
        ("redis+cluster://me:word@a:1,b:2", ["a:1", "b:2"], "a"),
        ("rediss+cluster://a:1", ["a:1"], "a"),
        ("redis://a:1/0", [], "a"),
    ],
)
async def test_an_address_names_a_server_or_nodes(url: str, known: list[str], first: str):
    nodes = Nodes(url)
    assert nodes.known == known
    hosts = set()
    for turn in range(2):
        client = nodes.client(turn)
        given = client.connection_pool.connection_kwargs
        hosts.add(given["host"])
        assert given.get("username") == ("me" if "me:" in url else None)
        await client.aclose()
    assert hosts == ({node[0] for node in known} or {first})


@pytest.mark.parametrize("url", ["redis+cluster://", "redis+cluster:///0", "redis+cluster://me:word@"])
def test_an_address_of_a_cluster_without_nodes_is_refused(url: str):
    with pytest.raises(ValueError, match="names no node"):
        Nodes(url)


@pytest.mark.parametrize("node", ["b:port", "b:99999", "b:0", "b:-1"])
def test_what_cannot_be_a_node_is_refused_at_once_and_no_word_is_told(node: str):
    with pytest.raises(ValueError, match=r"[Pp]ort") as told:
        Nodes(f"redis+cluster://me:word@a:1,{node}")
    assert "word" not in str(told.value)


async def test_a_node_that_knows_no_other_is_left(nodes: list[Node]):
    await _until_it_answers(nodes[0])
    client = nodes[0].client()
    with pytest.raises(RedisError, match="knows none"):
        await Nodes(url_of(*nodes)).learn(client)
    await client.aclose()
