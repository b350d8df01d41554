"""Filter chips."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.kit.accessibility import AccessibleMixin
from patchbay.desktop.kit.buttons import paint_box
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.popups import ChecklistPopup, Popup
from patchbay.desktop.kit.text import plain_tip
from patchbay.desktop.kit.theme import theme

_NO_OPTIONS_TIP = tr("No options yet")


class FilterChip(AccessibleMixin, FocusRinged, QToolButton):
    """A filter for one property: opens its options, shows the chosen value, × removes it.

    The value is a single one; with `multiple` it is a tuple. Clicking a chip without options removes it, such
    as one that a link sets by `set_value(value, text)`. Screen readers read the label, after
    “Filter by” if it `filters`, and `unset` while no value is chosen.
    """

    value_changed = Signal(object)
    accessible_role = QAccessible.Role.Button
    ring_radius = 14

    def __init__(
        self,
        label: str,
        parent: QWidget | None = None,
        *,
        multiple: bool = False,
        unset: str = tr("Any", "no filter"),
        filters: bool = True,
    ) -> None:
        super().__init__(parent)
        self._label = label
        self._filters = filters
        self._multiple = multiple
        self._unset = unset
        self._options: list[tuple[Any, str]] = []
        self._value: Any = () if multiple else None
        self._shown = ""
        self._popup: Popup | None = None
        self._over_clear_button = False
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.open)
        theme().changed.connect(self.updateGeometry)
        self._refresh()

    def set_options(self, options: Sequence[tuple[Any, str]]) -> None:
        """Set the values to choose from, with their labels."""
        self._options = list(options)
        self._shown = self._value_text() if self.active else ""
        self.setEnabled(bool(options) or self.active)
        self._refresh()

    def value(self) -> Any:
        """The chosen value; None without one."""
        return self._value

    @property
    def active(self) -> bool:
        """Whether a value is chosen."""
        return self._value not in (None, ())

    def set_value(self, value: Any, text: str | None = None) -> None:
        """Set the value without emitting a signal. `text` is its label if the options don't have it."""
        self._value = tuple(value or ()) if self._multiple else value
        self._shown = (text if text is not None else self._value_text()) if self.active else ""
        self._refresh()

    def clear(self) -> None:
        """Remove the filter and emit the change."""
        if self.active:
            self._choose(() if self._multiple else None)

    def open(self) -> None:
        """Open the options; without any, remove the filter."""
        if not self._options:
            self.clear()
            return
        chosen = self._value if self._multiple else (self._value,)
        popup = ChecklistPopup(self, self._options, chosen, multiple=self._multiple)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popup.changed.connect(self._on_picked)
        popup.closed.connect(self.update)
        self._popup = popup
        popup.open_under(self)

    def accessible_value(self) -> str:
        return self._shown or (self._unset if self.isEnabled() else _NO_OPTIONS_TIP)

    def keyPressEvent(self, event: Any) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.clear()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
            self.open()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.active and event.position().x() > self.width() - theme().px(24):
            self.clear()
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._over_clear_button = self.active and event.position().x() > self.width() - theme().px(24)
        self.update()

    def sizeHint(self) -> QSize:
        current = theme()
        width = QFontMetricsF(current.font()).horizontalAdvance(self._label) + current.px(38)
        if self._shown:
            value_width = QFontMetricsF(current.font("semibold")).horizontalAdvance(self._shown)
            width += current.px(4) + min(value_width, current.px(240))
        return QSize(round(width + 0.5), current.px(28))

    def paintEvent(self, event: QPaintEvent) -> None:
        current, tokens = theme(), theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.active:
            fill = tokens.accent_soft
            line = tokens.accent_border
            words = tokens.accent_text
        else:
            fill = tokens.pressed if self.isDown() else tokens.hover if self.underMouse() else tokens.surface
            line, words = tokens.border_button, tokens.text_secondary
        if not self.isEnabled():
            words = tokens.text_disabled
        paint_box(painter, QRectF(self.rect()), fill, line, radius=14)
        x = float(current.px(12))
        painter.setFont(current.font())
        painter.setPen(words)
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(QRectF(x, 0, self.width(), self.height()), middle, self._label)
        if self._shown:
            x += QFontMetricsF(current.font()).horizontalAdvance(self._label) + current.px(4)
            painter.setFont(current.font("semibold"))
            room = self.width() - x - current.px(25)
            shown = painter.fontMetrics().elidedText(
                self._shown, Qt.TextElideMode.ElideRight, round(room + 2)
            )
            painter.drawText(QRectF(x, 0, room + 4, self.height()), middle, shown)
        mark = QRectF(self.width() - current.px(24), 0, current.px(17), self.height())
        if self.active and self._over_clear_button and self.underMouse():
            spot = QRectF(0, 0, current.px(18), current.px(18))
            spot.moveCenter(mark.center())
            paint_box(painter, spot, tokens.accent_border, None, radius=9)
        paint_icon(painter, mark, "x" if self.active else "chevron-down", words, 14)

    def _on_picked(self, values: tuple[Any, ...]) -> None:
        self._choose(values if self._multiple else values[0])

    def _choose(self, value: Any) -> None:
        self.set_value(value)
        self.value_changed.emit(self._value)

    def _value_text(self) -> str:
        chosen = self._value if self._multiple else (self._value,)
        labels = [label for value, label in self._options if value in chosen]
        if len(labels) < 3:
            return ", ".join(labels)
        return tr_count(len(labels) - 1, "{first} and {n} more", "{first} and {n} more", first=labels[0])

    def _refresh(self) -> None:
        label, shown = self._label, self._shown
        unset = tr("Filter by {label}", label=label) if self._filters else label
        self.setAccessibleName(tr("{label}: {value}", label=label, value=shown) if shown else unset)
        tip = tr("{label}: {value}. Delete clears it.", label=label, value=shown) if shown else ""
        self.setToolTip(plain_tip(tip if self.isEnabled() else _NO_OPTIONS_TIP))
        self.announce_value()
        self.updateGeometry()
        self.update()
