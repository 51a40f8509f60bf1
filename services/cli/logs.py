"""Where log lines go: one JSON object a line, into a file, so that the terminal stays readable."""

import logging
import logging.config
import logging.handlers
import os
from pathlib import Path
from typing import Final

import structlog

from services.cli.failures import USAGE, Failure

LEVELS: Final = ("debug", "info", "warning", "error")
STDERR: Final = "-"


def configure(where: Path | None, level: str, *, shared: bool = False) -> None:
    """Sends the lines of structlog and of every library's logging to the file ``where``, or to stderr for None.

    ``shared``: another process has the file, and begins a new one when it is full; this one then follows.
    Raises ``Failure`` for a level that there is not.
    """
    if level.lower() not in LEVELS:
        raise Failure(f"the log level is one of {', '.join(LEVELS)}, not {level}", USAGE)
    steps: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        _of_process,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*steps, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        cache_logger_on_first_use=True,
    )
    lines = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": steps,
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.JSONRenderer(),
        ],
    }
    out = {"class": "logging.StreamHandler"} if where is None else _file(where, shared=shared)
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"lines": lines},
            "handlers": {"out": out | {"formatter": "lines"}},
            "filters": {"refused": {"()": lambda: _no_refused_socket}},
            "loggers": {
                "uvicorn.error": {"filters": ["refused"]},
                "httpx": {"level": "WARNING"},  # every request to the provider would be a line
                "httpcore": {"level": "WARNING"},  # with its headers, at level debug
            },
            "root": {"handlers": ["out"], "level": level.upper()},
        }
    )


def turn_page() -> None:
    """Begins a new file if the one of this process is full, also by what others have written to it."""
    for handler in logging.root.handlers:
        if isinstance(handler, logging.handlers.RotatingFileHandler) and Path(handler.baseFilename).exists():
            handler.acquire()
            try:
                if Path(handler.baseFilename).stat().st_size > handler.maxBytes:
                    handler.doRollover()
            finally:
                handler.release()


def _no_refused_socket(line: logging.LogRecord) -> bool:
    """A socket that is answered with a problem is a request like others; uvicorn calls it an error of the service."""
    return line.getMessage() != "ASGI callable returned without completing handshake."


def _of_process(_: object, __: str, line: structlog.types.EventDict) -> structlog.types.EventDict:
    line["pid"] = os.getpid()
    return line


def _file(where: Path, *, shared: bool) -> dict[str, object]:
    where.parent.mkdir(parents=True, exist_ok=True)
    file = {"filename": str(where), "encoding": "utf-8"}
    if shared:
        return {"class": "logging.handlers.WatchedFileHandler", **file}
    return {"class": "logging.handlers.RotatingFileHandler", **file, "maxBytes": 16 << 20, "backupCount": 2}
