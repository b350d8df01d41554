"""Rows of people and keys: two lines of words, and what can be done at their right."""

from collections.abc import Callable, Hashable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.chips import Tag
from patchbay.desktop.ui.kit.text import ElidedLabel
from patchbay.desktop.ui.kit.theme import theme


class TwoLineRow(QWidget):
    """52 px, a hairline below. Fill `tail` with what can be done."""

    def __init__(self, title: str, about: str, tag: Tag | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        px = theme().px
        self.setFixedHeight(px(52))
        self.title = ElidedLabel(title, "medium")
        self.about = ElidedLabel(about, "caption", "text_secondary")
        self.tail = QHBoxLayout()
        self.tail.setSpacing(px(6))
        head = QHBoxLayout()
        head.setSpacing(px(8))
        head.addWidget(self.title, 0 if tag is not None else 1)
        if tag is not None:
            head.addWidget(tag)
            head.addStretch(1)
        text_column = QVBoxLayout()
        text_column.setSpacing(px(1))
        text_column.addStretch(1)
        text_column.addLayout(head)
        text_column.addWidget(self.about)
        text_column.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, px(4), 0)
        row.setSpacing(px(12))
        row.addLayout(text_column, 1)
        row.addLayout(self.tail)
        self.setAccessibleName(", ".join(filter(None, (title, tag.text() if tag else "", about))))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme().tokens.row_line)


RowSpec = tuple[str, Hashable, Callable[[], QWidget]]
"""The key of a row, what it shows, and how to make it."""


class RowList(QWidget):
    """Rows one below the other; hidden while there are none. A row is made anew only when what it shows has
    changed; whoever had the focus in it has it again, or `fallback` has it.
    """

    def __init__(self, name: str, fallback: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.rows: dict[str, QWidget] = {}
        self._shown: dict[str, Hashable] = {}
        self._fallback = fallback
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.hide()

    def show_rows(self, specs: Sequence[RowSpec]) -> None:
        if [(key, content) for key, content, _ in specs] == list(self._shown.items()):
            return
        focused = self._focused()
        old_rows, self.rows = self.rows, {}
        for index, (key, content, make) in enumerate(specs):
            existing = old_rows.get(key) if self._shown.get(key) == content else None
            row = self.rows[key] = existing or make()
            self._column.insertWidget(index, row)
        for row in old_rows.values():
            if row not in self.rows.values():
                self._column.removeWidget(row)
                row.hide()
                row.deleteLater()
        self._shown = {key: content for key, content, _ in specs}
        self.setVisible(bool(specs))
        if focused is not None:
            self._restore_focus(*focused)

    def _focused(self) -> tuple[str, str] | None:
        """The row with the focus, and the name of the control that has it."""
        widget = self.window().focusWidget()
        for key, row in self.rows.items():
            if widget is not None and row.isAncestorOf(widget):
                return key, widget.accessibleName()
        return None

    def _restore_focus(self, key: str, name: str) -> None:
        row = self.rows.get(key)
        controls = row.findChildren(QWidget) if row is not None else []
        same = next((item for item in controls if item.accessibleName() == name), None)
        target = same if same is not None and same.isEnabled() else self._fallback
        target.setFocus(Qt.FocusReason.OtherFocusReason)
