"""What is shown for an app that could not be loaded: why, where, and what to do."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from patchbay.desktop.ui.kit.inputs import CopyField
from patchbay.desktop.ui.kit.surface import Card
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.my_apps.connection_words import fault_of
from patchbay.desktop.ui.my_apps.wait_parts import CopyButton, Glyph
from patchbay.domain.apps import AppInfo


class BrokenAppCard(Card):
    """The reason in the words of Python or of the contract, with file and line."""

    def __init__(self, app: AppInfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line_token = "failure_border"
        fault = fault_of(app.broken or "")
        self.setAccessibleName(f"{app.name} could not be loaded. {app.broken}")
        head = QHBoxLayout()
        head.setSpacing(theme().px(8))
        head.addWidget(Glyph("circle-alert", "failure"))
        head.addWidget(Label("This app could not be loaded", "semibold"), 1)
        head.addWidget(CopyButton("Copy reason", lambda: app.broken or "", small=True))
        self.body.addLayout(head)
        reason = Label(fault.reason, "code", wrap=True)
        self.body.addWidget(reason)
        if fault.file:
            self.body.addLayout(_place(fault.file, fault.line))
        told = "The other apps work as before; flows that use this one fail until it loads again. "
        ways = "Correct the file, and Patchbay loads it again. This command finds everything that is wrong:"
        self.body.addWidget(Label(told + ways, "body", "text_secondary", wrap=True))
        self.body.addWidget(CopyField(f"patchbay app check {app.key}", "Command that checks the app"))


def _place(file: str, line: str) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(theme().px(16))
    grid.setColumnMinimumWidth(0, theme().px(68))
    grid.setColumnStretch(1, 1)
    for number, (word, value) in enumerate((("File", file), ("Line", line))):
        text = Label(value, "code")
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        grid.addWidget(Label(word, "caption", "text_tertiary"), number, 0)
        grid.addWidget(text, number, 1)
    return grid
