"""Thousands of made-up requests, right and wrong: no 5xx, and no answer that the document does not have.

``positive_data_acceptance`` is left out: the document cannot say which cursor was given out, or which seat is free.
"""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api.conftest import Service, serving
from tests.api.guests import Table, ok
from tests.api.provider import known_to, provided

CONFIG = """
[parameters]
"path.match" = "{match}"
"path.player" = "{player}"
"path.game" = "whos-the-ass"
"path.file" = "docs.js"
"path.slug" = "refused"
"path.dispute" = "{dispute}"
"path.version" = 5
[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422]
"""


async def schemathesis(folder: Path, service: Service, table: Table, *more: str) -> None:
    """Runs schemathesis as the player on seat 0 of ``table``; fails with its report if it finds anything."""
    who = table.guests[0]
    config = folder / "schemathesis.toml"
    body = {"first": 1, "last": 5, "claim": "It was not fair."}
    case = ok(await table.guests[1].post(f"{table.path}/disputes", body))
    config.write_text(CONFIG.format(match=table.match, player=who.player, dispute=case["dispute"]))
    run = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "schemathesis.cli", "--config-file", str(config),
        "run", f"{service.url}/openapi.json",
        "--header", f"Authorization: Bearer {who.token}",
        "--checks", "all", "--exclude-checks", "positive_data_acceptance",
        "--phases", "examples,coverage,fuzzing", "--max-examples", "10", "--seed", "1",
        "--generation-database", "none", "--request-timeout", "30", "--continue-on-failure", "--no-color",
        "--exclude-operation-id", "eraseMe",  # these would leave nobody to ask
        "--exclude-operation-id", "revokeTokens", "--exclude-operation-id", "makeToken", *more,
        cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    out, _ = await run.communicate()
    report = out.decode()
    assert run.returncode == 0, report
    assert "passed" in report
    assert "Tested: " in report


@pytest.mark.parametrize("state", ["running", "finished"])
async def test_no_request_makes_a_5xx_or_an_answer_that_is_not_in_the_document(
    fresh_database: Callable[[], str], redis_url: str, tmp_path: Path, state: str
):
    async with serving(fresh_database(), redis_url) as service:
        table = await service.table(3, options={"games": 1})
        if state == "finished":
            await table.play_out()
            await schemathesis(tmp_path, service, table)
        else:  # a stream of a match that runs does not end
            await schemathesis(tmp_path, service, table, "--exclude-operation-id", "streamEvents")


async def test_nor_does_one_about_signing_in_or_about_tokens_where_one_can_sign_in(
    fresh_database: Callable[[], str], redis_url: str, tmp_path: Path
):
    async with provided() as provider, serving(fresh_database(), redis_url, **known_to(provider)) as service:
        table = await service.table(3)
        only = [
            f"--include-operation-id={name}" for name in ("readSignIn", "beginSignIn", "finishSignIn", "listTokens")
        ]
        await schemathesis(tmp_path, service, table, *only)
