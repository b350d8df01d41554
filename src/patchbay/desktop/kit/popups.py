"""Popups below a control: a plain frame, and a searchable checklist."""

import ctypes
import ctypes.util
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
    QShowEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.names import best_match
from patchbay.desktop.kit.focus import ReadingOrder
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.item_views import store_value, stored_value
from patchbay.desktop.kit.line_edit import SearchField
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.toggles import paint_check

SHADOW = 10
MIN_ENTRIES_FOR_SEARCH = 9
"""Lists with fewer entries than this have no search field."""
OPTION_ROLE = Qt.ItemDataRole.UserRole
"""The role of a row's value."""


def supports_translucency() -> bool:
    """Whether the screen can blend shadows. False on an X11 screen without a compositor."""
    if QGuiApplication.platformName() != "xcb":
        return True
    try:
        return _has_compositor(ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6"))
    except OSError:
        return True


def _has_compositor(xlib: ctypes.CDLL) -> bool:
    """Whether a compositor runs: whether the selection that it takes has an owner (EWMH, `_NET_WM_CM_Sn`)."""
    xlib.XOpenDisplay.restype = ctypes.c_void_p
    xlib.XInternAtom.restype = ctypes.c_ulong
    xlib.XGetSelectionOwner.restype = ctypes.c_ulong
    display = ctypes.c_void_p(xlib.XOpenDisplay(None))
    if not display:
        return True
    try:
        name = f"_NET_WM_CM_S{xlib.XDefaultScreen(display)}".encode()
        atom = ctypes.c_ulong(xlib.XInternAtom(display, name, 0))
        return bool(xlib.XGetSelectionOwner(display, atom))
    finally:
        xlib.XCloseDisplay(display)


class Popup(ReadingOrder, QWidget):
    """A frameless window below `anchor`, closed by Esc or a click elsewhere. Fill `body`."""

    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._anchor: QWidget | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.body = QVBoxLayout(self)
        margin = SHADOW + theme().px(6)
        self.body.setContentsMargins(margin, margin, margin, margin)
        self.body.setSpacing(theme().px(4))

    def open_under(self, anchor: QWidget, width: int = 0) -> None:
        """Show the popup below the anchor, or above it if there is no room below."""
        self._anchor = anchor
        if not self.accessibleName():
            text = anchor.text() if isinstance(anchor, QAbstractButton) else ""
            self.setAccessibleName(anchor.accessibleName() or text)  # otherwise it is named after the program
        self.adjustSize()
        if width:
            self.resize(max(width + 2 * SHADOW, self.width()), self.height())
        self.resize(self.width(), max(self.height(), self._height(self.width())))
        self._place(anchor)
        self.show()

    def fit(self) -> None:
        """Resize to the current content, on the same side of the anchor."""
        if self._anchor is not None:
            self.resize(self.width(), self._height(self.width()))
            self._place(self._anchor)

    def _height(self, width: int) -> int:
        """The height of the content at this width, with wrapped texts."""
        return self.heightForWidth(width) if self.hasHeightForWidth() else self.sizeHint().height()

    def _place(self, anchor: QWidget) -> None:
        corner = anchor.mapToGlobal(QPoint(-SHADOW, anchor.height() + theme().px(4) - SHADOW))
        screen = anchor.screen().availableGeometry()
        if corner.y() + self.height() > screen.bottom() + SHADOW:
            corner.setY(anchor.mapToGlobal(QPoint(0, 0)).y() - self.height() - theme().px(4) + SHADOW)
        corner.setX(min(corner.x(), screen.right() - self.width() + SHADOW))
        self.move(corner)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Close the popup if its control is pressed again, without opening it again."""
        at = event.globalPosition().toPoint()
        on_anchor = self._anchor is not None and self._anchor.rect().contains(self._anchor.mapFromGlobal(at))
        self.setAttribute(Qt.WidgetAttribute.WA_NoMouseReplay, on_anchor)
        super().mousePressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._update_mask()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_mask()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.closed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_raised(painter, QRectF(self._card_rect))

    @property
    def _card_rect(self) -> QRect:
        """The area of the popup without its shadow."""
        return self.rect().adjusted(SHADOW, SHADOW, -SHADOW, -SHADOW)

    def _update_mask(self) -> None:
        """Remove shadow and rounded corners if the screen can't blend them, because they would be black."""
        if supports_translucency():
            self.clearMask()
            return
        shape, corner = QPainterPath(), theme().px(8)
        shape.addRoundedRect(QRectF(self._card_rect), corner, corner)
        self.setMask(QRegion(shape.toFillPolygon().toPolygon()))


def paint_raised(painter: QPainter, rect: QRectF, radius: float = 8) -> None:
    """A raised card with its shadow, which takes `SHADOW` pixels around the rectangle."""
    current = theme()
    corner = current.px(radius)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for spread in range(SHADOW, 0, -1):
        shade = QColor(current.tokens.shadow)
        shade.setAlphaF(shade.alphaF() * 0.16 * (1 - spread / SHADOW) ** 1.4)
        painter.setBrush(shade)
        area = rect.adjusted(-spread, -spread + 3, spread, spread)
        painter.drawRoundedRect(area, corner + spread, corner + spread)
    painter.setPen(QPen(current.tokens.border_button, 1))
    painter.setBrush(current.tokens.raised)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), corner, corner)
    painter.restore()


class ChecklistPopup(Popup):
    """A list of options to check (`multiple`) or to choose one from, with search if it is long."""

    changed = Signal(object)
    """The selected values, in the order of the options."""

    def __init__(
        self,
        parent: QWidget,
        options: Sequence[tuple[Any, str]],
        chosen: Sequence[Any] = (),
        *,
        multiple: bool = True,
    ) -> None:
        super().__init__(parent)
        self._multiple = multiple
        self._chosen = [value for value, _ in options if value in chosen]
        self._options = list(options)
        self.search = SearchField()
        self.search.setVisible(len(options) >= MIN_ENTRIES_FOR_SEARCH)
        self.search.textChanged.connect(self._fill)
        self.list = QListView()
        self.list.setAccessibleName(tr("Choices"))
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(_ChoiceDelegate(self, multiple))
        self.list.setStyleSheet("background: transparent")
        self._model = QStandardItemModel(self)
        self.list.setModel(self._model)
        self.list.clicked.connect(self._pick)
        self.list.installEventFilter(self)
        self.search.installEventFilter(self)
        self.body.addWidget(self.search)
        self.body.addWidget(self.list)
        self.body.addStretch(1)  # a few search results stay directly below the search field
        self._fill("")

    def values(self) -> tuple[Any, ...]:
        """The chosen values."""
        return tuple(self._chosen)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.list.scrollTo(self.list.currentIndex())
        (self.search if self.search.isVisible() else self.list).setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        key = event.key()
        if watched is self.search and key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.list.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter or (key == Qt.Key.Key_Space and watched is self.list):
            self._pick(self.list.currentIndex())
            if enter:
                self.close()
            return True
        return False

    def _fill(self, query: str) -> None:
        self._model.clear()
        for value, label in self._options:
            if query.lower() in label.lower():
                item = QStandardItem(label)
                item.setEditable(False)
                store_value(item, value, OPTION_ROLE)
                item.setData(self._state(value), Qt.ItemDataRole.CheckStateRole)
                self._model.appendRow(item)
        row = theme().px(28)
        self.list.setFixedHeight(max(1, min(self._model.rowCount(), 10)) * row)
        self.list.setMinimumWidth(theme().px(200))
        self._highlight(query)

    def _highlight(self, query: str) -> None:
        """Select the best match of the search; without one, the chosen value."""
        row = best_match(query, [self._model.item(row).text() for row in range(self._model.rowCount())])
        if row is None:
            return
        if not query and not self._multiple and self._chosen:
            row = next(at for at, (value, _) in enumerate(self._options) if value == self._chosen[0])
        self.list.setCurrentIndex(self._model.index(row, 0))
        self.list.scrollTo(self._model.index(row, 0))

    def _state(self, value: Any) -> Qt.CheckState:
        return Qt.CheckState.Checked if value in self._chosen else Qt.CheckState.Unchecked

    def _pick(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        value = stored_value(index, OPTION_ROLE)
        if not self._multiple:
            self._chosen = [value]
        elif value in self._chosen:
            self._chosen.remove(value)
        else:
            picked = [*self._chosen, value]
            self._chosen = [known for known, _ in self._options if known in picked]
        for row in range(self._model.rowCount()):
            item = self._model.item(row)
            item.setData(self._state(stored_value(item, OPTION_ROLE)), Qt.ItemDataRole.CheckStateRole)
        self.changed.emit(self.values())
        if not self._multiple:
            self.close()


class _ChoiceDelegate(QStyledItemDelegate):
    """Paints a row: a check box or tick, and the label."""

    def __init__(self, parent: QObject, multiple: bool) -> None:
        super().__init__(parent)
        self._multiple = multiple

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(theme().px(120), theme().px(28))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        current = theme()
        rect = QRectF(option.rect)
        state = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & (QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_Selected):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(current.tokens.hover)
            painter.drawRoundedRect(rect, current.px(5), current.px(5))
        checked = Qt.CheckState(index.data(Qt.ItemDataRole.CheckStateRole))
        box = QRectF(rect.x() + current.px(8), rect.y(), current.px(16), rect.height())
        if self._multiple:
            square = QRectF(0, 0, current.px(16), current.px(16))
            square.moveCenter(box.center())
            paint_check(painter, square, checked)
        elif checked is Qt.CheckState.Checked:
            paint_icon(painter, box, "check", "accent_text")
        painter.setFont(current.font("body"))
        painter.setPen(current.tokens.text)
        query = rect.adjusted(current.px(32), 0, -current.px(8), 0)
        text = painter.fontMetrics().elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, int(query.width())
        )
        painter.drawText(query, int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()
