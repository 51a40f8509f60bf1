"""The embedded servers: started, stopped, found again, and cleaned up after whoever was killed."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import asyncpg
import psutil
import pytest
import redis

from services.embedded import Embedded, EmbeddedError, postgres, processes, valkey
from tests.waiting import PATIENCE, until

HOLDER = """
import signal, sys, time
from pathlib import Path
from services.embedded import Embedded
embedded = Embedded(Path(sys.argv[1]), sync=False, settings={"fsync": "off"})
embedded.start()
try:
    print(embedded.postgres.pid, embedded.valkey.pid, flush=True)
    time.sleep(600)
except KeyboardInterrupt:
    print(embedded.postgres.running(), embedded.valkey.running(), flush=True)
    embedded.stop()
"""


class Holder:
    """Another process that has started the servers of a data folder."""

    def __init__(self, data: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(data)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.servers = [psutil.Process(int(pid)) for pid in self.line().split()]

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def data() -> Iterator[Path]:
    """A data folder; servers that a test leaves in it are ended with it."""
    folder = Path(tempfile.mkdtemp(prefix="kibitz-test-"))
    yield folder / "data"
    kill_all(folder)
    shutil.rmtree(folder)


def quick(data: Path) -> Embedded:
    """Servers whose data survives a killed process, which is all that happens to them here, but not a loss of power."""
    return Embedded(data, sync=False, settings={"fsync": "off"})


def working_in(folder: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(folder):
                found.append(process)
        except psutil.Error:
            continue
    return found


def kill_all(folder: Path) -> None:
    """Kills whatever works in ``folder``, and what that has begun meanwhile."""
    while left := working_in(folder):
        for process in left:
            with suppress(psutil.NoSuchProcess):  # without its head a server ends by itself
                process.kill()
        psutil.wait_procs(left)


def ask(url: str, statement: str) -> object:
    async def fetch() -> object:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, fetch()).result()


def answers(url: str) -> bool:
    with redis.Redis.from_url(url, socket_timeout=PATIENCE) as client:
        return bool(client.ping())


@pytest.mark.fault(64)
def test_both_servers_answer_and_are_gone_after_stop(data: Path):
    embedded = quick(data)

    embedded.start()
    assert ask(embedded.database_url, "select current_database()") == "kibitz"
    assert answers(embedded.redis_url)
    assert len(working_in(data)) >= 2
    embedded.stop()

    assert working_in(data) == []
    assert list((data / "run").iterdir()) == []


@pytest.mark.parametrize("name", ["postgres", "valkey"])
def test_a_server_that_does_not_hear_is_killed_and_leaves_nothing(
    data: Path, name: str, monkeypatch: pytest.MonkeyPatch
):
    for module in (postgres, valkey):
        hasty = [(number, 0.1 if number != signal.SIGKILL else seconds) for number, seconds in module._STOP]
        monkeypatch.setattr(module, "_STOP", hasty)
    embedded = quick(data)
    embedded.start()
    os.kill(getattr(embedded, name).pid, signal.SIGSTOP)

    embedded.stop()

    assert working_in(data) == []
    assert list((data / "run").iterdir()) == []


def test_stopping_twice_or_before_starting_does_nothing(data: Path):
    embedded = quick(data)
    embedded.stop()
    embedded.start()
    embedded.stop()
    embedded.stop()

    assert working_in(data) == []


def test_a_second_start_finds_the_data(data: Path):
    with quick(data) as embedded:
        ask(embedded.database_url, "create table kept as select 42 as answer")

    with quick(data) as embedded:
        assert ask(embedded.database_url, "select answer from kept") == 42


def test_nothing_is_traded_for_speed_unless_asked(data: Path):
    with Embedded(data, sync=False) as embedded:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            assert ask(embedded.database_url, f"show {name}") == "on"
    with Embedded(data, settings={"fsync": "off"}) as embedded:
        assert ask(embedded.database_url, "show fsync") == "off"


def test_nothing_listens_on_a_network_and_nobody_else_may_enter(data: Path):
    with quick(data) as embedded:
        for pid in (embedded.postgres.pid, embedded.valkey.pid):
            server = psutil.Process(pid)
            assert [line for line in server.net_connections("inet") if line.status == psutil.CONN_LISTEN] == []
            assert server.uids().effective != 0
        for folder in (data / "run", data / "postgres", data / "valkey"):
            assert folder.stat().st_mode & 0o077 == 0


def test_after_a_kill_the_next_start_ends_what_was_left_and_finds_the_data(data: Path):
    # given a process that was killed while its servers ran, and a session of which goes on
    holder = Holder(data)
    left = holder.servers + [child for server in holder.servers for child in server.children(recursive=True)]
    url = f"postgresql://kibitz@/kibitz?host={data / 'run'}"
    ask(url, "create table kept as select 42 as answer")
    holder.kill()
    assert all(server.is_running() for server in holder.servers)

    with quick(data) as embedded:
        assert not any(process.is_running() for process in left)
        assert ask(embedded.database_url, "select answer from kept") == 42

    assert working_in(data) == []


@pytest.mark.fault(65)
def test_what_a_killed_process_left_can_be_ended_without_starting_anything(data: Path):
    holder = Holder(data)
    holder.kill()

    Embedded(data).clean_up()

    assert working_in(data) == []


@pytest.mark.fault(64)
def test_after_everything_was_killed_the_next_start_recovers(data: Path):
    holder = Holder(data)
    ask(f"postgresql://kibitz@/kibitz?host={data / 'run'}", "create table kept as select 42 as answer")
    holder.kill()
    kill_all(data)

    with quick(data) as embedded:
        assert ask(embedded.database_url, "select answer from kept") == 42


def test_a_head_that_was_killed_leaves_no_body_in_the_way(data: Path):
    # Only the postmaster is killed: its sessions live on for a moment, and must be gone before another starts.
    with quick(data) as embedded:
        ask(embedded.database_url, "create table kept as select 42 as answer")
        os.kill(embedded.postgres.pid, signal.SIGKILL)
        while embedded.postgres.running():
            os.sched_yield()
        embedded.revive()

        assert ask(embedded.database_url, "select answer from kept") == 42


def test_reviving_starts_what_has_died_and_leaves_alone_what_runs(data: Path):
    with quick(data) as embedded:
        before = embedded.postgres.pid, embedded.valkey.pid
        os.kill(embedded.valkey.pid, signal.SIGKILL)
        while embedded.valkey.running():
            os.sched_yield()

        embedded.revive()

        assert embedded.postgres.pid == before[0]
        assert embedded.valkey.pid != before[1]
        assert answers(embedded.redis_url)


def test_a_folder_in_use_is_said_in_one_line_and_left_alone(data: Path):
    holder = Holder(data)
    try:
        with pytest.raises(EmbeddedError, match=f"in use by another Kibitz .process {holder.process.pid}.") as caught:
            Embedded(data).start()
        assert "\n" not in str(caught.value)
        assert all(server.is_running() for server in holder.servers)
        assert ask(f"postgresql://kibitz@/kibitz?host={data / 'run'}", "select 1") == 1
    finally:
        holder.kill()


def test_a_lock_nobody_holds_is_no_lock_whatever_number_is_in_it(data: Path):
    data.mkdir()
    (data / "kibitz.lock").write_text(str(os.getppid()))

    with quick(data) as embedded:
        assert ask(embedded.database_url, "select 1") == 1
        assert (data / "kibitz.lock").read_text() == str(os.getpid())


def test_a_stranger_that_got_the_number_of_the_old_server_is_left_alone(data: Path):
    with quick(data):
        pass
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        (data / "postgres" / "postmaster.pid").write_text(f"{stranger.pid}\n{data / 'postgres'}\n0\n5432\n")
        with quick(data) as embedded:
            assert ask(embedded.database_url, "select 1") == 1
        assert stranger.poll() is None
    finally:
        stranger.communicate(b"\n")


def test_a_start_cut_short_while_the_database_was_made_leaves_nothing_in_the_way(data: Path):
    (data / "postgres.new").mkdir(parents=True)
    (data / "postgres.new" / "PG_VERSION").write_text("half")

    with quick(data) as embedded:
        assert ask(embedded.database_url, "select 1") == 1
    assert not (data / "postgres.new").exists()


def test_ctrl_c_reaches_us_first_and_the_servers_only_through_us(data: Path):
    holder = Holder(data)

    os.killpg(holder.process.pid, signal.SIGINT)

    assert holder.line() == "True True"
    holder.process.communicate()
    assert holder.process.returncode == 0
    assert working_in(data) == []


class Stopped(BaseException):
    """What a signal that asks us to stop raises, at whatever moment it comes."""


@pytest.fixture
def ask_to_stop() -> Iterator[Callable[[], None]]:
    def stop(*_: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGTERM, stop)
    yield partial(signal.raise_signal, signal.SIGTERM)
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("name", ["initdb", "postgres", "valkey-server"])
def test_who_is_stopped_at_the_moment_a_program_is_begun_leaves_none_of_them(
    data: Path, monkeypatch: pytest.MonkeyPatch, ask_to_stop: Callable[[], None], name: str
):
    class Begun(subprocess.Popen[bytes]):
        def __init__(self, arguments: Sequence[str], **more: object) -> None:
            super().__init__(arguments, **more)  # type: ignore[call-overload]
            if Path(arguments[0]).name == name and "--version" not in arguments:
                if name == "initdb":  # it is the head of others
                    until(psutil.Process(self.pid).children)
                ask_to_stop()  # before anybody has this in hand

    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "Popen", Begun)
        with pytest.raises(Stopped):
            quick(data).start()
    assert working_in(data.parent) == []
    with quick(data) as servers:
        assert ask(servers.database_url, "select 1") == 1


def test_who_is_stopped_while_stopping_still_stops_both(
    data: Path, monkeypatch: pytest.MonkeyPatch, ask_to_stop: Callable[[], None]
):
    end = processes.end

    def impatient(*given: object) -> None:
        ask_to_stop()
        end(*given)  # type: ignore[arg-type]

    servers = quick(data)
    servers.start()
    with monkeypatch.context() as patched:
        patched.setattr(processes, "end", impatient)
        with pytest.raises(Stopped):
            servers.stop()
    assert working_in(data.parent) == []


def test_who_is_told_to_end_at_once_while_stopping_ends_when_both_are_stopped(data: Path):
    holder = Holder(data)
    head, other = holder.servers
    head.suspend()
    holder.process.send_signal(signal.SIGINT)
    other.wait(PATIENCE)
    holder.process.send_signal(signal.SIGTERM)
    head.resume()
    holder.process.communicate(timeout=PATIENCE)
    assert holder.process.returncode == -signal.SIGTERM
    assert working_in(data.parent) == []


def test_a_path_too_long_for_a_socket_gets_its_sockets_elsewhere(data: Path):
    deep = data / ("d" * 60) / ("e" * 60)

    with quick(deep) as embedded:
        assert ask(embedded.database_url, "select 1") == 1
        assert answers(embedded.redis_url)
        elsewhere = embedded._folder.sockets
        assert not elsewhere.is_relative_to(data)
        assert elsewhere.stat().st_mode & 0o077 == 0
    assert not elsewhere.exists()


def test_a_path_with_spaces_and_signs_works(data: Path):
    with quick(data / "a b,c%20'ő") as embedded:
        assert ask(embedded.database_url, "select 1") == 1
        assert answers(embedded.redis_url)


def test_servers_that_cannot_start_are_said_in_one_line_and_leave_nothing(data: Path):
    with pytest.raises(EmbeddedError, match=r"PostgreSQL does not start: .*shared_buffers") as caught:
        Embedded(data, settings={"shared_buffers": "nonsense"}, sync=False).start()

    assert "\n" not in str(caught.value)
    assert working_in(data) == []
    with quick(data) as embedded:
        assert ask(embedded.database_url, "select 1") == 1


def test_data_of_another_version_of_postgresql_is_said(data: Path):
    (data / "postgres").mkdir(parents=True)
    (data / "postgres" / "PG_VERSION").write_text("9.6\n")

    with pytest.raises(EmbeddedError, match=r"made by PostgreSQL 9\.6"):
        Embedded(data).start()


def test_a_folder_that_cannot_be_made_is_said_in_one_line(data: Path):
    data.parent.joinpath("file").write_text("")

    with pytest.raises(EmbeddedError) as caught:
        Embedded(data.parent / "file" / "data").start()
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not Path("/sys/kernel").exists(), reason="needs a folder in which not even root may write")
def test_a_folder_that_may_not_be_written_is_said(data: Path):
    with pytest.raises(EmbeddedError, match="no permission to write"):
        Embedded(Path("/sys/kibitz")).start()


@pytest.fixture
def small_disk(data: Path) -> Iterator[Path]:
    """A disk of 16 MiB: less than a new database takes."""
    data.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(data)]
    mounted = subprocess.run(mount, capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("may not mount a small disk here")
    yield data
    subprocess.run(["umount", str(data)], check=True)


def test_a_full_disk_is_said_in_one_line(small_disk: Path):
    with pytest.raises(EmbeddedError, match="the disk is full") as caught:
        Embedded(small_disk / "data").start()

    assert "\n" not in str(caught.value)
    assert working_in(small_disk) == []
