"""Tokens that end, accounts, sign-ins under way, and who gave whom which role."""

from services.store.migrate import run_file

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    run_file("0007_identity.sql")
