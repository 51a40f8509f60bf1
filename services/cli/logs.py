"""Where log lines go: one JSON object a line, into a file, so that the terminal stays readable."""

import logging
import logging.config
from pathlib import Path
from typing import Final

import structlog

from services.cli.failures import USAGE, Failure

LEVELS: Final = ("debug", "info", "warning", "error")
STDERR: Final = "-"


def configure(where: Path | None, level: str) -> None:
    """Sends the lines of structlog and of every library's logging to the file ``where``, or to stderr for None.

    Raises ``Failure`` for a level that there is not.
    """
    if level.lower() not in LEVELS:
        raise Failure(f"the log level is one of {', '.join(LEVELS)}, not {level}", USAGE)
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    lines = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": shared,
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.JSONRenderer(),
        ],
    }
    out = {"class": "logging.StreamHandler"} if where is None else _file(where)
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"lines": lines},
            "handlers": {"out": out | {"formatter": "lines"}},
            "root": {"handlers": ["out"], "level": level.upper()},
        }
    )


def _file(where: Path) -> dict[str, object]:
    where.parent.mkdir(parents=True, exist_ok=True)
    sizes = {"maxBytes": 16 << 20, "backupCount": 2}
    return {"class": "logging.handlers.RotatingFileHandler", "filename": str(where), "encoding": "utf-8", **sizes}
