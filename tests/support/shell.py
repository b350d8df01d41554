"""Tabs and windows for tests of the frame."""

from PySide6.QtWidgets import QLineEdit, QVBoxLayout
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.kit.tab_view import TabView
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.desktop.shell.main_window import MainWindow
from patchbay.desktop.tasks import Tasks


class StubTab(TabView):
    """A tab that remembers what was asked of it."""

    def __init__(self, _: Services) -> None:
        super().__init__()
        self.activations = 0
        self.places: list[Place] = []
        self.field = QLineEdit()
        self.field.setAccessibleName("Filter")
        QVBoxLayout(self).addWidget(self.field)

    def activate(self) -> None:
        self.activations += 1

    def go(self, place: Place) -> None:
        self.places.append(place)

    def focus_filter(self) -> None:
        self.field.setFocus()


def stub_tabs() -> dict[Tab, type[StubTab]]:
    return dict.fromkeys(Tab, StubTab)


def window(
    tasks: Tasks, options: ShellOptions | None = None, backend: FakeBackend | None = None
) -> MainWindow:
    """A window over stub tabs and a fake backend, not yet shown."""
    return MainWindow(services(tasks, backend), stub_tabs(), options or ShellOptions(workspace="local"))
