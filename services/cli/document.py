"""``kibitz openapi``: the document that describes the API, as the code generates it."""

from pathlib import Path

from rich.console import Console

from services.api.document import document
from services.cli.failures import Failure

OUT = Console(highlight=False, soft_wrap=True)


def run(path: Path, *, check: bool) -> None:
    """Writes the document to ``path``. With ``check`` only compares, and raises ``Failure`` where they differ."""
    wanted = document()
    if check:
        if not path.is_file() or path.read_bytes() != wanted:
            raise Failure(f"{path} is not what the code says; 'kibitz openapi' writes it anew")
        OUT.print(f"{path} is what the code says")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(wanted)
    OUT.print(f"{path} is written")
