"""The command palette (Ctrl+K): every action and object by a few letters."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QVBoxLayout,
    QWidget,
)

from patchbay.desktop.state.name_match import best_match
from patchbay.desktop.ui.kit.actions import Action
from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.keycaps import KeyCaps
from patchbay.desktop.ui.kit.popups import SHADOW, paint_raised
from patchbay.desktop.ui.kit.surface import Veil, line
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.shell.matching import PaletteRow, rank
from patchbay.desktop.ui.shell.palette_rows import ROW_ROLE, PaletteDelegate
from patchbay.domain.apps import AppInfo

Index = QModelIndex | QPersistentModelIndex
ROOT_INDEX = QModelIndex()
MAX_VISIBLE_ROWS = 10


class PaletteModel(QAbstractListModel):
    """The rows; titles of groups cannot be selected."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[PaletteRow, ...] = ()

    def show(self, rows: tuple[PaletteRow, ...]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT_INDEX) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            hint = f", {row.action.hint}" if row.action and row.action.hint else ""
            return row.title + hint
        return row if role == ROW_ROLE else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.rows[index.row()] if index.isValid() else None
        if row is None or row.action is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def step(self, start: int, by: int) -> int:
        """The next row with an action from `start`, going round; -1 when there is none."""
        number = len(self.rows)
        for distance in range(1, number + 1):
            index = (start + by * distance) % number
            if self.rows[index].action is not None:
                return index
        return -1


class CommandPalette(Veil):
    """Opens over the window; Enter runs, Esc closes. What was run last is offered first the next time."""

    action_run = Signal(str)

    def __init__(
        self,
        window: QWidget,
        actions: Sequence[Action],
        recent: Sequence[str] = (),
        app_of: Callable[[str], AppInfo | None] | None = None,
    ) -> None:
        super().__init__(window)
        self._actions, self._recent = tuple(actions), tuple(recent)
        self.setAccessibleName("Command palette")
        self._card = _PaletteCard(self)
        self.field = QLineEdit(self._card)
        self.field.setProperty("bare", True)
        self.field.setPlaceholderText("Search or run a command")
        self.field.setAccessibleName("Search or run a command")
        self.model = PaletteModel(self)
        self.list = QListView(self._card)
        self.list.setModel(self.model)
        self.list.setItemDelegate(PaletteDelegate(self.list, app_of or (lambda _: None)))
        self.list.setAccessibleName("Results")
        self.list.setMouseTracking(True)
        self.list.setStyleSheet("background: transparent")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.clicked.connect(lambda _: self.run_current())
        self.list.entered.connect(self.list.setCurrentIndex)
        self._empty_label = Label("Nothing fits. Try fewer letters.", "body", "text_tertiary")
        self._lay_out()
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._fill)
        self._fill("")
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def set_actions(self, actions: Sequence[Action]) -> None:
        """Objects that arrived after opening."""
        self._actions = tuple(actions)
        self._fill(self.field.text())

    def run_current(self) -> None:
        row = self.list.currentIndex().data(ROW_ROLE)
        if isinstance(row, PaletteRow) and row.action is not None and row.action.reason() is None:
            action = row.action
            self.dismiss()
            self.action_run.emit(action.id)
            action.run()

    def dismiss(self) -> None:
        self.hide()
        self.deleteLater()

    def titles(self) -> list[str]:
        """The words of the rows shown, without the titles of groups."""
        return [row.title for row in self.model.rows if row.action]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._handle_key(event)
        return False

    def cover(self) -> None:
        super().cover()
        self._position_card()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self._card.geometry().contains(event.position().toPoint()):
            self.dismiss()

    def _handle_key(self, event: QKeyEvent) -> bool:
        key = event.key()
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}
        if key == Qt.Key.Key_Escape:
            self.dismiss()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_current()
        elif key in steps:
            self._select(self.model.step(self.list.currentIndex().row(), steps[Qt.Key(key)]))
        else:
            return False
        return True

    def _fill(self, query: str) -> None:
        self.model.show(rank(query, self._actions, self._recent))
        self._empty_label.setVisible(not self.model.rows)
        self.list.setVisible(bool(self.model.rows))
        self._select(self._best_row(query))
        self._position_card()

    def _best_row(self, query: str) -> int:
        """The row whose title fits what was typed best, of whichever group; the first one before."""
        rows = [at for at, row in enumerate(self.model.rows) if row.action is not None]
        best = best_match(query.lstrip(">").strip(), [self.model.rows[at].title for at in rows])
        return -1 if best is None else rows[best]

    def _select(self, row: int) -> None:
        if row >= 0:
            self.list.setCurrentIndex(self.model.index(row))
            self.list.scrollTo(self.model.index(0 if row <= 1 else row))

    def _lay_out(self) -> None:
        px = theme().px
        column = QVBoxLayout(self._card)
        edge = SHADOW + 1
        column.setContentsMargins(edge, edge, edge, edge)
        column.setSpacing(0)
        head = QHBoxLayout()
        head.setContentsMargins(px(44), 0, px(16), 0)
        self.field.setFont(_large_font())
        self.field.setFixedHeight(px(48))
        head.addWidget(self.field, 1)
        head.addWidget(KeyCaps(["Esc"]))
        column.addLayout(head)
        column.addWidget(line())
        column.addSpacing(px(4))
        column.addWidget(self.list)
        self._empty_label.setContentsMargins(px(20), px(16), px(20), px(16))
        column.addWidget(self._empty_label)
        column.addWidget(line())
        foot = QFrame()
        row = QHBoxLayout(foot)
        row.setContentsMargins(px(16), px(7), px(16), px(7))
        row.setSpacing(px(6))
        for caps, query in ((["↑"], ""), (["↓"], "move"), (["Enter"], "run")):
            row.addWidget(KeyCaps(caps))
            if query:
                row.addWidget(Label(query, "caption", "text_secondary"))
                row.addSpacing(px(12))
        row.addStretch(1)
        row.addWidget(Label("Type", "caption", "text_secondary"))
        row.addWidget(KeyCaps([">"]))
        row.addWidget(Label("for actions only", "caption", "text_secondary"))
        column.addWidget(foot)

    def _position_card(self) -> None:
        px = theme().px
        width = min(px(660), self.width() - px(40)) + 2 * SHADOW
        rows = sum(self.list.sizeHintForRow(row) for row in range(min(len(self.model.rows), 60)))
        self.list.setFixedHeight(
            min(rows + px(4), px(36) * MAX_VISIBLE_ROWS, max(px(100), self.height() - px(230)))
        )
        self._card.setFixedWidth(width)
        self._card.adjustSize()
        self._card.move((self.width() - width) // 2, px(72) - SHADOW)
        self._card.show()


class _PaletteCard(QWidget):
    """The raised card of the palette."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        inner = QRectF(self.rect()).adjusted(SHADOW, SHADOW, -SHADOW, -SHADOW)
        paint_raised(painter, inner, radius=10)
        px = theme().px
        paint_icon(painter, QRectF(inner.x() + px(14), inner.y(), px(24), px(48)), "search")


def _large_font() -> Any:
    font = theme().font("body")
    font.setPixelSize(theme().px(16))
    return font
