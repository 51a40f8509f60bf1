"""The append for a batch of one shard, and whether the tables are distributed over several machines."""

from services.store.migrate import run_file

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    run_file("0006_distribution.sql")
