"""Buttons with an icon only, and buttons with a menu beside them."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QToolButton, QWidget

from patchbay.desktop.ui.kit.button import Button, Kind, Spinner, button_colours, paint_box
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.menu import Menu
from patchbay.desktop.ui.kit.text import plain_tip
from patchbay.desktop.ui.kit.theme import theme


class SplitButton(Button):
    """A primary button with a second part that opens a menu of related actions (Down or Alt+Down)."""

    def __init__(
        self,
        text: str,
        menu: Menu,
        icon: str | None = None,
        kind: Kind = "primary",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, kind, icon, parent=parent)
        self._more = menu
        self.setAccessibleDescription("Down opens more choices")

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
    """A flat button with an icon only; its name is the tooltip and what screen readers say."""

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
        self._icon_name, self._token, self._outlined = icon_name, color_token, outlined
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
        self._icon_name = name
        self.update()

    def set_name(self, accessible_name: str) -> None:
        self.setAccessibleName(accessible_name)
        self.setToolTip(plain_tip(accessible_name))

    def set_busy(self, busy: bool, text: str | None = None) -> None:
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
