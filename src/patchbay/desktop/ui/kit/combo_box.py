"""A choice of one."""

from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from patchbay.desktop.ui.kit.accessibility import SelfDescribing
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.line_edit import mark_invalid
from patchbay.desktop.ui.kit.popups import ChecklistPopup
from patchbay.desktop.ui.kit.theme import theme


class ComboBox(SelfDescribing, FocusRinged, QComboBox):
    """A choice of one, painted like a field. Fill with `set_options`; `value_changed` carries the value.

    The values are kept here and not as item data, because Qt returns a `StrEnum` as `str`.
    """

    value_changed = Signal(object)
    accessible_role = QAccessible.Role.ComboBox

    def __init__(
        self, accessible_name: str = "", parent: QWidget | None = None, *, large: bool = False
    ) -> None:
        super().__init__(parent)
        self._large = large
        self._values: list[Any] = []
        self.setAccessibleName(accessible_name)
        self.popup: ChecklistPopup | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.currentIndexChanged.connect(lambda _: self.tell_value())
        self.currentIndexChanged.connect(lambda _: self.value_changed.emit(self.value()))
        theme().changed.connect(self.updateGeometry)

    def set_options(self, options: list[tuple[Any, str]] | tuple[tuple[Any, str], ...]) -> None:
        """Replace the choices; the chosen value stays when it is still among them."""
        kept = self.value()
        self.blockSignals(True)
        self.clear()
        self._values = [value for value, _ in options]
        self.addItems([label for _, label in options])
        self.setCurrentIndex(self._values.index(kept) if kept in self._values else 0 if options else -1)
        self.blockSignals(False)
        if self.value() != kept:
            self.value_changed.emit(self.value())

    def value(self) -> Any:
        return self._values[self.currentIndex()] if self.currentIndex() >= 0 else None

    def set_value(self, value: Any) -> None:
        if value in self._values:
            self.setCurrentIndex(self._values.index(value))

    def accessible_value(self) -> str:
        return self.currentText()

    def set_invalid(self, invalid: bool) -> None:
        mark_invalid(self, invalid)

    def showPopup(self) -> None:
        """Open the choices as other controls do, rather than in Qt's own frame."""
        options = [(row, self.itemText(row)) for row in range(self.count())]
        self.popup = ChecklistPopup(self, options, (self.currentIndex(),), multiple=False)
        self.popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.popup.changed.connect(lambda rows: self.setCurrentIndex(rows[0]))
        self.popup.open_under(self, self.width())

    def wheelEvent(self, event: Any) -> None:
        """Only with the focus: scrolling a form must not change its values."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def sizeHint(self) -> QSize:
        widest = max(
            (self.fontMetrics().horizontalAdvance(self.itemText(i)) for i in range(self.count())), default=0
        )
        return QSize(
            max(theme().px(90), min(widest, theme().px(320)) + theme().px(46)),
            theme().px(34 if self._large else 30),
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(90), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        current, tokens = theme(), theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = tokens.border_control if self.isEnabled() else tokens.border_button
        if self.property("invalid"):
            line = tokens.failure_graphic
        elif self.hasFocus():
            line = tokens.focus
        painter.setPen(QPen(line, 1))
        painter.setBrush(tokens.surface if self.isEnabled() else tokens.window)
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), current.px(5.5), current.px(5.5)
        )
        colour = tokens.text if self.isEnabled() else tokens.text_disabled
        words = self.currentText()
        if self.currentIndex() < 0:
            words, colour = self.placeholderText(), tokens.text_tertiary
        rect = QRectF(self.rect()).adjusted(current.px(11), 0, -current.px(30), 0)
        painter.setFont(current.font())
        painter.setPen(colour)
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(rect.width()))
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter), shown)
        arrow = QRectF(self.width() - current.px(27), 0, current.px(20), self.height())
        paint_icon(
            painter, arrow, "chevron-down", "text_secondary" if self.isEnabled() else "text_disabled", 14
        )
