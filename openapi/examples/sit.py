"""Plays a seat of a match over one WebSocket: frames come in, moves go out, each answered by its key.

.venv/bin/python openapi/examples/sit.py http://127.0.0.1:8000 MATCH TOKEN
"""

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

OVER = 1000
PAUSE = 1.0


def sit(base: str, match: str, token: str) -> Iterator[dict[str, Any]]:
    """Plays until the match is over; yields the answer to every move that was made."""
    last, over = 0, False
    with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=30) as http:
        while not over:
            address = f"{base.replace('http', 'ws', 1)}/v1/matches/{match}/socket?with=table&after={last}"
            try:
                with connect(address, subprotocols=["kibitz.v1", f"bearer.{token}"], compression=None) as socket:
                    for text in socket:
                        told = json.loads(text)
                        if "id" in told:
                            last = told["id"]
                            _move(http, match, socket, told["data"]["table"])
                        elif told["status"] == 200:
                            yield told
                    over = socket.close_code == OVER
            except InvalidStatus as refused:
                if refused.response.status_code < 500:
                    raise  # another time it would be no better: no such match, or not this token
            except (ConnectionClosed, OSError, httpx.TransportError):
                pass
            if not over:
                time.sleep(PAUSE)  # go on after the last frame


def _move(http: httpx.Client, match: str, socket: ClientConnection, table: dict[str, Any]) -> None:
    if table["you"] not in table["to_act"]:
        return
    legal = http.get(f"/v1/matches/{match}/moves").raise_for_status().json()
    if legal["moves"]:  # the table may be from before
        # The key makes it one move, however often the table says that it is due: so it is always the same move.
        move = legal["moves"][legal["version"] % len(legal["moves"])]
        key = f"{match}/{legal['version']}"
        socket.send(json.dumps({"key": key, "move": move, "expected": legal["version"]}))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(f"usage: {sys.argv[0]} http://127.0.0.1:8000 MATCH TOKEN")
    for made in sit(*sys.argv[1:]):
        sys.stdout.write(f"{made['version']} {json.dumps([event['type'] for event in made['events']])}\n")
