"""Settings, Connections: how often they are tested without being asked."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.inputs import ComboBox, FormField
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme

TEST_INTERVALS = ((1.0, "Every hour"), (6.0, "Every 6 hours"), (24.0, "Once a day"), (0.0, "Never"))
_HELP = (
    "Soon after the start, and then whenever the last test is that old. A message tells when one that "
    "worked is refused; a service that cannot be reached is asked again later."
)


class ConnectionsPage(QWidget):
    """`hours` None: this workspace is tested by whoever runs it, or not at all (the demo)."""

    chosen = Signal(float)

    def __init__(self, hours: float | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(14))
        self.every = ComboBox("Test connections", large=True)
        if hours is None:
            text = "A service decides for itself how often it tests; the demo does not."
            column.addWidget(Label(text, "body", "text_secondary", wrap=True))
        else:
            custom = () if hours in dict(TEST_INTERVALS) else ((hours, f"Every {hours:g} hours"),)
            self.every.set_options([*TEST_INTERVALS, *custom])
            self.every.set_value(hours)
            self.every.value_changed.connect(lambda value: self.chosen.emit(value))
            column.addWidget(FormField("Test connections", self.every, help=_HELP))
        column.addStretch(1)
