"""Screens load once, again after an error and after changes, and keep what they show if that fails."""

import pytest
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.core.notices import Notice
from patchbay.desktop.core.screen_view_model import ScreenViewModel
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import Unreachable


class Templates(ScreenViewModel):
    """A screen that shows templates."""

    reloads_on = (ResourceType.TEMPLATE,)
    reads = 0

    def _read(self):
        self.reads += 1
        self._load_request.run(
            self._backend.list_templates(), done=self._on_loaded, failed=self._on_load_failed
        )

    def _on_loaded(self, _):
        self.loaded, self.error = True, None


@pytest.fixture
def backend():
    return FakeBackend(executions=0)


@pytest.fixture
def around(tasks, backend):
    return services(tasks, backend)


@pytest.fixture
def screen(around):
    return Templates(around)


def test_it_is_loaded_once(qtbot, screen):
    screen.load()
    qtbot.waitUntil(lambda: screen.loaded)

    screen.load()

    assert screen.reads == 1


def test_after_an_error_it_is_loaded_again(qtbot, screen, backend):
    backend.failing["list_templates"] = Unreachable("The service does not answer.")
    with qtbot.waitSignal(screen.failed):
        screen.load()
    shown, found = screen.error, screen.loaded

    del backend.failing["list_templates"]
    screen.load()
    qtbot.waitUntil(lambda: screen.loaded)

    assert (shown.happened, found) == ("The service does not answer.", False)
    assert screen.error is None


def test_an_error_of_a_reload_is_a_notice(qtbot, screen, around, backend):
    notices: list[Notice] = []
    around.notices.posted.connect(notices.append)
    screen.load()
    qtbot.waitUntil(lambda: screen.loaded)
    backend.failing["list_templates"] = Unreachable("The service does not answer.")

    screen.refresh()
    qtbot.waitUntil(lambda: len(notices) == 1)

    assert (screen.loaded, screen.error) == (True, None)
    assert "The service does not answer." in notices[0].text


@pytest.mark.parametrize(
    ("resource", "reads"), [(ResourceType.TEMPLATE, 2), (ResourceType.FLOW, 1)], ids=["own", "other"]
)
def test_only_changes_of_its_resources_load_it_again(qtbot, screen, around, resource, reads):
    around.feed.changed.emit(Change(noun=resource))
    before = screen.reads
    screen.load()
    qtbot.waitUntil(lambda: screen.loaded)

    around.feed.changed.emit(Change(noun=resource))

    assert (before, screen.reads) == (0, reads)
