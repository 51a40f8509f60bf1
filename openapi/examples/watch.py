"""Follows a match as it is played, and goes on where it was when the line breaks.

.venv/bin/python openapi/examples/watch.py http://127.0.0.1:8000 MATCH
"""

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpx

LAST = ("MatchEnded", "MatchAbandoned")


def watch(base: str, match: str) -> Iterator[dict[str, Any]]:
    """Every event of a match, once and in order, until the match is over; rulings that there are by then, too."""
    last, over = 0, False
    with httpx.Client(base_url=base, timeout=httpx.Timeout(10, read=45)) as http:
        while not over:
            try:
                with http.stream("GET", f"/v1/matches/{match}/stream", headers={"Last-Event-ID": str(last)}) as stream:
                    stream.raise_for_status()
                    for line in stream.iter_lines():
                        if line.startswith("data: "):
                            event = json.loads(line[6:])
                            last, over = event["version"], over or event["type"] in LAST
                            yield event
            except httpx.TransportError:
                time.sleep(1)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} http://127.0.0.1:8000 MATCH")
    for seen in watch(sys.argv[1], sys.argv[2]):
        sys.stdout.write(f"{seen['version']} {seen['seat']} {seen['type']} {json.dumps(seen['body'])}\n")
