"""The bar under the list while flows are selected."""

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.availability import set_available
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.inputs import paint_key_cap
from patchbay.desktop.ui.kit.surface import line, surface
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.kit.toast import KEPT_CLEAR
from patchbay.domain.flows import FlowStatus


class BulkActionBar(QWidget):
    """What can be done with all selected flows. `wanted(command)` with one of `COMMANDS`."""

    command_requested = Signal(str)
    cleared = Signal()

    COMMANDS = (
        ("publish", "Publish"),
        ("unpublish", "Unpublish"),
        ("pause", "Pause"),
        ("resume", "Resume"),
        ("move", "Move to…"),
        ("duplicate", "Duplicate"),
        ("export", "Export…"),
        ("delete", "Delete…"),
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(KEPT_CLEAR)
        surface(self, "raised")
        px = theme().px
        self.buttons: dict[str, Button] = {}
        self._count_label = Label("", "semibold")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(line())
        row = QHBoxLayout()
        row.setContentsMargins(px(16), px(8), px(16), px(8))
        row.setSpacing(px(6))
        row.addWidget(self._count_label)
        row.addSpacing(px(8))
        for command, text in self.COMMANDS:
            self.buttons[command] = button = (
                _DangerButton(text) if command == "delete" else Button(text, small=True)
            )
            button.clicked.connect(lambda _=False, command=command: self.command_requested.emit(command))
            row.addWidget(button)
        row.addStretch(1)
        clear = Button("Clear selection", "link")
        clear.clicked.connect(self.cleared)
        row.addWidget(clear)
        row.addSpacing(px(8))
        row.addWidget(_EscKeyCap())
        column.addLayout(row)
        self.hide()

    def show_selection(self, statuses: tuple[FlowStatus, ...], missing: str | None = None) -> None:
        """What can be done with flows of these states; of pause and resume the one that matters more.

        `missing` says why nothing may be changed, None where it may.
        """
        self.setVisible(bool(statuses))
        self._count_label.setText(f"{len(statuses)} selected")
        active = [status for status in statuses if status is not FlowStatus.DRAFT]
        all_active = "All selected flows are published already." if len(active) == len(statuses) else None
        none_active = None if active else "None of the selected flows is published."
        set_available(self.buttons["publish"], missing or all_active)
        set_available(self.buttons["unpublish"], missing or none_active)
        set_available(self.buttons["delete"], missing)
        paused = FlowStatus.PAUSED in statuses
        self.buttons["pause"].setVisible(FlowStatus.PUBLISHED in statuses and not paused)
        self.buttons["resume"].setVisible(paused)

    def anchor(self, command: str) -> QPoint:
        button = self.buttons[command]
        return button.mapToGlobal(button.rect().topLeft())


class _DangerButton(Button):
    """A quiet button whose word is red: what it does asks first."""

    def __init__(self, text: str) -> None:
        super().__init__(text, small=True)

    def _paint_content(self, painter: QPainter, text: QColor) -> None:
        colour = theme().tokens.failure if self.isEnabled() else theme().tokens.text_disabled
        super()._paint_content(painter, colour)


class _EscKeyCap(QWidget):
    """The key that clears the selection."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(theme().px(32), theme().px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_key_cap(QPainter(self), QPoint(self.width() - 1, self.height() // 2), "Esc")
