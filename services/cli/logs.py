"""Where log lines go: one JSON object a line, into a file, so that the terminal stays readable."""

import asyncio
import atexit
import json
import logging
import logging.config
import logging.handlers
import os
from contextlib import nullcontext, suppress
from functools import lru_cache
from pathlib import Path
from time import gmtime, strftime, time_ns
from typing import Final, TextIO

import msgspec
import structlog

from services import trail
from services.cli import secrecy

STDERR: Final = "-"


def configure(where: Path | None, level: str, *, shared: bool = False) -> None:
    """Sends the lines of structlog and of every library's logging to the file ``where``, or to stderr for None.

    Libraries say warnings and worse: at ``debug`` some of them would write down headers, and tokens with them.
    ``shared``: another process has the file, and begins a new one when it is full; this one then follows.
    """
    own, lowest = level.upper(), logging.getLevelName(level.upper())
    steps: list[structlog.types.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        _whence,
        _stamped,
        secrecy.without_words,
    ]
    out = {"class": "logging.StreamHandler"} if where is None else _file(where, shared=shared)
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "lines": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": [*steps, secrecy.foreign],
                    "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, _as_json],
                }
            },
            "handlers": {"out": out | {"formatter": "lines"}},
            "filters": {"refused": {"()": lambda: _no_refused_socket}},
            "loggers": {
                "uvicorn.error": {"filters": ["refused"]},
                "services": {"level": own},
                "alembic": {"level": max(lowest, logging.INFO)},
            },
            "root": {"handlers": ["out"], "level": max(lowest, logging.WARNING)},
        }
    )
    lines, names = Lines(logging.root.handlers[0]), structlog.stdlib.LoggerFactory([__name__])
    structlog.configure(
        processors=[*steps, secrecy.looked_through, _as_json],
        logger_factory=lambda *named: _Named(lines, names(*named).name),
        wrapper_class=structlog.make_filtering_bound_logger(lowest),
        cache_logger_on_first_use=True,
    )


class Lines:
    """Finished lines on their way to where ``handler`` writes: those of one turn of the event loop in one write.

    That is a matter of cost: the line of a move would else be a tenth of the move.
    """

    def __init__(self, handler: logging.Handler) -> None:
        assert isinstance(handler, logging.StreamHandler)
        self._handler: logging.StreamHandler[TextIO] = handler
        self._lines: list[str] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        atexit.register(self.flush)

    def write(self, line: str) -> None:
        self._lines.append(line)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.flush()
            return
        if loop is not self._loop:
            self._loop = loop
            loop.call_soon(self.flush)

    def flush(self) -> None:
        """Writes what there is. A full disk, or a reader that has gone, ends nothing."""
        lines, self._lines, self._loop = self._lines, [], None
        if not lines:
            return
        handler = self._handler
        with handler.lock or nullcontext(), suppress(OSError, ValueError):
            if isinstance(handler, logging.handlers.WatchedFileHandler):
                handler.reopenIfNeeded()
            elif isinstance(handler, logging.FileHandler) and handler.stream is None:  # a page was not turned
                handler.stream = handler._open()  # noqa: SLF001 - as its own ``emit`` does
            handler.stream.write("\n".join(lines) + "\n")
            handler.stream.flush()


class _Named:
    """A logger, as structlog wants one: it is given finished lines."""

    def __init__(self, lines: Lines, name: str) -> None:
        self.name = name
        self.debug = self.info = self.warning = self.error = self.critical = lines.write


async def turn_pages() -> None:
    """Until cancelled: looks once a second whether a page is full, so that a line need not."""
    while True:
        await asyncio.sleep(1.0)
        for handler in logging.root.handlers:
            if isinstance(handler, logging.handlers.RotatingFileHandler):
                with suppress(OSError):  # what cannot be put aside is written on
                    _turn_page(handler)


def _turn_page(handler: logging.handlers.RotatingFileHandler) -> None:
    """Begins a new file if the one of this process is full, also by what others have written to it."""
    with handler.lock or nullcontext():
        if Path(handler.baseFilename).stat().st_size > handler.maxBytes:
            handler.doRollover()


def _no_refused_socket(line: logging.LogRecord) -> bool:
    """A socket that is answered with a problem is a request like others; uvicorn calls it an error of the service."""
    return line.getMessage() != "ASGI callable returned without completing handshake."


def _whence(_: object, __: str, line: structlog.types.EventDict) -> structlog.types.EventDict:
    """Which request the line is about, if any, and which process says it."""
    line["pid"] = os.getpid()
    return {**trail.told(), **line}


def _stamped(_: object, __: str, line: structlog.types.EventDict) -> structlog.types.EventDict:
    seconds, micro = divmod(time_ns() // 1000, 1_000_000)
    line["timestamp"] = f"{_second(seconds)}.{micro:06}Z"
    return line


@lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(seconds))


def _as_json(_: object, __: str, line: structlog.types.EventDict) -> str:
    try:
        return msgspec.json.encode(line, enc_hook=_unknown).decode()
    except UnicodeEncodeError:  # half a character, as a file name may have it
        return json.dumps(line, default=_unknown)


def _unknown(value: object) -> str:
    return type(value).__name__


def _file(where: Path, *, shared: bool) -> dict[str, object]:
    where.parent.mkdir(parents=True, exist_ok=True)
    file = {"filename": str(where), "encoding": "utf-8"}
    if shared:
        return {"class": "logging.handlers.WatchedFileHandler", **file}
    return {"class": "logging.handlers.RotatingFileHandler", **file, "maxBytes": 16 << 20, "backupCount": 2}
