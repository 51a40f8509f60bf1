"""What stands in the log, and what does not."""

import json
import subprocess
import sys
from pathlib import Path

SAID = """
import logging, sys
from pathlib import Path
from services.cli import logs
logs.configure(Path(sys.argv[1]), "info")
logging.getLogger("uvicorn.error").error("ASGI callable returned without completing handshake.")
logging.getLogger("uvicorn.error").error("something else")
"""


def test_a_socket_that_was_refused_is_no_error_of_the_service(tmp_path: Path):
    file = tmp_path / "log"
    subprocess.run([sys.executable, "-c", SAID, str(file)], check=True, timeout=60)
    [line] = map(json.loads, file.read_text().splitlines())
    assert (line["event"], line["level"]) == ("something else", "error")
