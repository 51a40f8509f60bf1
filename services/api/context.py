"""What the API needs of the rest of the service: ready-made parts, put together by ``services.app``."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from services.api.limits import Limits
from services.api.metrics import Metrics
from services.api.presence import Presence
from services.api.tokens import Tokens
from services.api.wire import Wire
from services.bots import Bots
from services.clock import now_ms
from services.disputes import Disputes
from services.erasures import Erasures
from services.feed import Feed
from services.matches import Matches
from services.openid import Provider
from services.parts import Parts
from services.peers import Peers
from services.projector import Projector
from services.readmodels import ReadModels
from services.store.store import Store
from services.tails import Tails
from services.tracing import Tracer


class Closing(asyncio.Event):
    """Set when the process is asked to end. ``tell`` is called then, by whoever sets it."""

    def __init__(self) -> None:
        super().__init__()
        self.tell: Callable[[], None] | None = None

    def set(self) -> None:
        super().set()
        if self.tell is not None:
            self.tell()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """``cors_origins`` may call the API from a browser; ``*`` means any. ``wire`` has the connections and knows
    the proxies that say who a client is; ``hsts_seconds`` is how long browsers are told to keep to HTTPS.

    ``tokens`` remembers whose the tokens are that moves come with, ``games`` which game a match is of, ``disclosed``
    what is in the log of disclosures. A token lives for ``token_life`` seconds; ``provider`` is where one can sign in.
    ``limits`` say how often one address may ask; without, as it likes. ``now`` is the time of the matches, in
    milliseconds since 1970. ``tracer`` makes spans of requests.
    ``closing`` is set when the process is asked to end: open streams end then, each after a whole frame.
    """

    store: Store
    erasures: Erasures
    matches: Matches
    disputes: Disputes
    feed: Feed
    tails: Tails
    readmodels: ReadModels
    projector: Projector
    peers: Peers
    bots: Bots
    tokens: Tokens
    token_life: float
    wire: Wire
    provider: Provider | None = None
    cors_origins: tuple[str, ...] = ()
    hsts_seconds: int = 0
    limits: Limits = field(default_factory=Limits)
    presence: Presence = field(default_factory=Presence)
    parts: Parts = field(default_factory=Parts)
    games: dict[str, str] = field(default_factory=dict)
    disclosed: set[tuple[Any, ...]] = field(default_factory=set)
    now: Callable[[], int] = now_ms
    tracer: Tracer | None = None
    metrics: Metrics = field(default_factory=Metrics)
    closing: Closing = field(default_factory=Closing)
