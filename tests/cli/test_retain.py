"""``kibitz retain`` and ``kibitz erase``, as an operator calls them."""

import io
import sys

import pytest

from services.cli import logs
from services.ids import new_id, token_hash
from services.store.records import Refusal
from services.store.store import Store
from tests.cli.operator import kibitz, within

Capture = pytest.CaptureFixture[str]


async def with_old_things(store: Store) -> None:
    await store.refuse(Refusal(new_id(), 1_000, "ann", None, 0, "", 422, "match", "4.2", "no", b"{}"))
    await store.claim("", b"key", b"f", "00000000-0001-7000-8000-000000000001")


def test_what_is_old_by_the_settings_is_forgotten_and_counted(
    url: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    within(url, with_old_things)
    for name in ("KIBITZ_KEEP_REFUSALS", "KIBITZ_KEEP_KEYS", "KIBITZ_KEEP_GUESTS"):
        monkeypatch.setenv(name, "")  # for ever
    assert kibitz("retain") == 0
    assert "forgotten: 0 refused attempts, 0 keys, 0 guests" in capsys.readouterr().out
    monkeypatch.delenv("KIBITZ_KEEP_REFUSALS")
    monkeypatch.setenv("KIBITZ_KEEP_KEYS", "2d")
    assert kibitz("retain") == 0
    assert "forgotten: 1 refused attempts, 1 keys, 0 guests" in capsys.readouterr().out


def test_on_a_database_that_nobody_has_served_yet_nothing_is_forgotten(url: str, capsys: Capture):
    assert kibitz("retain") == 0
    assert "forgotten: 0 refused attempts, 0 keys, 0 guests" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["KIBITZ_KEEP_REFUSALS", "KIBITZ_KEEP_KEYS", "KIBITZ_KEEP_GUESTS"])
def test_an_age_that_is_none_is_exit_code_2(url: str, name: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture):
    monkeypatch.setenv(name, "a year")
    assert kibitz("retain") == 2
    assert name in capsys.readouterr().err


def test_persons_are_erased_by_their_ids_also_from_stdin(url: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch):
    ids = [new_id() for _ in range(3)]

    async def add(store: Store) -> None:
        for player in ids:
            await store.add_player(player, "Ann", token_hash(player))

    within(url, add)
    monkeypatch.setattr(logs, "configure", lambda *_, **__: None)  # is this whole process's
    assert kibitz("erase", ids[0]) == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{ids[0]}\n{ids[1].upper()}\n{new_id()}\n"))
    assert kibitz("erase", "-") == 4  # of one nothing is known: it came after the moment of a restore
    assert "erased: 2 of 3" in capsys.readouterr().out
    assert kibitz("erase", "Ann") == 4
    assert within(url, lambda store: store.names(ids)) == {ids[0]: "", ids[1]: "", ids[2]: "Ann"}
