"""The workspaces a window can show: how each is named and marked, and the switcher in the header."""

from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from patchbay.desktop.ui.kit.buttons import paint_box
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.menu import Menu
from patchbay.desktop.ui.kit.text import plain_tip
from patchbay.desktop.ui.kit.theme import theme

DEMO, LOCAL = "demo", "local"


@dataclass(frozen=True)
class WorkspaceChoice:
    """One workspace by its key ("demo", "local" or an address), with name, icon and colour of its tile."""

    key: str
    name: str
    icon: str
    token: str = "accent"


def choice(key: str) -> WorkspaceChoice:
    if key == DEMO:
        return WorkspaceChoice(DEMO, "Demo", "flask-conical", "warning_graphic")
    if key == LOCAL:
        return WorkspaceChoice(LOCAL, "This computer", "monitor")
    return WorkspaceChoice(key, urlsplit(key).netloc or key, "server")


class WorkspaceSwitcher(FocusRinged, QToolButton):
    """The tile at the left of the header: where one is, and the way elsewhere."""

    workspace_requested = Signal(str)
    add_requested = Signal()
    edit_requested = Signal()
    reset_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current: WorkspaceChoice | None = None
        self._others: tuple[WorkspaceChoice, ...] = ()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.open_menu)
        theme().changed.connect(self.updateGeometry)
        self.show_workspace(None, ())

    def show_workspace(self, shown_choice: str | None, services: tuple[str, ...]) -> None:
        self._current = choice(shown_choice) if shown_choice else None
        self._others = tuple(choice(key) for key in dict.fromkeys((DEMO, LOCAL, *services)))
        name = self._current.name if self._current else "none"
        self.setAccessibleName(f"Workspace: {name}")
        self.setToolTip(
            plain_tip(
                "You are in the demo. Nothing here is real." if shown_choice == DEMO else "Switch workspace"
            )
        )
        self.updateGeometry()
        self.update()

    def build_menu(self) -> Menu:
        """The choices, the present one ticked."""
        menu = Menu(self, "Workspaces")
        for workspace in self._others:
            entry = menu.add(workspace.name, partial(self._choose, workspace.key), workspace.icon)
            entry.setCheckable(True)
            entry.setChecked(workspace == self._current)
        menu.addSeparator()
        menu.add("Add a service…", self.add_requested.emit, "plus")
        if self._current is not None and self._current.key == DEMO:
            menu.add("Reset the demo…", self.reset_requested.emit, "undo-2")
        if self._current is not None and self._current.key not in (DEMO, LOCAL):
            menu.add("Service settings…", self.edit_requested.emit, "settings")
        return menu

    def open_menu(self) -> None:
        menu = self.build_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setMinimumWidth(max(self.width(), theme().px(220)))
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _choose(self, key: str) -> None:
        if self._current is None or key != self._current.key:
            self.workspace_requested.emit(key)

    def sizeHint(self) -> QSize:
        current = theme()
        text_rect = QFontMetricsF(current.font("semibold")).horizontalAdvance(self._label())
        return QSize(min(round(text_rect) + current.px(64), current.px(220)), current.px(32))

    def _label(self) -> str:
        return self._current.name if self._current else "Choose a workspace"

    def paintEvent(self, event: QPaintEvent) -> None:
        current, tokens = theme(), theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill = tokens.pressed if self.isDown() else tokens.hover if self.underMouse() else tokens.surface
        paint_box(painter, QRectF(self.rect()), fill, tokens.border_button)
        shown_choice = self._current or WorkspaceChoice("", "", "plug")
        tile = QRectF(current.px(8), (self.height() - current.px(20)) / 2, current.px(20), current.px(20))
        paint_box(painter, tile, current.color(shown_choice.token), None, radius=5)
        paint_icon(
            painter, tile, shown_choice.icon, "surface" if shown_choice.token != "accent" else "on_accent", 12
        )
        painter.setFont(current.font("semibold"))
        painter.setPen(tokens.warning if shown_choice.key == DEMO else tokens.text)
        text_rect = QRectF(current.px(36), 0, self.width() - current.px(62), self.height())
        shown = painter.fontMetrics().elidedText(
            self._label(), Qt.TextElideMode.ElideRight, round(text_rect.width() + 2)
        )
        painter.drawText(text_rect.adjusted(0, 0, 4, 0), int(Qt.AlignmentFlag.AlignVCenter), shown)
        arrow = QRectF(self.width() - current.px(24), 0, current.px(16), self.height())
        paint_icon(painter, arrow, "chevrons-up-down", "text_secondary", 14)
