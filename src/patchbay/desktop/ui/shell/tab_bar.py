"""The tabs of the window: icon, name, badge, a line under the chosen one."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QTabBar, QWidget

from patchbay.desktop.state.navigation import Tab
from patchbay.desktop.ui.kit.chips import badge_width, paint_badge
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.marks import Tone
from patchbay.desktop.ui.kit.text import plain_tip
from patchbay.desktop.ui.kit.theme import theme

ICONS = {
    Tab.FLOWS: "workflow",
    Tab.EXECUTIONS: "activity",
    Tab.FOLDERS: "folder",
    Tab.TEMPLATES: "layout-template",
    Tab.MY_APPS: "blocks",
}
BADGE_TONES: dict[Tab, Tone] = {Tab.EXECUTIONS: "failure", Tab.MY_APPS: "warning"}


class MainTabBar(QTabBar):
    """Names are exactly those of `Tab`. Badges are painted beside them and told in the tooltip."""

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
        self.setAccessibleName("Tabs")
        for index, tab in enumerate(Tab):
            self.addTab(tab.value)
            self.setAccessibleTabName(index, tab.value)
        theme().changed.connect(self._update_sizes)

    def current(self) -> Tab:
        return list(Tab)[self.currentIndex()]

    def show_tab(self, tab: Tab) -> None:
        self.setCurrentIndex(list(Tab).index(tab))

    def badge(self, tab: Tab) -> int:
        return self._badges.get(tab, 0)

    def set_badge(self, tab: Tab, count: int, tooltip: str = "") -> None:
        if self.badge(tab) != count:
            self._badges[tab] = count
            self.setTabToolTip(list(Tab).index(tab), plain_tip(f"{tab.value}, {tooltip}") if count else "")
            self._update_sizes()

    def set_icons_shown(self, shown: bool) -> None:
        """Icons go when the words do not fit otherwise."""
        if shown != self._icons_shown:
            self._icons_shown = shown
            self._update_sizes()

    def needed_width(self, *, icons: bool) -> int:
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
        width = QFontMetricsF(current.font("semibold")).horizontalAdvance(tab.value) + current.px(26)
        if icons:
            width += current.px(22)
        if self.badge(tab):
            width += current.px(6) + badge_width(self.badge(tab))
        return round(width)

    def _update_sizes(self) -> None:
        for index in range(self.count()):
            self.setTabText(index, self.tabText(index))  # makes Qt ask for the sizes again
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
        tooltip = tokens.text if chosen or hover else tokens.text_secondary
        x = rect.x() + current.px(13)
        if self._icons_shown:
            mark = "accent_text" if chosen else "text" if hover else "text_secondary"
            paint_icon(painter, QRectF(x, rect.y(), current.px(16), rect.height()), ICONS[tab], mark)
            x += current.px(22)
        painter.setFont(current.font("semibold" if chosen else "body"))
        painter.setPen(tooltip)
        painter.drawText(
            QRectF(x, rect.y(), rect.width(), rect.height()), int(Qt.AlignmentFlag.AlignVCenter), tab.value
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
