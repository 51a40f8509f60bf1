"""The examples for clients do what they say."""

import asyncio
import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from tests.api.conftest import Service
from tests.api.guests import ok

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


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
async def test_the_example_with_curl_seats_everybody(service: Service):
    run = await asyncio.create_subprocess_exec(
        "sh", str(EXAMPLES / "play.sh"), service.url, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, errors = await run.communicate()
    assert run.returncode == 0, errors.decode()
    assert '"status":"playing"' in out.decode()
    matches = ok(await service.http.get("/v1/matches", params={"status": "playing"}))
    assert matches["items"]
