"""What stands in the log, and what does not."""

import json
import subprocess
import sys
from pathlib import Path

SAID = """
import logging, sys
from pathlib import Path
from services.cli import logs
logs.configure(Path(sys.argv[1]), "info")
logging.getLogger("uvicorn.error").error("ASGI callable returned without completing handshake.")
logging.getLogger("uvicorn.error").error("something else")
"""


def test_a_socket_that_was_refused_is_no_error_of_the_service(tmp_path: Path):
    file = tmp_path / "log"
    subprocess.run([sys.executable, "-c", SAID, str(file)], check=True, timeout=60)
    [line] = map(json.loads, file.read_text().splitlines())
    assert (line["event"], line["level"]) == ("something else", "error")


TOLD = """
import asyncio, logging, sys
from pathlib import Path
import structlog
from services import trail
from services.cli import logs
from services.store.records import Unavailable

logs.configure(Path(sys.argv[1]), "info")
log = structlog.get_logger()

class PostgresError(Exception):
    sqlstate = "23505"

def fail(error):
    raise error

def logged(error, **more):
    try:
        fail(error)
    except Exception:
        log.exception("it failed", **more)

async def main():
    request = trail.begin("the-request")
    log.info("answered")
    request.match, request.seat, request.command = "the-match", 0, "the-command"
    log.info("answered")
    log.debug("not said")
    logged(KeyError("10H"))
    logged(ValueError("you hold 0 of 7"), why="you hold 0 of 10H", raw=["7"])
    logged(PostgresError("duplicate key\\nDETAIL:  Key (value)=(7) already exists."))
    logged(Unavailable("the database is away"))
    logging.getLogger("asyncio").error("Task exception was never retrieved\\nfuture: KeyError('10H')")
    logging.getLogger("websockets.server").debug("< Authorization: Bearer abc")
    logging.getLogger("websockets.server").info("connection open")
    logging.getLogger("services.store.lane").warning("append refused: %s", "a" * 43)

asyncio.run(main())
log.info("after the loop")
"""


def test_a_line_says_which_request_it_is_about_and_nothing_that_could_be_a_card(tmp_path: Path):
    file = tmp_path / "log"
    subprocess.run([sys.executable, "-c", TOLD, str(file)], check=True, timeout=60)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    by_event: dict[str, list[dict]] = {}
    for line in lines:
        by_event.setdefault(line["event"], []).append(line)

    first, second = by_event["answered"]
    assert "match" not in first
    ids = {"request_id": "the-request", "match": "the-match", "seat": 0, "command": "the-command"}
    assert first["request_id"] == "the-request"
    assert second.items() >= ids.items()
    assert all(line.items() >= ids.items() for line in by_event["it failed"])
    key, value, row, away = by_event["it failed"]
    assert key["exception"].startswith("KeyError at <string>:")
    assert " fail < <string>:" in key["exception"]
    assert value["exception"].startswith("ValueError at ")
    assert (value["why"], value["raw"]) == ("you hold 0 of (hidden)", "(hidden)")
    assert row["exception"].startswith("PostgresError 23505 at ")
    assert away["exception"].startswith("Unavailable: the database is away at ")
    assert by_event.keys() == {
        "answered", "it failed", "Task exception was never retrieved", "append refused: (hidden)", "after the loop",
    }  # fmt: skip
    for secret in ("10H", "DETAIL", "hold 0 of 7", "Bearer"):
        assert secret not in file.read_text()


PAGES = """
import asyncio, sys
from pathlib import Path
import structlog
from services.cli import logs

logs.configure(Path(sys.argv[1]), "info")
log = structlog.get_logger()

async def main():
    turning = asyncio.create_task(logs.turn_pages())
    for number in range(2):
        for _ in range(1200):
            log.info("x" * 16000)
        await asyncio.sleep(1.5)
    log.info("the last")
    turning.cancel()

asyncio.run(main())
"""


def test_a_full_page_is_followed_by_another_and_no_line_is_lost(tmp_path: Path):
    file = tmp_path / "log"
    subprocess.run([sys.executable, "-c", PAGES, str(file)], check=True, timeout=60)
    pages = sorted(tmp_path.iterdir())
    assert [page.name for page in pages] == ["log", "log.1", "log.2"]
    assert sum(len(page.read_text().splitlines()) for page in pages) == 2401
    assert json.loads(file.read_text().splitlines()[-1])["event"] == "the last"


STUCK = """
import asyncio, sys
from pathlib import Path
import structlog
from services.cli import logs

logs.configure(Path(sys.argv[1]), "info")
log = structlog.get_logger()

async def main():
    turning = asyncio.create_task(logs.turn_pages())
    for _ in range(1200):
        log.info("x" * 16000)
    await asyncio.sleep(1.5)
    log.info("after")
    await asyncio.sleep(0)
    assert not turning.done()
    turning.cancel()

asyncio.run(main())
"""


def test_a_full_file_that_cannot_be_put_aside_is_written_on(tmp_path: Path):
    file = tmp_path / "log"
    (tmp_path / "log.1").touch()
    (tmp_path / "log.2").mkdir()  # in the way
    subprocess.run([sys.executable, "-c", STUCK, str(file)], check=True, timeout=60)
    assert json.loads(file.read_text().splitlines()[-1])["event"] == "after"
