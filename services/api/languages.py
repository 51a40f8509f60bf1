"""Which language an answer is in: the best of those that the caller asks for and that there are."""

from collections.abc import Iterable


def preferred(accept: str | None, offered: Iterable[str]) -> str:
    """The language of ``offered`` that an ``Accept-Language`` value likes best; the first of ``offered`` if none."""
    available = tuple(offered)
    best, best_weight = available[0], 0.0
    for entry in (accept or "").split(","):
        tag, _, weights = entry.strip().partition(";")
        language = tag.strip().lower().partition("-")[0]
        weight = _weight(weights)
        found = available[0] if language == "*" else language
        if found in available and weight > best_weight:
            best, best_weight = found, weight
    return best


def _weight(text: str) -> float:
    """The ``q`` of one entry: 1 if it is not said, 0 for what is not a number from 0 to 1."""
    name, _, value = text.strip().partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        weight = float(value)
    except ValueError:
        return 0.0
    return weight if 0.0 <= weight <= 1.0 else 0.0
