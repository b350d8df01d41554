"""Buttons with text, an icon, or a menu; and disabled controls with a reason."""

from typing import Literal

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QPushButton, QSizePolicy, QToolButton, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.mark_painting import paint_spinner
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.text import plain_tip
from patchbay.desktop.kit.theme import theme

ButtonKind = Literal["default", "primary", "danger", "link", "flat"]
_REASON = "disabledFor"


class Spinner:
    """A rotating quarter ring while a widget is busy. It doesn't move if animations are turned off."""

    def __init__(self, widget: QWidget) -> None:
        self._widget = widget
        self._angle = 0
        self._timer = QTimer(widget)
        self._timer.setInterval(50)
        self._timer.timeout.connect(self._rotate)

    def run(self, on: bool) -> None:
        if on and not theme().reduces_motion:
            self._timer.start()
        else:
            self._timer.stop()

    def _rotate(self) -> None:
        self._angle = (self._angle - 20) % 360
        self._widget.update()

    def paint(self, painter: QPainter, rect: QRectF, colour: QColor | None = None) -> None:
        """Paint the arc in a rectangle."""
        paint_spinner(painter, rect, colour or theme().tokens.accent_text, self._angle)


class Button(FocusRinged, QPushButton):
    """A button with a text. Heights: 30, `small` 26 (rows and cards), `large` 34 (dialogs)."""

    def __init__(
        self,
        text: str,
        kind: ButtonKind = "default",
        icon: str | None = None,
        small: bool = False,
        parent: QWidget | None = None,
        *,
        large: bool = False,
    ) -> None:
        super().__init__(text, parent)
        self.kind: ButtonKind = kind
        self._icon_name = icon
        self._height = 26 if small else 34 if large else 30
        self._busy = False
        self._idle_text = text
        self._locked_width = 0
        self._spinner = Spinner(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        if kind == "link":
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme().changed.connect(self.updateGeometry)

    def set_icon(self, name: str | None) -> None:
        """Show another icon; None for none."""
        self._icon_name = name
        self.updateGeometry()
        self.update()

    def set_kind(self, kind: ButtonKind) -> None:
        """Change the appearance of the button."""
        self.kind = kind
        self.update()

    @property
    def busy(self) -> bool:
        """Whether the button shows a spinner."""
        return self._busy

    def set_busy(self, busy: bool, text: str | None = None) -> None:
        """Show a spinner and another text at the same width; the button can't be pressed meanwhile."""
        if busy and not self._busy:
            self._idle_text = self.text()
            self._locked_width = self.width() if self.isVisible() else self.sizeHint().width()
        self._busy = busy
        self.setText(text if busy and text else self._idle_text)
        self._spinner.run(busy)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, busy)
        self.updateGeometry()
        self.update()

    def hitButton(self, pos: QPoint) -> bool:
        return not self._busy and super().hitButton(pos)

    def nextCheckState(self) -> None:
        if not self._busy:
            super().nextCheckState()

    def sizeHint(self) -> QSize:
        current = theme()
        width = self._content_width() + 2 * self._padding()
        if self.menu() is not None:
            width += current.px(18)
        locked_width = self._locked_width if self._busy else 0
        return QSize(max(round(width + 0.49), locked_width), current.px(self._height))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill, line, words = button_colours(self, self.kind)
        paint_box(painter, QRectF(self.rect()), fill, line)
        self._paint_content(painter, words)

    def _paint_content(self, painter: QPainter, words: QColor) -> None:
        current = theme()
        area = QRectF(self.rect())
        if self.menu() is not None:
            area.setRight(area.right() - current.px(18))
            arrow = QRectF(area.right() - current.px(4), 0, current.px(14), self.height())
            paint_icon(painter, arrow, "chevron-down", words, 14)
        left = area.x() + (area.width() - self._content_width()) / 2
        if self._has_icon():
            side = current.px(self._icon_size())
            rect = QRectF(left, 0, side, self.height())
            if self._busy:
                self._spinner.paint(painter, rect, words if self.kind in ("primary", "danger") else None)
            else:
                paint_icon(painter, rect, self._icon_name or "", words, self._icon_size())
            left += side + current.px(6)
        painter.setFont(current.font("medium", tabular=False))
        painter.setPen(words)
        rect = QRectF(left, 0, area.width(), self.height())
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextShowMnemonic
        painter.drawText(rect, int(flags), self.text())

    def _has_icon(self) -> bool:
        return self._busy or self._icon_name is not None

    def _icon_size(self) -> int:
        return 14 if self.kind == "link" else 16

    def _padding(self) -> int:
        return theme().px({"link": 2, "flat": 9}.get(self.kind, 10 if self._height == 26 else 13))

    def _content_width(self) -> float:
        current = theme()
        metrics = QFontMetricsF(current.font("medium", tabular=False))
        words = metrics.size(Qt.TextFlag.TextShowMnemonic | Qt.TextFlag.TextSingleLine, self.text()).width()
        return words + (current.px(self._icon_size()) + current.px(6) if self._has_icon() else 0)


def button_colours(button: QAbstractButton, kind: ButtonKind) -> tuple[QColor | None, QColor | None, QColor]:
    """The fill, outline, and text colours of a button in its current state."""
    tokens = theme().tokens
    down = button.isDown() or button.isChecked()
    over = button.underMouse() and button.isEnabled()
    if not button.isEnabled():
        boxed = kind not in ("link", "flat")
        return (
            (tokens.window if boxed else None),
            (tokens.border_button if boxed else None),
            tokens.text_disabled,
        )
    if kind == "primary":
        return (
            (tokens.accent_pressed if down else tokens.accent_hover if over else tokens.accent),
            None,
            tokens.on_accent,
        )
    if kind == "danger":
        return (tokens.danger_hover if down or over else tokens.danger), None, tokens.on_danger
    if kind == "link":
        return None, None, tokens.accent_text
    fill = tokens.pressed if down else tokens.hover if over else None
    if kind == "flat":
        return fill, None, tokens.text_secondary
    return fill or tokens.surface, tokens.border_button, tokens.text


def paint_box(
    painter: QPainter, rect: QRectF, fill: QColor | None, line: QColor | None, radius: float = 6
) -> None:
    """Paint a rounded box with a hairline on whole pixels."""
    if fill is None and line is None:
        return
    painter.setPen(QPen(line, 1) if line else Qt.PenStyle.NoPen)
    painter.setBrush(fill if fill else Qt.BrushStyle.NoBrush)
    inset = 0.5 if line else 0.0
    corner = theme().px(radius) - inset
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), corner, corner)


class SplitButton(Button):
    """A primary button with a second part that opens a menu of related actions (Down or Alt+Down)."""

    def __init__(
        self,
        text: str,
        menu: Menu,
        icon: str | None = None,
        kind: ButtonKind = "primary",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, kind, icon, parent=parent)
        self._more = menu
        self.setAccessibleDescription(tr("Down opens more choices", "the key ↓"))

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width() + theme().px(28), hint.height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.position().x() > self._edge():
            self.open_menu()
            return
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.open_menu()
            return
        super().keyPressEvent(event)

    def open_menu(self) -> None:
        """Open the menu of the button."""
        self._more.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill, line, words = button_colours(self, self.kind)
        paint_box(painter, QRectF(self.rect()), fill, line)
        edge = self._edge()
        part = QRectF(0, 0, edge, self.height())
        left = (part.width() - self._content_width()) / 2
        painter.save()
        painter.translate(left - (self.width() - self._content_width()) / 2, 0)
        self._paint_content(painter, words)
        painter.restore()
        divider = QColor(words)
        divider.setAlphaF(0.3)
        painter.setPen(divider)
        painter.drawLine(QPointF(edge + 0.5, 0), QPointF(edge + 0.5, self.height()))
        paint_icon(painter, QRectF(edge, 0, self.width() - edge, self.height()), "chevron-down", words, 14)

    def _edge(self) -> float:
        return self.width() - theme().px(28)


class IconButton(FocusRinged, QToolButton):
    """A flat button with only an icon; its name is the tooltip and accessible name."""

    def __init__(
        self,
        icon_name: str,
        accessible_name: str,
        parent: QWidget | None = None,
        *,
        small: bool = False,
        outlined: bool = False,
        color_token: str = "text_secondary",
    ) -> None:
        super().__init__(parent)
        self._icon_name = icon_name
        self._token = color_token
        self._outlined = outlined
        self._side = 24 if small else 30
        self._size = 14 if small else 16
        self._busy = False
        self._spinner = Spinner(self)
        self.setAccessibleName(accessible_name)
        self.setToolTip(plain_tip(accessible_name))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._resize()
        theme().changed.connect(self._resize)

    def set_icon(self, name: str) -> None:
        """Show another icon."""
        self._icon_name = name
        self.update()

    def set_name(self, accessible_name: str) -> None:
        """Set the accessible name, which is also the tooltip."""
        self.setAccessibleName(accessible_name)
        self.setToolTip(plain_tip(accessible_name))

    def set_busy(self, busy: bool, text: str | None = None) -> None:
        """Show a spinner instead of the icon; clicks are ignored meanwhile."""
        self._busy = busy
        self._spinner.run(busy)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, busy)
        self.update()

    def sizeHint(self) -> QSize:
        side = theme().px(self._side)
        return QSize(side, side)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect())
        tokens = theme().tokens
        if self.isChecked() and self.isEnabled():
            paint_box(painter, area, tokens.accent_soft, None)
            colour = tokens.accent_text
        else:
            fill, line, _ = button_colours(self, "default" if self._outlined else "flat")
            paint_box(painter, area, fill, line)
            colour = theme().color(self._token) if self.isEnabled() else tokens.text_disabled
        if self._busy:
            self._spinner.paint(painter, area)
        else:
            paint_icon(painter, area, self._icon_name, colour, self._size)

    def _resize(self) -> None:
        self.setFixedSize(self.sizeHint())


def set_available(control: QWidget, reason: str | None, tip: str = "") -> None:
    """Enable a control, or disable it with a reason.

    The tooltip is the reason, or `tip` while it is enabled (for an icon button: its name, if no other is
    given). Screen readers read the tooltip as the description of a control without one.
    """
    control.setEnabled(reason is None)
    control.setToolTip(plain_tip(reason or tip or _own_tip(control)))


def set_area_available(area: QWidget, reason: str | None) -> None:
    """Enable an area, or disable it with a reason, which is the tooltip of all controls in it without
    another.
    """
    before = plain_tip(area.property(_REASON) or "")
    area.setProperty(_REASON, reason)
    area.setEnabled(reason is None)
    for control in (area, *area.findChildren(QWidget)):
        own = _own_tip(control)
        replaceable_tips = ("", plain_tip(own), before)
        if control.focusPolicy() is not Qt.FocusPolicy.NoFocus and control.toolTip() in replaceable_tips:
            control.setToolTip(plain_tip(reason or own))


def _own_tip(control: QWidget) -> str:
    return control.accessibleName() if isinstance(control, IconButton) else ""
