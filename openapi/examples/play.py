"""Three guests play a whole match: become guests, open, sit down, and play by picking from the legal moves.

.venv/bin/python openapi/examples/play.py http://127.0.0.1:8000
"""

import secrets
import sys

import httpx


def play(base: str, games: int = 1) -> dict[str, object]:
    """Plays a match and returns the score sheet."""
    with httpx.Client(base_url=base, timeout=30) as http:
        guests = [
            http.post("/v1/players", json={"name": name}).raise_for_status().json()
            for name in ("Arno", "Babs", "Chris")
        ]
        tokens = [{"Authorization": f"Bearer {guest['token']}"} for guest in guests]
        request = {"game": "whos-the-ass", "seats": 3, "options": {"games": games}}
        match = http.post("/v1/matches", json=request, headers=tokens[0]).raise_for_status().headers["location"]
        for seat, token in enumerate(tokens):
            http.post(f"{match}/seats", json={"seat": seat}, headers=token).raise_for_status()
        while (table := http.get(match).raise_for_status().json())["status"] == "playing":
            token = tokens[table["to_act"][0]]
            legal = http.get(f"{match}/moves", headers=token).raise_for_status().json()
            # The key makes the move repeatable: after a time-out, send the very same request again.
            once = {"Idempotency-Key": secrets.token_hex(16), "If-Match": str(legal["version"])}
            http.post(f"{match}/moves", json=secrets.choice(legal["moves"]), headers=token | once).raise_for_status()
        sheet: dict[str, object] = http.get(f"{match}/score-sheet").raise_for_status().json()
        return sheet


if __name__ == "__main__":
    sys.stdout.write(f"{play(sys.argv[1] if len(sys.argv) > 1 else 'http://127.0.0.1:8000')}\n")
