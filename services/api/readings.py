"""Read models that are as new as the match itself: what a projection has not folded yet is folded here.

A projection may be a moment late. Its fold is pure, so the few events that are missing give the very row that it will
have; whoever has just seen a hand end finds it on the score sheet.
"""

from domain.match.state import State
from projections import replays, score_sheets
from services.api.context import Context


async def fresh_sheet(context: Context, state: State) -> score_sheets.Row:
    """The score sheet of a match in ``state``."""
    row = await context.readmodels.score_sheet(state.match)
    ruled = sum(case.rulings for case in state.disputes)
    now = (state.ended, ruled, state.totals, state.winners)
    if row is not None and (len(row.hands), len(row.rulings), row.totals, row.winners) == now:
        return row
    folded: score_sheets.Row | None = None
    for event in await context.store.events(state.match, limit=state.version):
        folded = score_sheets.PROJECTION.after(folded, event.decoded())
    assert folded is not None, "a match begins with its opening"
    return folded


async def fresh_index(context: Context, state: State) -> replays.Row:
    """The replay index of a match in ``state``."""
    row = await context.readmodels.replay_index(state.match)
    if row is not None and row.versions > state.version:
        row = None
    after = 0 if row is None else row.versions
    for event in await context.store.events(state.match, after=after, limit=max(1, state.version - after)):
        if event.version <= state.version:
            row = replays.PROJECTION.after(row, event.decoded())
    assert row is not None, "a match begins with its opening"
    return row
