"""``python -m services.cli`` is ``kibitz``."""

from services.cli.commands import main

main()
