"""Which language an answer is in: the best of those that the caller asks for and that there are."""

from collections.abc import Iterable


def preferred(accept: str | None, offered: Iterable[str]) -> str:
    """The language of ``offered`` that an ``Accept-Language`` value likes best; the first of ``offered`` if none."""
    available = tuple(offered)
    best, best_weight = available[0], 0.0
    for entry in (accept or "").split(","):
        tag, _, weights = entry.strip().partition(";")
        language = tag.strip().lower().partition("-")[0]
        liking = weight(weights)
        found = available[0] if language == "*" else language
        if found in available and liking > best_weight:
            best, best_weight = found, liking
    return best


def weight(parameters: str) -> float:
    """The ``q`` among the parameters of one entry: 1 if it is not said, 0 for what is not a number from 0 to 1."""
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() != "q":
            continue
        try:
            said = float(value)
        except ValueError:
            return 0.0
        return said if 0.0 <= said <= 1.0 else 0.0
    return 1.0
