"""``kibitz health``, as the health check of a container asks it."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import msgspec
import pytest

from services.health import NOTE, Beat, main
from services.store.migrate import migrate
from tests.e2e.conftest import Kibitz, run, start
from tests.waiting import PATIENCE, until


def well(*arguments: str, **variables: str) -> str:
    """What ``kibitz health`` says of one that is ready, and nothing of one that is not."""
    asked = run("health", *arguments, **variables)
    return asked.stdout if asked.returncode == 0 else ""


def test_a_process_that_serves_is_asked_whether_it_is_ready(
    serve: Callable[..., Kibitz], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    kibitz = serve("--no-demo").ready()
    port = str(urlsplit(kibitz.url).port)
    # given one that serves, wherever it listens, and however it is said where
    ways: list[tuple[list[str], dict[str, str]]] = [
        ([], {"KIBITZ_PORT": port}),
        ([], {"KIBITZ_PORT": port, "KIBITZ_HOST": "0.0.0.0"}),
        ([], {"KIBITZ_PORT": port, "KIBITZ_HOST": "::"}),
        (["--port", port], {"KIBITZ_PORT": "1"}),
        (["--url", kibitz.url], {"KIBITZ_PORT": "1"}),
        (["--url", f"{kibitz.url}/"], {}),
        (["--data", str(kibitz.data)], {"KIBITZ_PORT": "1"}),
    ]
    for arguments, variables in ways:
        said = until(partial(well, *arguments, **variables))  # unless a busy machine holds up its database just now
        assert '"ready":true' in said, arguments
    # asked by the short way, as a container asks, it says the same
    monkeypatch.setenv("KIBITZ_PORT", port)
    until(lambda: main([]) == 0)
    assert '"ready":true' in capsys.readouterr().out
    # when it has ended, nobody answers
    kibitz.stop()
    asked = run("health", "--port", port)
    assert asked.returncode == 3
    nobody = f"no Kibitz answers at http://127.0.0.1:{port}: [Errno 111] Connection refused\n"
    assert asked.stderr == f"kibitz: {nobody}"
    capsys.readouterr()
    assert main([]) == 3
    assert capsys.readouterr().err == nobody


@pytest.mark.parametrize(
    "url", ["cards.example.org", "ftp://cards.example.org", "http://", "http://a:99999", "http://[1"]
)
def test_what_is_no_address_is_said_to_be_none(url: str):
    asked = run("health", "--url", url)
    assert asked.returncode == 2
    assert asked.stderr.startswith("kibitz: ")
    assert asked.stderr.count("\n") == 1


async def test_a_projector_says_how_it_is_and_whoever_is_silent_is_not_well(
    folder: Path, database: str, redis_url: str
):
    migrate(database)
    data = folder / "data"

    def asked() -> int:
        return run("health", "--projector", "--data", str(data)).returncode

    # given no projector, none is well
    assert asked() == 3
    process = start(
        folder / "out",
        "projector",
        "--data",
        str(data),
        KIBITZ_DATABASE_URL=database,
        KIBITZ_REDIS_URL=redis_url,
    )
    try:
        # when one works, it is; and it says so again and again
        until(lambda: asked() == 0)
        first = msgspec.json.decode((data / NOTE).read_bytes(), type=Beat)
        until(lambda: msgspec.json.decode((data / NOTE).read_bytes(), type=Beat).at > first.at)
        # when a read model is not what the code would build, it says that
        owner = await asyncpg.connect(database)
        await owner.execute("update projection.build set version = version + 1000 where name = 'replays'")
        wrong = "kibitz: the read models do not follow: replays stands still\n"
        until(lambda: run("health", "--projector", "--data", str(data)).stderr == wrong)
        assert asked() == 3
        await owner.execute("update projection.build set version = version - 1000 where name = 'replays'")
        await owner.close()
        until(lambda: asked() == 0)
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0
    # and when its last word is old, or of before this machine was started, it counts for nothing
    for at in (time.monotonic() - 60, time.monotonic() + 60):
        (data / NOTE).write_bytes(msgspec.json.encode(Beat(at, "")))
        assert asked() == 3
