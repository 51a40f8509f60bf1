"""The two servers of one data folder, started and ended together."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from services.embedded.folder import Folder
from services.embedded.postgres import Postgres
from services.embedded.processes import undisturbed
from services.embedded.valkey import Valkey


class Embedded:
    """The two servers of one data folder. ``settings`` are PostgreSQL settings; by default nothing is traded for speed.

    ``start`` and ``stop`` block. They raise ``EmbeddedError``, whose text is one clear line: the folder is in use by
    another living Kibitz, it may not be written, the disk is full, a wheel is missing, a server does not start.
    """

    def __init__(self, data: Path, *, settings: Mapping[str, str] | None = None, sync: bool = True) -> None:
        self._folder = Folder(data)
        self.postgres = Postgres(self._folder, settings or {}, sync=sync)
        self.valkey = Valkey(self._folder)

    @property
    def database_url(self) -> str:
        return self.postgres.url

    @property
    def redis_url(self) -> str:
        return self.valkey.url

    def start(self) -> None:
        """Afterwards both servers answer. If one does not start, nothing that was started is left running."""
        self._folder.take()
        try:
            self.revive()
        except BaseException:
            self.stop()
            raise

    def revive(self) -> None:
        """Starts again whichever of the two has died since ``start``; does nothing while both run."""
        for server in (self.postgres, self.valkey):
            if not server.running():
                server.start()

    def stop(self) -> None:
        """Ends both servers in order and waits until they are gone, whatever signal comes meanwhile. What is committed
        is kept. May be called again.
        """
        if not self._folder.taken:
            return
        with undisturbed():
            try:
                self.valkey.stop()
                self.postgres.stop()
            finally:
                self._folder.leave()

    def clean_up(self) -> None:
        """Ends what a killed predecessor left running in the folder, and starts nothing."""
        self._folder.take()
        try:
            for server in (self.valkey, self.postgres):
                server.clean_up()
        finally:
            self._folder.leave()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
