"""Writing down that somebody is shown hidden cards beyond what the rules show by themselves.

A seat's own cards are not written down one by one, nor is what everybody sees when a hand is over: the events say who
sees a field (``to``), and since when. So playing costs nothing here. What is beyond that is written before it is shown.
"""

from typing import Final

from services.api.caller import Sight
from services.api.context import Context
from services.store.cases import Disclosure

OPENED: Final = "opened"
"""Cards of hands that are over, of a match that is not."""

_KEPT: Final = 100_000


async def disclosing(context: Context, seen: Sight, operation: str, first: int, last: int, shown: str) -> None:
    """Logs, before it happens, that the caller is shown events ``first`` to ``last`` through the eyes of ``shown``.

    The first time counts: the same once more is not written again. Raises ``Unavailable`` if it cannot be written; then
    nothing must be shown.
    """
    who = "" if seen.player is None else seen.player.player
    known = (seen.match, who, operation, first, last, shown)
    if known in context.disclosed:
        return
    entry = Disclosure(
        match=seen.match,
        at=context.now(),
        player=who,
        role="" if seen.player is None else seen.player.role,
        seat=seen.seat,
        operation=operation,
        first=first,
        last=last,
        shown=shown,
    )
    await context.store.disclose(entry)
    if len(context.disclosed) >= _KEPT:
        context.disclosed.clear()
    context.disclosed.add(known)
