"""Layout: surfaces, separators, cards, scrolling columns, foldable sections, and a list with a side pane."""

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QColor, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QScrollArea, QSplitter, QVBoxLayout, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.accessibility import AccessibleMixin
from patchbay.desktop.kit.boxes import vbox
from patchbay.desktop.kit.buttons import paint_box
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.theme import theme

Surface = Literal["window", "surface", "sidebar", "raised"]

WIDE_FROM = 1200


class ResizeWatcher(QObject):
    """Calls back when a widget is resized."""

    def __init__(self, watched: QWidget, owner: QObject, on_resize: Callable[[], None]) -> None:
        super().__init__(owner)
        self._on_resize = on_resize
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            self._on_resize()
        return False


class _ScrollContent(QWidget):
    """The content of a scroll area. Its layout's minimum assumes that wrapped texts are as narrow as
    possible; this uses the actual width.
    """

    changed = Signal()
    """A child was shown, hidden, or resized."""

    def __init__(self) -> None:
        super().__init__()
        self.column = QVBoxLayout(self)
        self.column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self.changed.emit()
        return handled

    def height_for(self, width: int) -> int:
        """The height of the content at this width."""
        self.column.activate()
        wraps = self.column.hasHeightForWidth()
        return self.column.totalHeightForWidth(width) if wraps else self.column.totalSizeHint().height()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.height_for(max(1, self.width())))


class ListArea(AccessibleMixin, QScrollArea):
    """A scroll area that arrow keys scroll; for screen readers, a list with this name."""

    accessible_role = QAccessible.Role.List

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)


class FormScroll(QScrollArea):
    """A scroll area that only scrolls vertically. Tab and messages scroll their field into view."""

    def __init__(self, name: str = tr("Form")) -> None:
        super().__init__()
        self.inside = _ScrollContent()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.setWidget(self.inside)
        self.viewport().setAutoFillBackground(False)
        self.inside.setAutoFillBackground(False)

    def needed_height(self, width: int) -> int:
        """The height at which nothing needs to scroll."""
        return self.inside.height_for(width)

    def reveal(self, part: QWidget) -> None:
        """Scroll until a widget is visible."""
        if part.isVisible():
            self.ensureWidgetVisible(part, 0, theme().px(24))


def scroll_into_view(part: QWidget) -> None:
    """Scroll the areas around a widget until it is visible; if it is too tall, until its beginning is."""
    area = part.parentWidget()
    while area is not None and not isinstance(area, QScrollArea):
        area = area.parentWidget()
    inside = area.widget() if area is not None else None
    if area is None or inside is None or not part.isVisible():
        return
    margin = theme().px(8)
    area.ensureWidgetVisible(part, 0, margin)
    bar, top = area.verticalScrollBar(), part.mapTo(inside, QPoint(0, 0)).y() - margin
    bar.setValue(min(bar.value(), top))


def surface(widget: QWidget, name: Surface) -> QWidget:
    """Give a widget one of the backgrounds; it follows the theme."""
    widget.setProperty("surface", name)
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return widget


def line(*, vertical: bool = False) -> QFrame:
    """A separator between two areas."""
    made = QFrame()
    made.setProperty("line", True)
    if vertical:
        made.setFixedWidth(1)
    else:
        made.setFixedHeight(1)
    return made


class Card(QWidget):
    """A rounded box with a thin border; `body` is its layout. `accent` gives it a border of 2 px in the
    accent colour.
    """

    def __init__(self, parent: QWidget | None = None, *, padding: int = 16, radius: int = 8) -> None:
        super().__init__(parent)
        self._radius = radius
        self.line_token = "border"
        self.fill_token = "surface"
        self.accent = False
        self.body = QVBoxLayout(self)
        pad = theme().px(padding)
        self.body.setContentsMargins(pad, pad, pad, pad)
        self.body.setSpacing(theme().px(8))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        if self.accent:
            paint_box(painter, rect, theme().tokens.accent, None, self._radius)
            paint_box(
                painter, rect.adjusted(2, 2, -2, -2), theme().color(self.fill_token), None, self._radius - 2
            )
            return
        paint_box(painter, rect, theme().color(self.fill_token), theme().color(self.line_token), self._radius)


class Backdrop(QWidget):
    """Dims the window behind a dialog or the palette."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._watch = ResizeWatcher(window, self, self.cover)
        self.setGeometry(window.rect())
        self.show()
        self.raise_()

    def cover(self) -> None:
        """Cover the whole window; called again when it is resized."""
        self.setGeometry(self._window.rect())

    def paintEvent(self, event: QPaintEvent) -> None:
        shade = QColor(theme().tokens.window)
        shade.setAlphaF(0.55)
        QPainter(self).fillRect(self.rect(), shade)


class FoldableSection(QWidget):
    """A title with a chevron, a summary beside it while folded, and `body` below it while open."""

    toggled = Signal(bool)

    def __init__(self, title: str) -> None:
        super().__init__()
        self.head = _SectionHeader(title)
        self.content = QWidget()
        self.body = vbox(parent=self.content, margins=(0, 10, 0, 0), spacing=12)
        vbox(self.head, self.content, parent=self, spacing=0)
        self.content.setVisible(False)
        self.head.toggled.connect(self._on_toggled)

    def set_summary(self, words: str) -> None:
        """Set the text beside the title."""
        self.head.summary = words
        self.head.setAccessibleDescription(words)
        self.head.update()

    def set_open(self, on: bool) -> None:
        """Unfold or fold the section."""
        self.head.setChecked(on)

    @property
    def is_open(self) -> bool:
        """Whether the section is unfolded."""
        return self.head.isChecked()

    def _on_toggled(self, on: bool) -> None:
        self.content.setVisible(on)
        self.toggled.emit(on)


class _SectionHeader(FocusRinged, QAbstractButton):
    """The title of the section: Space and Enter toggle it, Left and Right fold and unfold it."""

    ring_radius = 6

    def __init__(self, title: str) -> None:
        super().__init__()
        self.summary = ""
        self.setText(title)
        self.setAccessibleName(title)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(200), theme().px(30))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.setChecked(event.key() == Qt.Key.Key_Right)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.toggle()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        px = theme().px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme().tokens.border)
        painter.drawLine(0, 0, self.width(), 0)
        arrow = "chevron-down" if self.isChecked() else "chevron-right"
        paint_icon(painter, QRectF(0, px(2), px(14), self.height() - px(2)), arrow, "text_secondary", 14)
        area = QRectF(px(20), px(2), self.width() - px(20), self.height() - px(2))
        token = "text" if self.underMouse() else "text_secondary"
        taken = paint_text(painter, area, self.text(), "medium", token)
        if not self.isChecked():
            rest = area.adjusted(taken + px(10), 0, 0, 0)
            paint_text(painter, rest, self.summary, "caption", "text_tertiary")


class ListAndPane(QSplitter):
    """A list with a side pane: `wide` in a wide window and `narrow` in others, until the user drags the
    divider.
    """

    def __init__(
        self, rows: QWidget, pane: QWidget, *, narrow: int = 340, wide: int = 400, max_pane_width: int
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._narrow = narrow
        self._wide = wide
        self._dragged = False
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        self.addWidget(rows)
        self.addWidget(pane)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        pane.setMinimumWidth(theme().px(narrow - 20))  # the max. width of a list with many columns
        pane.setMaximumWidth(theme().px(max_pane_width))
        self.splitterMoved.connect(self._on_divider_moved)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._dragged:
            pane = theme().px(self._wide if self.width() >= theme().px(WIDE_FROM) else self._narrow)
            self.setSizes([self.width() - pane, pane])

    def _on_divider_moved(self) -> None:
        self._dragged = True
