"""Processes that share a database, and who is present in each."""

from services.store.migrate import run_file

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    run_file("0003_processes.sql")
