"""Columns that scroll when they are longer than their place."""

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.accessibility import SelfDescribing
from patchbay.desktop.ui.kit.theme import theme


class _Inside(QWidget):
    """What is scrolled. Its layout's own minimum takes wrapped texts at their narrowest; this asks for the
    width it has instead.
    """

    changed = Signal()
    """A part came, went, or wants another size."""

    def __init__(self) -> None:
        super().__init__()
        self.column = QVBoxLayout(self)
        self.column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self.changed.emit()
        return handled

    def needed(self, width: int) -> int:
        """The height that everything takes at this width."""
        self.column.activate()
        wraps = self.column.hasHeightForWidth()
        return self.column.totalHeightForWidth(width) if wraps else self.column.totalSizeHint().height()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.needed(max(1, self.width())))


class ListArea(SelfDescribing, QScrollArea):
    """Rows of plain widgets that arrow keys scroll; to screen readers a list of this name."""

    accessible_role = QAccessible.Role.List

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)


class FormScroll(QScrollArea):
    """Scrolls up and down only. Tab and messages bring their field into view."""

    def __init__(self, name: str = "Form") -> None:
        super().__init__()
        self.inside = _Inside()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.setWidget(self.inside)
        self.viewport().setAutoFillBackground(False)
        self.inside.setAutoFillBackground(False)

    def wanted_height(self, width: int) -> int:
        """The height at which nothing scrolls."""
        return self.inside.needed(width)

    def reveal(self, part: QWidget) -> None:
        """Scroll until the part can be seen."""
        if part.isVisible():
            self.ensureWidgetVisible(part, 0, theme().px(24))


def scroll_into_view(part: QWidget) -> None:
    """Scroll whatever holds the part until it can be seen; the beginning of one that is too tall."""
    area = part.parentWidget()
    while area is not None and not isinstance(area, QScrollArea):
        area = area.parentWidget()
    inside = area.widget() if area is not None else None
    if area is None or inside is None or not part.isVisible():
        return
    margin = theme().px(8)
    area.ensureWidgetVisible(part, 0, margin)
    bar, top = area.verticalScrollBar(), part.mapTo(inside, QPoint(0, 0)).y() - margin
    bar.setValue(min(bar.value(), top))
