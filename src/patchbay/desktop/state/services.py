"""What every screen is given: the workspace and the few objects all screens share."""

from collections.abc import Callable
from dataclasses import dataclass, field

from patchbay.desktop.state.app_store import AppStore
from patchbay.desktop.state.engine_offer import EngineOffer
from patchbay.desktop.state.feed import ChangeFeed
from patchbay.desktop.state.memory import Memory
from patchbay.desktop.state.navigation import Navigator
from patchbay.desktop.state.notices import Notices
from patchbay.desktop.tasks import Tasks
from patchbay.domain.backend import Backend
from patchbay.domain.base import EpochMs


@dataclass(frozen=True)
class Services:
    """Built once per open workspace. `clock` gives now in milliseconds; tests and the tour fix it."""

    backend: Backend
    tasks: Tasks
    feed: ChangeFeed
    apps: AppStore
    navigator: Navigator
    notices: Notices
    clock: Callable[[], EpochMs]
    memory: Memory = field(default_factory=Memory)
    engine_offer: EngineOffer = field(default_factory=EngineOffer)
