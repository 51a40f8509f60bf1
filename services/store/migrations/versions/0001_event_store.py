"""The event store: shards, streams, events, openings, refusals, secrets, players, and the append function."""

from services.store.migrate import run_file

revision = "0001"
down_revision = None


def upgrade() -> None:
    run_file("0001_event_store.sql")
