"""Services over a fake backend, for tests of view-models and widgets."""

from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import NOW

from patchbay.desktop.core.app_store import AppStore
from patchbay.desktop.core.change_feed import ChangeFeed
from patchbay.desktop.core.navigation import Navigator
from patchbay.desktop.core.notices import Notices
from patchbay.desktop.core.services import Services
from patchbay.desktop.tasks import Tasks
from patchbay.domain.backend import Backend


def services(tasks: Tasks, backend: Backend | None = None) -> Services:
    """Everything a screen is given; feed and app store are started."""
    backend = backend or FakeBackend()
    feed, apps = ChangeFeed(backend, tasks), AppStore(backend, tasks)
    feed.changed.connect(apps.on_change)
    feed.start()
    apps.load()
    return Services(backend, tasks, feed, apps, Navigator(), Notices(), clock=lambda: NOW)
