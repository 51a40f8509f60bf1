"""What may be forgotten when it is old enough, and by whom."""

from services.store.migrate import run_file

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    run_file("0008_retention.sql")
