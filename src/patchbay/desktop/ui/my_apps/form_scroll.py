"""A form that scrolls when it is longer than its place."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from patchbay.desktop.ui.kit.theme import theme


class FormScroll(QScrollArea):
    """Scrolls up and down only. Tab and messages bring their field into view."""

    def __init__(self, inside: QWidget) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Form")
        self._inside = inside
        self.setWidget(inside)
        self.viewport().setAutoFillBackground(False)
        inside.setAutoFillBackground(False)

    def wanted_height(self, width: int) -> int:
        """The height at which nothing scrolls."""
        layout = self._inside.layout()
        assert layout is not None
        layout.activate()
        return (
            layout.totalHeightForWidth(width)
            if layout.hasHeightForWidth()
            else layout.totalSizeHint().height()
        )

    def reveal(self, part: QWidget) -> None:
        """Scroll until the part can be seen."""
        if part.isVisible():
            self.ensureWidgetVisible(part, 0, theme().px(24))
