"""Settings: a side list of matters; changes apply at once, there is no OK button."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QStackedWidget,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from patchbay.desktop.state.services import Services
from patchbay.desktop.ui.kit.delegates import RowDelegate, paint_row_background, paint_text
from patchbay.desktop.ui.kit.dialogs import Dialog
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.surface import line, surface
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.shell.options import ShellOptions
from patchbay.desktop.ui.shell.settings_pages import MATTERS, Matter


class SettingsDialog(Dialog):
    """760 x 560. A page is built when it is first looked at. `appearance_changed` carries the whole choice
    each time; `audit_wanted` asks for the audit log, which has a window of its own.
    """

    appearance_changed = Signal(object)
    tests_chosen = Signal(float)
    passphrase_given = Signal(str)
    audit_wanted = Signal()

    def __init__(
        self,
        parent: QWidget,
        options: ShellOptions,
        services: Services | None = None,
        *,
        open_address: Callable[[QUrl], object] = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(parent, "Settings", 760, head=False)
        self.options, self.services, self.open_address = options, services, open_address
        self.setFixedHeight(theme().px(560))
        self.body.setContentsMargins(0, 0, 0, 0)
        self._pages: dict[str, QWidget] = {}
        self._stack = QStackedWidget()
        self.list = self._side_list()
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self.list)
        row.addWidget(line(vertical=True))
        row.addWidget(self._stack, 1)
        self.body.addLayout(row)
        self.list.currentRowChanged.connect(lambda row: self.page(MATTERS[row].title))
        self.list.setCurrentRow(0)
        close, cancel = self.add_buttons("Close", self.accept)
        close.setDefault(False)
        cancel.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter in a text field saves that field; it must not press a button of the dialog as well."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def show_page(self, title: str) -> None:
        self.list.setCurrentRow([matter.title for matter in MATTERS].index(title))

    def page(self, title: str) -> Any:
        """What is inside the page of this title, brought to the front."""
        matter = next(matter for matter in MATTERS if matter.title == title)
        if title not in self._pages:
            inside = self._pages[title] = self._inside(matter)
            self._stack.addWidget(_framed(matter, inside))
        frame = self._pages[title].parentWidget()
        assert frame is not None
        self._stack.setCurrentWidget(frame)
        return self._pages[title]

    def _inside(self, matter: Matter) -> QWidget:
        """The page, or why there is nothing to see while no workspace is open."""
        if matter.make is not None:
            return matter.make(self)
        if self.services is not None and matter.of_workspace is not None:
            return matter.of_workspace(self, self.services)
        told = Label(matter.closed, "body", "text_secondary", wrap=True)
        told.setAlignment(Qt.AlignmentFlag.AlignTop)
        return told

    def _side_list(self) -> QListWidget:
        made = QListWidget()
        made.setAccessibleName("Settings")
        made.setFixedWidth(theme().px(190))
        made.setItemDelegate(_SideDelegate(made))
        made.setMouseTracking(True)
        surface(made, "sidebar")
        made.setViewportMargins(0, theme().px(8), 0, 0)
        for matter in MATTERS:
            made.addItem(matter.title)
        return made


class _SideDelegate(RowDelegate):
    """Rows of the side list."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, height=34)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(theme().px(120), self.row_height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        px = theme().px
        paint_row_background(painter, option, rule=False)
        rect = QRectF(option.rect)
        mark = QRectF(rect.x() + px(14), rect.y(), px(20), rect.height())
        paint_icon(painter, mark, MATTERS[index.row()].icon)
        paint_text(painter, rect.adjusted(px(42), 0, -px(8), 0), str(index.data()))


def _framed(matter: Matter, inside: QWidget) -> QWidget:
    """The page under its title. What scrolls begins 4 px inside, where focus rings have their place."""
    px = theme().px
    frame = QWidget()
    surface(frame, "surface")
    column = QVBoxLayout(frame)
    title = Label(matter.title, "title")
    if matter.scrolls:
        column.setContentsMargins(px(20), px(22), px(10), px(10))
        title.setContentsMargins(px(4), 0, 0, 0)
    else:
        column.setContentsMargins(px(24), px(22), px(24), px(20))
    column.setSpacing(px(14))
    column.addWidget(title)
    column.addWidget(inside, 1)
    return frame
