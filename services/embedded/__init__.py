"""PostgreSQL and a Redis-compatible server from Python wheels, as child processes, with their data in one folder.

So that a service, a demo or a test needs nothing but Python. Both listen on Unix sockets in a folder that only their
own user may enter, never on a network. What a killed predecessor left running in the same folder is ended first; a
second one that lives is respected, and said in one line.
"""

from services.embedded.backups import Backups
from services.embedded.folder import EmbeddedError
from services.embedded.postgres import has_database
from services.embedded.servers import Embedded

__all__ = ["Backups", "Embedded", "EmbeddedError", "has_database"]
