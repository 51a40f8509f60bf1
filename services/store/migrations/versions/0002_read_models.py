"""The books of the read models. Their tables belong to the code: ``Projector.prepare`` makes them."""

from services.store.migrate import run_file

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    run_file("0002_read_models.sql")
