"""How much is measured: enough for a figure, or just enough to see that the measuring works."""

import msgspec


class Scale(msgspec.Struct, frozen=True, kw_only=True):
    """``rounds`` of ours and the reference in turn; ``seconds`` of each trial with servers, ``moves`` of one without.

    In P5 ``feeds`` follow ``followed`` matches with ``rate`` moves a second; in P6 ``replays`` of ``long`` matches are
    timed in each round; P7 rebuilds from ``rebuilt`` events; P9 goes from ``small`` events to ``large``, in ``matches``
    matches; P10 has ``idle`` matches and ``open`` feeds, and waits ``settle`` seconds before it weighs.
    """

    rounds: int = 5
    seconds: float = 5
    moves: int = 20_000
    feeds: int = 500
    followed: int = 100
    rate: int = 200
    replays: int = 200
    long: int = 8
    rebuilt: int = 100_000
    small: int = 10_000
    large: int = 2_000_000
    matches: int = 100_000
    idle: int = 2_000
    open: int = 5_000
    settle: float = 2


SHORT = Scale(
    rounds=1,
    seconds=0.5,
    moves=300,
    feeds=10,
    followed=5,
    rate=40,
    replays=5,
    long=1,
    rebuilt=2_000,
    small=1_000,
    large=3_000,
    matches=60,
    idle=20,
    open=20,
    settle=0.2,
)
