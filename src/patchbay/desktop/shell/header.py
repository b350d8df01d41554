"""The header: workspace switcher, tabs, and the command palette's button."""

from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QTabBar, QToolButton, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.kit.actions import keycaps_width, paint_keycaps
from patchbay.desktop.kit.badges import badge_width, paint_badge
from patchbay.desktop.kit.boxes import Stretch, hbox
from patchbay.desktop.kit.buttons import IconButton, paint_box
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.mark_painting import Tone
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.shortcuts import PALETTE_KEYS, caps_of, native_text
from patchbay.desktop.kit.text import plain_tip
from patchbay.desktop.kit.theme import theme

DEMO, LOCAL = "demo", "local"
ICONS = {
    Tab.FLOWS: "workflow",
    Tab.EXECUTIONS: "activity",
    Tab.FOLDERS: "folder",
    Tab.TEMPLATES: "layout-template",
    Tab.MY_APPS: "blocks",
}
BADGE_TONES: dict[Tab, Tone] = {Tab.EXECUTIONS: "failure", Tab.MY_APPS: "warning"}

SEARCH_LABEL = tr("Search or run a command")
NARROW_WIDTH = 1100


@dataclass(frozen=True)
class WorkspaceChoice:
    """A workspace by its key ("demo", "local", or an address), with its name, icon, and colour."""

    key: str
    name: str
    icon: str
    token: str = "accent"


def choice(key: str) -> WorkspaceChoice:
    """The name and icon of a workspace, by its key: the demo, this computer, or the address of a server."""
    if key == DEMO:
        return WorkspaceChoice(DEMO, tr("Demo"), "flask-conical", "warning_graphic")
    if key == LOCAL:
        return WorkspaceChoice(LOCAL, tr("This computer"), "monitor")
    return WorkspaceChoice(key, urlsplit(key).netloc or key, "server")


class WorkspaceSwitcher(FocusRinged, QToolButton):
    """The button at the left of the header: shows the open workspace, and opens a menu of others."""

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

    def show_workspace(self, shown_choice: str | None, servers: tuple[str, ...]) -> None:
        """Show the open workspace, and the servers to choose from."""
        self._current = choice(shown_choice) if shown_choice else None
        self._others = tuple(choice(key) for key in dict.fromkeys((DEMO, LOCAL, *servers)))
        current = self._current
        self.setAccessibleName(
            tr("Workspace: {name}", name=current.name) if current else tr("Workspace: none")
        )
        self.setToolTip(
            plain_tip(
                tr(
                    "You're in the demo. Nothing here is real. "
                    "Flows on this computer don't run in this window."
                )
                if shown_choice == DEMO
                else tr("Switch workspace")
            )
        )
        self.updateGeometry()
        self.update()

    def build_menu(self) -> Menu:
        """The menu of workspaces, with the open one checked."""
        menu = Menu(self, tr("Workspaces"))
        for workspace in self._others:
            entry = menu.add(workspace.name, partial(self._choose, workspace.key), workspace.icon)
            entry.setCheckable(True)
            entry.setChecked(workspace == self._current)
        menu.addSeparator()
        menu.add(tr("Connect to a server…"), self.add_requested.emit, "plus")
        if self._current is not None and self._current.key == DEMO:
            menu.add(tr("Reset demo…"), self.reset_requested.emit, "undo-2")
        if self._current is not None and self._current.key not in (DEMO, LOCAL):
            menu.add(tr("Server settings…"), self.edit_requested.emit, "settings")
        return menu

    def open_menu(self) -> None:
        """Open the list of workspaces."""
        menu = self.build_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setMinimumWidth(max(self.width(), theme().px(220)))
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _choose(self, key: str) -> None:
        if self._current is None or key != self._current.key:
            self.workspace_requested.emit(key)

    def sizeHint(self) -> QSize:
        current = theme()
        text_width = QFontMetricsF(current.font("semibold")).horizontalAdvance(self._label())
        return QSize(min(round(text_width) + current.px(64), current.px(220)), current.px(32))

    def _label(self) -> str:
        return self._current.name if self._current else tr("Choose a workspace")

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


class MainTabBar(QTabBar):
    """The main tabs, with the names of `Tab`. Badges are painted beside them and described in the tooltip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._badges: dict[Tab, int] = {}
        self._by_keyboard = False
        self._icons_shown = True
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(False)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Tabs"))
        for index, tab in enumerate(Tab):
            self.addTab(tab.label)
            self.setAccessibleTabName(index, tab.label)
        theme().changed.connect(self._update_sizes)

    def current(self) -> Tab:
        """The tab that is shown."""
        return list(Tab)[self.currentIndex()]

    def show_tab(self, tab: Tab) -> None:
        """Show a tab."""
        self.setCurrentIndex(list(Tab).index(tab))

    def badge(self, tab: Tab) -> int:
        """The number on a tab; 0 for none."""
        return self._badges.get(tab, 0)

    def set_badge(self, tab: Tab, count: int, tooltip: str = "") -> None:
        """Set the number on a tab; 0 hides it."""
        if self.badge(tab) != count:
            self._badges[tab] = count
            self.setTabToolTip(
                list(Tab).index(tab),
                plain_tip(tr("{tab}, {tooltip}", tab=tab.label, tooltip=tooltip)) if count else "",
            )
            self._update_sizes()

    def set_icons_shown(self, shown: bool) -> None:
        """Show the icons, or hide them because the labels don't fit otherwise."""
        if shown != self._icons_shown:
            self._icons_shown = shown
            self._update_sizes()

    def needed_width(self, *, icons: bool) -> int:
        """The width that all tabs need, in pixels."""
        return sum(self._width_of(tab, icons=icons) for tab in Tab)

    def tabSizeHint(self, index: int) -> QSize:
        return QSize(self._width_of(list(Tab)[index], icons=self._icons_shown), theme().px(48))

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._by_keyboard = event.reason() is not Qt.FocusReason.MouseFocusReason
        super().focusInEvent(event)
        self.update()

    def _width_of(self, tab: Tab, *, icons: bool) -> int:
        current = theme()
        width = QFontMetricsF(current.font("semibold")).horizontalAdvance(tab.label) + current.px(26)
        if icons:
            width += current.px(22)
        if self.badge(tab):
            width += current.px(6) + badge_width(self.badge(tab))
        return round(width)

    def _update_sizes(self) -> None:
        for index in range(self.count()):
            self.setTabText(index, self.tabText(index))  # makes Qt recalculate the sizes
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        under = self.tabAt(self.mapFromGlobal(self.cursor().pos())) if self.underMouse() else -1
        for index, tab in enumerate(Tab):
            self._paint_tab(painter, index, tab, hover=index == under)

    def _paint_tab(self, painter: QPainter, index: int, tab: Tab, *, hover: bool) -> None:
        current, tokens = theme(), theme().tokens
        rect = QRectF(self.tabRect(index))
        chosen = index == self.currentIndex()
        text_color = tokens.text if chosen or hover else tokens.text_secondary
        x = rect.x() + current.px(13)
        if self._icons_shown:
            mark = "accent_text" if chosen else "text" if hover else "text_secondary"
            paint_icon(painter, QRectF(x, rect.y(), current.px(16), rect.height()), ICONS[tab], mark)
            x += current.px(22)
        painter.setFont(current.font("semibold" if chosen else "body"))
        painter.setPen(text_color)
        painter.drawText(
            QRectF(x, rect.y(), rect.width(), rect.height()), int(Qt.AlignmentFlag.AlignVCenter), tab.label
        )
        if self.badge(tab):
            width, height = badge_width(self.badge(tab)), current.px(18)
            at = QRectF(rect.right() - current.px(13) - width, rect.center().y() - height / 2, width, height)
            paint_badge(painter, at, self.badge(tab), BADGE_TONES.get(tab, "neutral"))
        if chosen:
            line = current.px(2)
            under = QRectF(
                rect.x() + current.px(8), rect.bottom() - line, rect.width() - current.px(16), line
            )
            painter.fillRect(under, tokens.accent)
            if self.hasFocus() and self._by_keyboard:
                painter.setPen(QPen(tokens.focus, 2))
                ring = rect.adjusted(current.px(4), current.px(7), -current.px(4), -current.px(8))
                painter.drawRoundedRect(ring, current.px(6), current.px(6))


class SearchButton(FocusRinged, QPushButton):
    """Looks like a field, and opens the command palette. In a narrow window it shows only its icon."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.narrow = False
        self.setAccessibleName(SEARCH_LABEL)
        self.setToolTip(plain_tip(f"{SEARCH_LABEL} ({native_text(PALETTE_KEYS)})"))
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.updateGeometry)

    def set_narrow(self, narrow: bool) -> None:
        """Show only the icon if the window is narrow."""
        if narrow != self.narrow:
            self.narrow = narrow
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self.needed_width(narrow=self.narrow), theme().px(30))

    def needed_width(self, *, narrow: bool) -> int:
        """The width of the button, in pixels, with or without its text."""
        current = theme()
        if narrow:
            return current.px(30)
        text_width = QFontMetricsF(current.font()).horizontalAdvance(SEARCH_LABEL)
        return round(text_width + keycaps_width(caps_of(PALETTE_KEYS)) + current.px(50))

    def paintEvent(self, event: QPaintEvent) -> None:
        current, tokens = theme(), theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_hovered = self.underMouse() or self.isDown()
        if self.narrow:
            paint_box(painter, QRectF(self.rect()), tokens.hover if is_hovered else None, None)
            paint_icon(painter, QRectF(self.rect()), "search")
            return
        paint_box(
            painter, QRectF(self.rect()), tokens.hover if is_hovered else tokens.surface, tokens.border_button
        )
        paint_icon(
            painter, QRectF(current.px(8), 0, current.px(20), self.height()), "search", "text_secondary", 14
        )
        painter.setFont(current.font())
        painter.setPen(tokens.text_tertiary)
        text_rect = QRectF(self.rect()).adjusted(current.px(32), 0, 0, 0)
        painter.drawText(text_rect, int(Qt.AlignmentFlag.AlignVCenter), SEARCH_LABEL)
        paint_keycaps(painter, QRectF(self.rect()).adjusted(0, 0, -current.px(8), 0), caps_of(PALETTE_KEYS))


class Header(QWidget):
    """The header, 48 px: workspace switcher, tabs, search, settings, menu."""

    settings_requested = Signal()
    palette_requested = Signal()
    menu_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.switcher = WorkspaceSwitcher()
        self.tabs = MainTabBar()
        self.search = SearchButton()
        self.search.clicked.connect(self.palette_requested)
        self.settings = IconButton("settings", tr("Settings"))
        self.settings.clicked.connect(self.settings_requested)
        self.menu = IconButton("menu", tr("Menu"))
        self.menu.clicked.connect(self.menu_requested)
        hbox(
            self.switcher,
            8,
            self.tabs,
            Stretch(),
            self.search,
            4,
            self.settings,
            self.menu,
            parent=self,
            margins=(12, 0, 12, 0),
            spacing=4,
        )
        self._update_height()
        theme().changed.connect(self._update_height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Shrink the search field, then hide the tab icons, if the width isn't enough."""
        px = theme().px
        room = self.width() - self.switcher.sizeHint().width() - px(30 * 2 + 24 + 36)
        fits = self.tabs.needed_width(icons=False) + self.search.needed_width(narrow=False) <= room
        self.search.set_narrow(self.width() < px(NARROW_WIDTH) or not fits)
        room -= self.search.sizeHint().width()
        self.tabs.set_icons_shown(self.tabs.needed_width(icons=True) <= room)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme().tokens.window)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme().tokens.border)

    def _update_height(self) -> None:
        self.setFixedHeight(theme().px(48))
