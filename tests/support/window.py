"""The whole window over real workspaces, found and driven by what people see and hear of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QAbstractListModel, QPoint, QRect, Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QTextEdit, QWidget
from pytestqt.qtbot import QtBot
from tests.support.patience import PATIENCE_MS

from patchbay.bootstrap.window_controller import WindowController
from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.kit.tab_view import TabView
from patchbay.desktop.tasks import GarbageCollector
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile

W = TypeVar("W", bound=QWidget)


class Window:
    """A desk and the ways to look at it."""

    def __init__(self, qtbot: QtBot, desk: WindowController) -> None:
        self._qtbot, self.desk = qtbot, desk
        self.address = ""
        """Of the workspace's HTTP API, set by tests that call it."""
        self.hook = ""
        """The URL of a webhook, set by tests that call it."""
        self.heard: list[str] = []
        """Texts of notifications, in tests that record them."""

    @property
    def services(self) -> Any:
        return self.desk.services

    def wait(self, look: Callable[[], object]) -> Any:
        """Turn the event loop until the answer is truthy; gives the answer."""
        found: list[object] = []

        def there() -> bool:
            found[:] = [look()]
            return bool(found[0])

        self._qtbot.waitUntil(there, timeout=PATIENCE_MS)
        return found[0]

    def tab(self, tab: Tab) -> Any:
        """Bring a tab to the front and give its page, once it is built."""
        area = self.wait(lambda: self.desk.window.area)
        area.show_tab(tab)
        view: TabView = self.wait(lambda: area.views.get(tab))
        return view

    def find(self, kind: type[W], name: str) -> W | None:
        """The visible widget of this kind with this name, as assistive technology sees it."""
        for widget in self.desk.window.findChildren(kind):
            text = widget.text() if isinstance(widget, QAbstractButton) else ""
            if name in (widget.accessibleName(), text) and widget.isVisible():
                return widget
        return None

    def see(self, kind: type[W], name: str) -> W:
        """As `find`, waited for."""
        found: W = self.wait(lambda: self.find(kind, name))
        return found

    def press(self, name: str) -> None:
        """Click the button with this name once it can be clicked and isn't moved any more.

        A message is scrolled into view after it appears: a click in that moment would be released beside it.
        """
        places: list[QRect] = []

        def resting() -> QAbstractButton | None:
            button = self.find(QAbstractButton, name)
            if button is None or not button.isEnabled():
                return None
            places.append(QRect(button.mapToGlobal(QPoint()), button.size()))
            return button if places[-2:] == [places[-1], places[-1]] else None

        button = self.wait(resting)
        self._qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def type(self, widget: QWidget, text: str) -> None:
        self._qtbot.keyClicks(widget, text)

    def key(self, widget: QWidget, key: Qt.Key) -> None:
        self._qtbot.keyClick(widget, key)

    def fill(self, name: str, text: str) -> None:
        """Type into the field with this name, as a person: in, type, out."""
        field = self.see(QTextEdit, name)
        field.setFocus()
        self.type(field, text)
        field.clearFocus()

    def rows(self, name: str) -> list[str]:
        """What the list with this name says, row by row, as assistive technology hears it."""
        view = self.find(QAbstractItemView, name)
        if view is None or view.model() is None:
            return []
        model = view.model()
        role = Qt.ItemDataRole.AccessibleTextRole
        columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()
        return [
            ", ".join(
                str(index.data(role) or index.data() or "")
                for index in (model.index(row, column) for column in range(columns))
            )
            for row in range(model.rowCount())
        ]


@contextmanager
def open_window(
    qtbot: QtBot,
    data: Path,
    workspace: str | None,
    *,
    passphrase_file: Path | None = None,
    api_key: str | None = None,
) -> Iterator[Window]:
    """The window on a workspace while the block runs; its own service takes any free port.

    `workspace` None: the welcome page.
    """
    paths = AppPaths.choose(data)
    paths.prepare()
    settings = SettingsFile(paths.settings)
    settings.value.service.port = 0
    collector = GarbageCollector()
    collector.start()
    passphrase = str(passphrase_file) if passphrase_file else None
    desk = WindowController(paths, settings, passphrase_file=passphrase, api_key=api_key)
    qtbot.addWidget(desk.window)
    desk.window.show()
    if workspace is not None:
        desk.open(workspace)
    try:
        yield Window(qtbot, desk)
    finally:
        desk.window.hide()
        desk.close()
        collector.stop()
