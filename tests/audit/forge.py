"""What a forger can do to a bundle: change the file, hash the chain again, seal values again with the right salts."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from domain import fairness
from domain.event import chained
from domain.hidden import b64u, canonical, digest_of
from tests.audit import bundles
from tests.audit.bundles import Bundle, raw

Events = list[dict[str, Any]]
Value = Any


class Forger:
    """A bundle that is being changed; the one it comes from stays as it is.

    ``events`` are taken apart; ``done`` puts them together again, as they are or with the chain made good.
    """

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = deepcopy(bundle)
        self.events: Events = [json.loads(text) for text in bundle["events"]]
        self.true_salts = {(entry["version"], entry["path"]): entry["salt"] for entry in bundle["openings"]}

    # --- finding ---

    def where(self, *types: str, after: int = 0) -> int:
        """The place of the first event of one of ``types``. Raises ``StopIteration`` if there is none."""
        return next(place for place, event in enumerate(self.events) if event["type"] in types and place >= after)

    def all_of(self, *types: str) -> list[int]:
        return [place for place, event in enumerate(self.events) if event["type"] in types]

    def body(self, place: int) -> dict[str, Any]:
        return self.events[place]["body"]

    def value(self, version: int, path: str) -> Value:
        return json.loads(self.opening(version, path)["value"])

    def opening(self, version: int, path: str) -> dict[str, Any]:
        openings = self.bundle["openings"]
        return next(entry for entry in openings if (entry["version"], entry["path"]) == (version, path))

    # --- changing ---

    def seal(self, version: int, path: str, value: Value, salt: str = "") -> None:
        """Another value at a hidden field: opening and digest agree, and the salt is the right one if none is given."""
        opening = self.opening(version, path)
        opening["value"] = canonical(value).decode()
        opening["salt"] = salt or opening["salt"]
        self._field(version, path)["digest"] = digest_of(raw(opening["salt"]), opening["value"].encode())

    def _field(self, version: int, path: str) -> dict[str, Any]:
        field: Any = self.body(version - 1)
        for step in path.split("."):
            field = field[int(step)] if isinstance(field, list) else field[step]
        return field

    def readers(self, version: int, path: str, to: list[int]) -> None:
        """Other seats that a value is for, in the event and in its opening."""
        self._field(version, path)["to"] = to
        self.opening(version, path)["to"] = to

    def rekey(self) -> None:
        """``keys`` as the events now have them."""
        self.bundle["keys"] = bundles.published(self.events)

    # --- putting together ---

    def as_is(self) -> Bundle:
        """Only the texts of the events are written again."""
        self.bundle["events"] = [canonical(event).decode() for event in self.events]
        return self.bundle

    def chained(self, *, renumber: bool = False, resalt: bool = True) -> Bundle:
        """All that needs no secret is made good: numbers, ``prev``, the table's salt, ``versions`` and ``head``."""
        prev, salt, texts = "", "", []
        for version, event in enumerate(self.events, 1):
            if renumber:
                event["version"] = version
            event["prev"] = prev
            if event["type"] == "SeedRevealed":
                salt = salt or prev
            if event["type"] == "MatchStarted" and resalt:
                event["body"]["salt"] = salt
            data = canonical(event)
            texts.append(data.decode())
            prev = b64u(chained(data))
        self.bundle |= {"events": texts, "versions": len(texts), "head": prev}
        return self.bundle

    def moved_openings(self, moved: Callable[[int], int | None]) -> None:
        """The openings go with events that have another number now, or away with those that are gone."""
        kept = [{**entry, "version": moved(entry["version"])} for entry in self.bundle["openings"]]
        self.bundle["openings"] = [entry for entry in kept if entry["version"]]

    def resealed(self) -> Bundle:
        """All that follows from the secrets is made good as well: salts, digests, openings; only the deals are not."""
        self.chained()
        salt = next(event["body"]["salt"] for event in self.events if event["type"] == "MatchStarted")
        seeds = {
            event["body"]["seat"]: event["body"]["seed"] for event in self.events if event["type"] == "SeedRevealed"
        }
        secrets = {key["hand"]: raw(key["secret"]) for key in self.bundle["keys"]}
        sown = [raw(seed) for _, seed in sorted(seeds.items())]
        hands = dict(self._hands())
        for entry in self.bundle["openings"]:
            hand = hands[entry["version"]]
            key = fairness.hand_key(raw(salt), secrets[hand], sown)
            right = b64u(fairness.field_salt(key, hand, entry["version"], entry["path"]))
            self.seal(entry["version"], entry["path"], json.loads(entry["value"]), right)
        return self.chained()

    def _hands(self) -> Iterator[tuple[int, int]]:
        hand = 1
        for event in self.events:
            yield event["version"], hand
            hand += event["type"] == "HandEnded"
