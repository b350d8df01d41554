"""The left side of the settings dialog: the search, and the sections or what was found."""

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QListWidget, QListWidgetItem, QStyleOptionViewItem, QWidget

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.kit.boxes import vbox
from patchbay.desktop.kit.item_views import RowDelegate, paint_row_background
from patchbay.desktop.kit.layout import scroll_into_view, surface
from patchbay.desktop.kit.line_edit import SearchField
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.text import Label, literal
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.settings.view_models.search import SettingEntry, find_settings

WIDTH, _MAX_WIDTH = 190, 230
_TITLE_MARGINS, _FIELD_MARGINS = 52, 92
"""The horizontal space around a title (with its icon), and around the text of the search field."""
_SEARCH = tr("Search settings")
_NOTHING = tr("No setting matches.")
_HIGHLIGHT_MS = 2_500
_FIND_MS, _FIND_TRIES = 50, 60
_LOADING_TRIES = 6
"""Tries after which a control that isn't there is one that depends on another setting."""


class SearchPane(QWidget):
    """Shows the sections, or while text is entered, what was found. Enter and a click choose a result."""

    chosen = Signal(object)
    """Emitted with a `SettingEntry`."""

    def __init__(self, sections: QListWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        px = theme().px
        self._sections = sections
        self.field = SearchField(_SEARCH)
        self.field.text_changed.connect(self._search)
        self.field.returnPressed.connect(self._choose_current)
        self.field.installEventFilter(self)
        self.results = QListWidget()
        self.results.setAccessibleName(tr("Search results"))
        self.results.setItemDelegate(_ResultDelegate(self.results, self))
        self.results.setMouseTracking(True)
        self.results.itemActivated.connect(self._choose)
        self.results.itemClicked.connect(self._choose)
        self._nothing = Label(_NOTHING, "caption", "text_secondary", wrap=True)
        self._nothing.setContentsMargins(px(14), px(4), px(8), 0)
        self.found: tuple[SettingEntry, ...] = ()
        """What the text in the field matches."""
        self.setFixedWidth(self._needed_width())
        surface(self, "sidebar")
        surface(self.results, "sidebar")
        top = vbox(self.field, margins=(10, 12, 10, 6))
        vbox(top, (self._sections, 1), self._nothing, (self.results, 1), parent=self, spacing=0)
        self._search("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move from the field to the results with Down."""
        key = event.key() if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress else None
        if key == Qt.Key.Key_Down and self.found:
            self.results.setCurrentRow(0)
            self.results.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        return False

    def _needed_width(self) -> int:
        """The width at which no title of a section is cut, within limits."""
        px, metrics = theme().px, QFontMetrics(theme().font("body"))
        titles = [str(self._sections.item(row).text()) for row in range(self._sections.count())]
        title_width = max(map(metrics.horizontalAdvance, titles), default=0) + px(_TITLE_MARGINS)
        search_width = metrics.horizontalAdvance(_SEARCH) + px(_FIELD_MARGINS)
        return min(max(px(WIDTH), title_width, search_width), px(_MAX_WIDTH))

    def _search(self, text: str) -> None:
        self.found = find_settings(text)
        is_searching = bool(text.strip())
        self.results.clear()
        for entry in self.found:
            item = QListWidgetItem(literal(entry.label))
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole, f"{entry.label}, {entry.page_label}. {entry.effect}"
            )
            self.results.addItem(item)
        self.results.setCurrentRow(0 if self.found else -1)
        self._sections.setVisible(not is_searching)
        self.results.setVisible(is_searching)
        self._nothing.setVisible(is_searching and not self.found)
        if is_searching:
            number = len(self.found)
            said = tr_count(number, "{n} setting found", "{n} settings found") if number else _NOTHING
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.field, said))

    def _choose_current(self) -> None:
        if self.found:
            self.chosen.emit(self.found[max(0, self.results.currentRow())])

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(self.found[self.results.row(item)])


class _ResultDelegate(RowDelegate):
    """Paints the label of a result, and its page below."""

    def __init__(self, parent: QWidget, pane: SearchPane) -> None:
        super().__init__(parent, height=46)
        self._pane = pane

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(theme().px(120), self.row_height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        px = theme().px
        paint_row_background(painter, option, rule=False)
        rect = QRectF(option.rect).adjusted(px(14), px(5), -px(8), -px(5))
        half = rect.height() / 2
        entry = self._pane.found[index.row()]
        paint_text(painter, QRectF(rect.x(), rect.y(), rect.width(), half), entry.label)
        below = QRectF(rect.x(), rect.y() + half, rect.width(), half)
        paint_text(painter, below, entry.page_label, "caption", "text_tertiary")


class Highlight(QWidget):
    """A tinted frame around a control for a moment, which takes no events."""

    def __init__(self, control: QWidget) -> None:
        host = control.parentWidget() or control
        super().__init__(host)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        margin = theme().px(4)
        self.setGeometry(control.geometry().adjusted(-margin, -margin, margin, margin))
        self.show()
        QTimer.singleShot(_HIGHLIGHT_MS, self, self.deleteLater)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), theme().tokens
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(tokens.accent, theme().px(2)))
        radius = theme().px(8)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)


class Reveal(QObject):
    """Focuses and highlights the control of a setting, once its page has loaded and placed it.

    While the control is hidden or disabled, this is that of the setting on which it depends.
    """

    def __init__(self, page: QWidget, entry: SettingEntry) -> None:
        super().__init__(page)
        self._page, self._entry = page, entry
        self._tries = 0
        self._position: QPoint | None = None
        self._timer = QTimer(self, interval=_FIND_MS)
        self._timer.timeout.connect(self._try)
        self._timer.start()

    def _try(self) -> None:
        self._tries += 1
        is_last = self._tries >= _FIND_TRIES
        control = find_control(self._page, self._entry.label)
        if control is None and self._tries > _LOADING_TRIES:
            control = find_control(self._page, self._entry.depends_on)
        if control is not None and not is_last:
            # A first layout, or what loads above it, moves it: wait until it stays where it is.
            position, earlier = control.mapTo(self._page, QPoint()), self._position
            self._position = position
            if position != earlier:
                return
        if control is not None:
            scroll_into_view(control)
            control.setFocus(Qt.FocusReason.ShortcutFocusReason)
            Highlight(control)
        if control is not None or is_last:
            self._timer.stop()
            self.deleteLater()


def find_control(page: QWidget, label: str) -> QWidget | None:
    """The control with this accessible name that can have the focus now; None without one."""
    for widget in page.findChildren(QWidget) if label else ():
        can_focus = widget.focusPolicy() is not Qt.FocusPolicy.NoFocus and widget.isEnabled()
        name = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
        if can_focus and widget.isVisible() and name == label:
            return widget
    return None
