"""A list with the pane of its chosen row at the right."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from patchbay.desktop.ui.kit.theme import theme

WIDE_FROM = 1200


class ListAndPane(QSplitter):
    """The pane is `wide` in a wide window and `narrow` in others, until the person drags the divider."""

    def __init__(
        self, rows: QWidget, pane: QWidget, *, narrow: int = 340, wide: int = 400, most: int
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._narrow, self._wide, self._dragged = narrow, wide, False
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        self.addWidget(rows)
        self.addWidget(pane)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        pane.setMinimumWidth(theme().px(narrow - 20))  # what a crowded list may take
        pane.setMaximumWidth(theme().px(most))
        self.splitterMoved.connect(self._keep)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._dragged:
            pane = theme().px(self._wide if self.width() >= theme().px(WIDE_FROM) else self._narrow)
            self.setSizes([self.width() - pane, pane])

    def _keep(self) -> None:
        self._dragged = True
