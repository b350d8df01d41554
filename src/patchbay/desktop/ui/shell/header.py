"""The header: workspace, tabs, the way to every command."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from patchbay.desktop.ui.kit.buttons import IconButton, paint_box
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.keycaps import keycaps_width, paint_keycaps
from patchbay.desktop.ui.kit.text import plain_tip
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.shell.tab_bar import MainTabBar
from patchbay.desktop.ui.shell.workspaces import WorkspaceSwitcher

SEARCH_LABEL = "Search or run a command"
NARROW_WIDTH = 1100


class SearchButton(FocusRinged, QPushButton):
    """Looks like a field, opens the command palette. Narrow windows show its icon only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.narrow = False
        self.setAccessibleName(SEARCH_LABEL)
        self.setToolTip(plain_tip(f"{SEARCH_LABEL} (Ctrl+K)"))
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.updateGeometry)

    def set_narrow(self, narrow: bool) -> None:
        if narrow != self.narrow:
            self.narrow = narrow
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        current = theme()
        if self.narrow:
            return QSize(current.px(30), current.px(30))
        text_rect = QFontMetricsF(current.font()).horizontalAdvance(SEARCH_LABEL)
        return QSize(round(text_rect + keycaps_width(["Ctrl", "K"]) + current.px(50)), current.px(30))

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
        paint_keycaps(painter, QRectF(self.rect()).adjusted(0, 0, -current.px(8), 0), ["Ctrl", "K"])


class Header(QWidget):
    """48 px: workspace switcher, tabs, search, settings, menu."""

    settings_requested = Signal()
    palette_requested = Signal()
    menu_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        px = theme().px
        self.switcher = WorkspaceSwitcher()
        self.tabs = MainTabBar()
        self.search = SearchButton()
        self.search.clicked.connect(self.palette_requested)
        self.settings = IconButton("settings", "Settings")
        self.settings.clicked.connect(self.settings_requested)
        self.menu = IconButton("menu", "Menu")
        self.menu.clicked.connect(self.menu_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(px(12), 0, px(12), 0)
        row.setSpacing(px(4))
        row.addWidget(self.switcher)
        row.addSpacing(px(8))
        row.addWidget(self.tabs)
        row.addStretch(1)
        row.addWidget(self.search)
        row.addSpacing(px(4))
        row.addWidget(self.settings)
        row.addWidget(self.menu)
        self._update_height()
        theme().changed.connect(self._update_height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Give up the search field, then the tab icons, where the width does not suffice."""
        px = theme().px
        self.search.set_narrow(self.width() < px(NARROW_WIDTH))
        other_widths = (
            self.switcher.sizeHint().width() + self.search.sizeHint().width() + px(30 * 2 + 24 + 36)
        )
        self.tabs.set_icons_shown(self.tabs.needed_width(icons=True) + other_widths <= self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme().tokens.window)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme().tokens.border)

    def _update_height(self) -> None:
        self.setFixedHeight(theme().px(48))
