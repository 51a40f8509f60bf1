"""The examples for clients do what they say."""

import asyncio
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from websockets.exceptions import InvalidStatus

from domain.match import EVENTS
from tests.api.conftest import Service
from tests.api.guests import Guest, ok, open_match
from tests.waiting import PATIENCE

EXAMPLES = Path(__file__).parents[2] / "openapi" / "examples"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def test_the_example_that_plays_plays_a_match(service: Service):
    sheet = await asyncio.to_thread(example("play").play, service.url)
    assert len(sheet["hands"]) == 1
    assert sheet["seats"] == ["Arno", "Babs", "Chris"]
    assert sheet["winners"]


async def test_the_example_that_watches_sees_every_event_once(service: Service):
    table = await service.table(options={"games": 1})
    watching = asyncio.create_task(asyncio.to_thread(lambda: list(example("watch").watch(service.url, table.match))))
    await table.play_out()
    events = await watching
    assert [event["version"] for event in events] == list(range(1, (await table.seen())["version"] + 1))


async def test_the_example_that_watches_ends_with_a_match_that_was_disputed_when_it_was_over(service: Service):
    table = await service.table(options={"games": 1})
    await table.play_out()
    dispute = {"first": 10, "last": 12, "claim": "That was out of turn."}
    ok(await table.guests[0].post(f"{table.path}/disputes", dispute))
    watching = asyncio.to_thread(lambda: list(example("watch").watch(service.url, table.match)))
    events = await asyncio.wait_for(watching, timeout=PATIENCE)
    assert [event["type"] for event in events[-2:]] == ["MatchEnded", "DisputeOpened"]


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
async def test_the_example_with_curl_seats_everybody(service: Service):
    run = await asyncio.create_subprocess_exec(
        "sh", str(EXAMPLES / "play.sh"), service.url, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, errors = await run.communicate()
    assert run.returncode == 0, errors.decode()
    assert '"status":"playing"' in out.decode()
    assert await service.rows("/v1/matches", status="playing")


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")


async def node(*arguments: str) -> str:
    run = await asyncio.create_subprocess_exec(
        "node", *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, errors = await run.communicate()
    assert run.returncode == 0, errors.decode()
    return out.decode()


@needs_node
async def test_the_example_for_a_page_sees_every_event_once_and_with_a_token_the_own_cards(service: Service):
    table = await service.table(options={"games": 1})
    script, sitting = str(EXAMPLES / "watch.js"), table.guests[0]
    watching = [asyncio.create_task(node(script, service.url, table.match, *token)) for token in ((), (sitting.token,))]
    await table.play_out()
    public, own = [(await task).splitlines() for task in watching]
    version = (await table.seen())["version"]
    for lines in (public, own):
        assert [int(line.split()[0]) for line in lines] == list(range(1, version + 1))
    deals = [next(line for line in lines if "CardsDealt" in line) for lines in (public, own)]
    assert '"value"' not in deals[0]
    assert '"value"' in deals[1]


async def seat_among_bots(service: Service) -> tuple[Guest, str]:
    """A guest in a match whose other seats are bots'."""
    who = await service.guest("Sitter")
    path = await open_match(who, 3, options={"games": 1})
    ok(await who.post(f"{path}/seats", {"seat": 0}))
    ok(await who.post(f"{path}/bots", {"seats": [1, 2]}))
    return who, path


async def test_the_example_that_sits_plays_its_seat_over_a_socket(service: Service):
    who, path = await seat_among_bots(service)
    match = path.rpartition("/")[2]
    answers = await asyncio.to_thread(lambda: list(example("sit").sit(service.url, match, who.token)))
    assert ok(await who.get(path))["status"] == "finished"
    events = ok(await who.get(f"{path}/export"))["events"]
    own = {event["cmd"] for event in events if event["seat"] == 0 and event["type"] in ("CardsPlayed", "Passed")}
    assert {event["cmd"] for answer in answers for event in answer["events"]} >= own
    assert own


@needs_node
async def test_the_example_that_sits_in_a_page_plays_its_seat_over_a_socket(service: Service):
    if not await asyncio.to_thread(has_websocket):
        pytest.skip("this node has no WebSocket")
    who, path = await seat_among_bots(service)
    out = await node(WEBSOCKET, str(EXAMPLES / "sit.js"), service.url, path.rpartition("/")[2], who.token)
    assert ok(await who.get(path))["status"] == "finished"
    assert out.splitlines()


async def test_the_examples_that_sit_say_so_if_they_are_not_let_in(service: Service):
    _, path = await seat_among_bots(service)
    match = path.rpartition("/")[2]
    with pytest.raises(InvalidStatus):
        await asyncio.to_thread(lambda: list(example("sit").sit(service.url, match, "nobody")))
    if shutil.which("node") is not None and await asyncio.to_thread(has_websocket):
        with pytest.raises(AssertionError, match="unauthenticated"):
            await asyncio.wait_for(
                node(WEBSOCKET, str(EXAMPLES / "sit.js"), service.url, match, "nobody"), timeout=PATIENCE
            )


WEBSOCKET = "--experimental-websocket"
"""What Node 20 needs to have a WebSocket, and later ones still understand."""


def has_websocket() -> bool:
    asked = ["node", WEBSOCKET, "--eval", "console.log(typeof WebSocket)"]
    run = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=False)
    return run.stdout == "function\n"


@needs_node
async def test_a_page_finds_every_type_of_event_in_the_document(service: Service):
    page = (EXAMPLES.parent / "README.md").read_text()
    [script] = re.findall(r"^```js\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    before = """
        const match = "M", show = null;
        class EventSource {
          constructor(address) { console.log(address); }
          addEventListener(type) { console.log(type); }
        }
    """
    out = await node("--input-type=module", "--eval", before + script.replace("http://127.0.0.1:8000", service.url))
    address, *types = out.splitlines()
    assert address == f"{service.url}/v1/matches/M/stream"
    assert {kind.name for kind in EVENTS.types} == set(types)


def test_examples_without_an_address_say_how_they_are_called():
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / "watch.py")], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 1
    assert run.stderr.startswith("usage: ")
    assert run.stderr.count("\n") == 1
