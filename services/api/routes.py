"""Every path with its handler, and what happens to whatever goes wrong."""

from typing import Final

from litestar import Litestar
from litestar.datastructures import State

from services.api.audit import AuditController
from services.api.batch import BatchController
from services.api.clocks import ClockController
from services.api.disclosures import DisclosuresController
from services.api.disputes import DisputesController
from services.api.games import GamesController
from services.api.gate import gate
from services.api.matches import MatchesController
from services.api.my_tokens import MyTokensController
from services.api.operate import OperateController
from services.api.play import PlayController
from services.api.players import PlayersController
from services.api.problems import answer_for
from services.api.replay import ReplayController
from services.api.roles import RolesController
from services.api.signing_in import SignInController
from services.api.site import SiteController
from services.api.socket import SocketController
from services.api.watch import WatchController

BODY_BYTES: Final = 64 * 1024

CONTROLLERS: Final = (
    GamesController,
    PlayersController,
    MyTokensController,
    SignInController,
    RolesController,
    MatchesController,
    PlayController,
    BatchController,
    WatchController,
    ClockController,
    SocketController,
    ReplayController,
    AuditController,
    DisputesController,
    DisclosuresController,
    OperateController,
    SiteController,
)


def routes(state: State | None = None) -> Litestar:
    """Every path with its handler, over no services yet: what the document is made from."""
    return Litestar(
        route_handlers=CONTROLLERS,
        guards=[gate],
        exception_handlers={Exception: answer_for},
        openapi_config=None,
        logging_config=None,
        request_max_body_size=BODY_BYTES,
        state=state,
        debug=False,
    )
