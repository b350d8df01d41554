"""Widgets for waiting: progress steps, copy buttons, and lines with an icon."""

from collections.abc import Callable, Sequence
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.accessibility import AccessibleText
from patchbay.desktop.kit.boxes import hbox
from patchbay.desktop.kit.buttons import Button, ButtonKind, Spinner
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.layout import Card
from patchbay.desktop.kit.mark_painting import paint_mark
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.secret_fields import copy_text
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme

StepState = Literal["done", "active", "pending", "failed"]
Step = tuple[StepState, str]

_MARKS: dict[StepState, tuple[str, str, str]] = {
    "done": ("circle-check", "success", "text"),
    "active": ("spinner", "accent_text", "text"),
    "pending": ("circle-dashed", "text_tertiary", "text_tertiary"),
    "failed": ("circle-alert", "warning", "text"),
}
_STATE_LABELS: dict[StepState, str] = {
    "done": tr("done", "state of a step"),
    "active": tr("in progress", "state of a step"),
    "pending": tr("pending", "state of a step"),
    "failed": tr("not done", "state of a step"),
}
COPIED_LABEL_MS = 1_500


class ProgressSteps(Card):
    """Steps that are done, in progress, or pending."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, padding=14)
        self.body.setSpacing(theme().px(4))
        self._rows: list[_StepRow] = []

    def set_steps(self, steps: Sequence[Step]) -> None:
        """Show the steps with their states."""
        while len(self._rows) < len(steps):
            row = _StepRow()
            self._rows.append(row)
            self.body.addWidget(row)
        for number, row in enumerate(self._rows):
            row.setVisible(number < len(steps))
            if number < len(steps):
                row.show_step(*steps[number])
        active = next((text for state, text in steps if state == "active"), "")
        self.setAccessibleName(active)

    def step_texts(self) -> list[str]:
        """Return the steps with their states, for screen readers."""
        return [row.accessibleName() for row in self._rows if not row.isHidden()]


class _StepRow(AccessibleText, QWidget):
    """One step: icon and text."""

    def __init__(self) -> None:
        super().__init__()
        self._state: StepState = "pending"
        self._text_shown = ""
        self._spinner = Spinner(self)
        self.setFixedHeight(theme().px(24))

    def show_step(self, state: StepState, text: str) -> None:
        self._state, self._text_shown = state, text
        self._spinner.run(state == "active")
        self.setAccessibleName(f"{text}, {_STATE_LABELS[state]}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        icon, token, text = _MARKS[self._state]
        painter, px = QPainter(self), theme().px
        mark = QRectF(0, 0, px(16), self.height())
        if self._state == "active":
            self._spinner.paint(painter, mark, theme().color(token))
        else:
            paint_mark(painter, mark, icon, theme().color(token), theme().tokens.surface)
        role = "medium" if self._state == "active" else "body"
        paint_text(
            painter, QRectF(px(24), 0, self.width() - px(24), self.height()), self._text_shown, role, text
        )


class CopyButton(Button):
    """Copies a text and shows "Copied"."""

    def __init__(
        self, label: str, text: Callable[[], str], kind: ButtonKind = "default", *, small: bool = False
    ) -> None:
        super().__init__(label, kind, "copy", small)
        self._label, self._text = label, text
        self.setAutoDefault(False)
        self.clicked.connect(self._copy)
        self._reset_timer = QTimer(self, singleShot=True, interval=COPIED_LABEL_MS)
        self._reset_timer.timeout.connect(lambda: self._show_label(self._label, "copy"))

    def _copy(self) -> None:
        copy_text(self._text())
        self.setMinimumWidth(self.width())
        self._show_label(tr("Copied"), "check")
        self._reset_timer.start()

    def _show_label(self, label: str, icon: str) -> None:
        self.setText(label)
        self.set_icon(icon)


class Glyph(QWidget):
    """An icon as part of a page."""

    def __init__(self, name: str, color_token: str = "text_secondary", size: int = 16) -> None:
        super().__init__()
        self._name = name
        self._token = color_token
        self._size = size
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_icon(self, name: str, color_token: str) -> None:
        """Show an icon in a colour of the theme."""
        self._name, self._token = name, color_token
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(self._size), theme().px(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_icon(QPainter(self), QRectF(self.rect()), self._name, self._token, self._size)


def icon_row(icon: str, label: Label) -> QWidget:
    """A line of text with an icon before it."""
    row_widget = QWidget()
    glyph = Glyph(icon, "text_tertiary")
    hbox((glyph, 0, Qt.AlignmentFlag.AlignTop), (label, 1), parent=row_widget, spacing=8)
    return row_widget
