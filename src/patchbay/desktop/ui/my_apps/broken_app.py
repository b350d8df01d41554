"""What is shown for an app that could not be loaded: why, where, and what to do."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from patchbay.desktop.ui.kit.inputs import CopyField
from patchbay.desktop.ui.kit.surface import Card
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.my_apps.connection_words import parse_load_error
from patchbay.desktop.ui.my_apps.wait_parts import CopyButton, Glyph
from patchbay.domain.apps import AppInfo


class BrokenAppCard(Card):
    """The reason in the words of Python or of the contract, with file and line."""

    def __init__(self, app: AppInfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line_token = "failure_border"
        load_error = parse_load_error(app.broken or "")
        self.setAccessibleName(f"{app.name} could not be loaded. {app.broken}")
        head = QHBoxLayout()
        head.setSpacing(theme().px(8))
        head.addWidget(Glyph("circle-alert", "failure"))
        head.addWidget(Label("This app could not be loaded", "semibold"), 1)
        head.addWidget(CopyButton("Copy reason", lambda: app.broken or "", small=True))
        self.body.addLayout(head)
        reason = Label(load_error.reason, "code", wrap=True)
        self.body.addWidget(reason)
        if load_error.file:
            self.body.addLayout(_location_grid(load_error.file, load_error.line))
        explanation = "The other apps work as before; flows that use this one fail until it loads again. "
        advice = "Correct the file, and Patchbay loads it again. This command finds everything that is wrong:"
        self.body.addWidget(Label(explanation + advice, "body", "text_secondary", wrap=True))
        self.body.addWidget(CopyField(f"patchbay app check {app.key}", "Command that checks the app"))


def _location_grid(file: str, line: str) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(theme().px(16))
    grid.setColumnMinimumWidth(0, theme().px(68))
    grid.setColumnStretch(1, 1)
    for number, (label, value) in enumerate((("File", file), ("Line", line))):
        text = Label(value, "code")
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        grid.addWidget(Label(label, "caption", "text_tertiary"), number, 0)
        grid.addWidget(text, number, 1)
    return grid
