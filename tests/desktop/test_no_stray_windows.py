"""Nothing flashes a window of its own while screens are built and filled."""

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from tests.support.desktop import services

from patchbay.bootstrap.window_tabs import TABS
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.tour.component_gallery import Gallery


class Watch(QObject):
    """Remembers every window that was shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(type(watched).__name__)
        return False


@pytest.fixture
def watch(qapp: QApplication):
    made = Watch()
    qapp.installEventFilter(made)
    yield made
    qapp.removeEventFilter(made)


@pytest.mark.parametrize("tab", list(Tab))
def test_a_tab_shows_one_window(qtbot, tasks, watch, tab):
    around = services(tasks)
    view = TABS[tab](around)
    qtbot.addWidget(view)
    view.resize(1280, 720)
    view.show()
    view.activate()
    if tab is Tab.FLOWS:
        view.go(Place(tab, "flow-issues", "editor"))

    qtbot.wait(150)

    assert watch.shown == [type(view).__name__]


def test_the_kit_shows_one_window(qtbot, watch):
    gallery = Gallery(None)
    qtbot.addWidget(gallery)

    gallery.show()

    assert watch.shown == ["Gallery"]
