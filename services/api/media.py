"""Which kind of answer the caller likes best, by ``Accept`` (RFC 9110, section 12.5.1)."""

from services.api.languages import weight


def preferred_kind(accept: str | None, *offered: str) -> str:
    """The media type of ``offered`` that ``accept`` likes best: by weight, then the one that is named more exactly,
    then the one that is named first. The first of ``offered`` if none is liked: rather that than nothing.
    """
    ranges = [entry.strip().partition(";")[::2] for entry in (accept or "").split(",")]
    named = [(kind.strip().lower(), weight(parameters)) for kind, parameters in ranges]
    return max(offered, key=lambda kind: _liking(named, kind))


def _liking(named: list[tuple[str, float]], kind: str) -> tuple[float, int, int]:
    """How much ``kind`` is liked: the weight of the range that fits it most exactly, how exactly, and how early."""
    for exactness, wanted in ((2, kind), (1, f"{kind.partition('/')[0]}/*"), (0, "*/*")):
        for place, (known, liking) in enumerate(named):
            if known == wanted:
                return (liking, exactness, -place) if liking > 0 else (0.0, 0, 0)
    return 0.0, 0, 0
