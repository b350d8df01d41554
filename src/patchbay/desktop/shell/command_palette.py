"""The command palette (Ctrl+K): fuzzy search over every action and object."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QEvent,
    QObject,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.names import best_match
from patchbay.desktop.kit.actions import Action, KeyCaps, keycaps_width, paint_keycaps
from patchbay.desktop.kit.boxes import hbox
from patchbay.desktop.kit.icons import paint_app, paint_icon
from patchbay.desktop.kit.item_views import ITEM_ROLE, Index, RowDelegate
from patchbay.desktop.kit.layout import Backdrop, line
from patchbay.desktop.kit.popups import SHADOW, paint_raised
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.rows_model import RowsModel
from patchbay.desktop.kit.shortcuts import caps_of
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey

SELECTION, ACTIONS = "For the selection", "Actions"
GROUP_LABELS = {
    SELECTION: tr("For the selection"),
    ACTIONS: tr("Actions", "commands"),
    "Flows": tr("Flows"),
    "Apps": tr("Apps"),
}
"""The headings of groups that the window itself has."""

PREFIX_SCORE = 12
WORD_SCORE = 8
LETTER_SCORE = 5

MAX_VISIBLE_ROWS = 10


@dataclass(frozen=True)
class Match:
    """How well a query matches a text, and the positions of its letters."""

    score: int
    positions: tuple[int, ...] = ()


@dataclass(frozen=True)
class PaletteRow:
    """A row of the palette: the title of a group, or an action with its matched letters."""

    title: str
    action: Action | None = None
    positions: tuple[int, ...] = ()


def match(query: str, text: str) -> Match | None:
    """Match all words of the query as parts of the text, in any order; otherwise its letters in order."""
    query_words, lower_text = query.lower().split(), text.lower()
    if not query_words:
        return Match(0)
    parts = [_match_word(word, lower_text) for word in query_words]
    if all(parts):
        found = [part for part in parts if part is not None]
        positions = sorted({index for part in found for index in part.positions})
        return Match(sum(part.score for part in found) + 20 - len(text) // 8, tuple(positions))
    return _match_initials("".join(query_words), lower_text)


def _match_word(word: str, text: str) -> Match | None:
    best: Match | None = None
    at = text.find(word)
    while at >= 0:
        score = len(word) * LETTER_SCORE + (
            PREFIX_SCORE if at == 0 else WORD_SCORE if _starts_word(text, at) else 0
        )
        if best is None or score > best.score:
            best = Match(score, tuple(range(at, at + len(word))))
        at = text.find(word, at + 1)
    return best


def _match_initials(query: str, text: str) -> Match | None:
    """Match the initials of words in order, as in `gma` for "Go to My Apps"."""
    positions_found: list[int] = []
    for letter in query:
        after = positions_found[-1] + 1 if positions_found else 0
        if positions_found and after < len(text) and text[after] == letter:
            positions_found.append(after)
            continue
        start = next(
            (at for at in range(after, len(text)) if text[at] == letter and _starts_word(text, at)), -1
        )
        if start < 0:
            return None
        positions_found.append(start)
    return Match(
        len(positions_found) * WORD_SCORE - (positions_found[-1] - positions_found[0]) // 4,
        tuple(positions_found),
    )


def _starts_word(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum()


def rank(
    query: str, actions: Iterable[Action], recent: Sequence[str] = (), limit: int = 8
) -> tuple[PaletteRow, ...]:
    """Rows for a query: groups in the order they first appear, the best matches of each first.

    A leading `>` excludes objects. Without a query, recent commands are first.
    """
    only_actions = query.startswith(">")
    query_words = query.lstrip(">").strip()
    groups: dict[str, list[tuple[int, int, Action, Match]]] = {}
    for index, action in enumerate(actions):
        if only_actions and action.group not in (SELECTION, ACTIONS):
            continue
        if found := _match_action(query_words, action):
            age = recent.index(action.id) if action.id in recent else len(recent)
            groups.setdefault(action.group, []).append((-found.score, age * 1000 + index, action, found))
    rows: list[PaletteRow] = []
    for group, entries in groups.items():
        rows.append(PaletteRow(GROUP_LABELS.get(group, group)))
        for _, _, action, found in sorted(entries, key=lambda entry: entry[:2])[:limit]:
            rows.append(PaletteRow(action.title, action, found.positions))
    return tuple(rows)


def _match_action(query_words: str, action: Action) -> Match | None:
    title = match(query_words, action.title)
    if title is not None:
        return title
    hint = match(query_words, f"{action.title} {action.hint}") if len(query_words) > 2 else None
    return Match(hint.score - 30) if hint and hint.score > 20 else None


class PaletteDelegate(RowDelegate):
    """Rows of 36 px; matched letters are bold and coloured, key caps are at the right."""

    def __init__(self, parent: QWidget, app_of: Callable[[AppKey], AppInfo | None]) -> None:
        super().__init__(parent, height=36)
        self._app_of = app_of

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(ITEM_ROLE)
        return QSize(theme().px(200), theme().px(36 if row and row.action else 30))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row, current = index.data(ITEM_ROLE), theme()
        rect = QRectF(option.rect)
        px = current.px
        if row.action is None:
            paint_text(painter, rect.adjusted(px(16), 0, 0, 0), row.title, "caption_strong", "text_tertiary")
            return
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, current.tokens.selected)
        action: Action = row.action
        reason = action.reason()
        mark = QRectF(rect.x() + px(14), rect.y(), px(24), rect.height())
        if action.app_key:
            paint_app(painter, mark, self._app_of(action.app_key))
        else:
            paint_icon(painter, mark, action.icon, "text_disabled" if reason else "text_secondary")
        caps = action.keys()
        right = rect.right() - px(16)
        if caps:
            paint_keycaps(painter, QRectF(rect.x(), rect.y(), right - rect.x(), rect.height()), caps)
            right -= keycaps_width(caps) + px(16)
        colour = current.tokens.text_tertiary if reason else current.tokens.text
        x = rect.x() + px(46)
        available_width = right - x
        x += _paint_title(
            painter, QRectF(x, rect.y(), available_width, rect.height()), row.title, row.positions, colour
        ) + px(14)
        hint = tr("Not available: {reason}", reason=reason) if reason else action.hint
        paint_text(
            painter, QRectF(x, rect.y(), max(0.0, right - x), rect.height()), hint, "body", "text_tertiary"
        )


def _paint_title(
    painter: QPainter, rect: QRectF, text: str, positions: Sequence[int], colour: QColor
) -> float:
    """Paint the title with its matched letters; returns its width."""
    current = theme()
    layout = QTextLayout(text, current.font("body"))
    emphasis = QTextCharFormat()
    emphasis.setFontWeight(600)
    emphasis.setForeground(current.tokens.accent_text)
    formats = []
    for letter in positions:
        span = QTextLayout.FormatRange()
        span.start = letter
        span.length = 1
        span.format = emphasis
        formats.append(span)
    layout.setFormats(formats)
    layout.beginLayout()
    first = layout.createLine()
    first.setLineWidth(100_000)
    layout.endLayout()
    width = first.naturalTextWidth()
    painter.save()
    painter.setClipRect(rect)
    painter.setPen(colour)
    at = rect.topLeft()
    at.setY(rect.y() + (rect.height() - first.height()) / 2)
    layout.draw(painter, at)
    painter.restore()
    return min(width, rect.width())


class PaletteModel(RowsModel[PaletteRow]):
    """The rows; titles of groups can't be selected."""

    def value(self, row: PaletteRow, role: int) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return f"{row.title}, {row.action.hint}" if row.action and row.action.hint else row.title

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row(index)
        if row is None or row.action is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def step(self, start: int, by: int) -> int:
        """The next row with an action from `start`, wrapping around; -1 if there is none."""
        number = len(self.rows)
        for distance in range(1, number + 1):
            index = (start + by * distance) % number
            if self.rows[index].action is not None:
                return index
        return -1


class CommandPalette(Backdrop):
    """The command palette. Enter runs, Esc closes. The last command is first the next time."""

    action_run = Signal(str)

    def __init__(
        self,
        window: QWidget,
        actions: Sequence[Action],
        recent: Sequence[str] = (),
        app_of: Callable[[AppKey], AppInfo | None] | None = None,
        *,
        is_loading: bool = False,
    ) -> None:
        super().__init__(window)
        self._actions, self._recent = tuple(actions), tuple(recent)
        self._is_loading, self._runs_when_loaded = is_loading, False
        self.setAccessibleName(tr("Command palette"))
        self._card = _PaletteCard(self)
        self.field = QLineEdit(self._card)
        self.field.setProperty("bare", True)
        self.field.setPlaceholderText(tr("Search or run a command"))
        self.field.setAccessibleName(tr("Search or run a command"))
        self.model = PaletteModel(self)
        self.list = QListView(self._card)
        self.list.setModel(self.model)
        self.list.setItemDelegate(PaletteDelegate(self.list, app_of or (lambda _: None)))
        self.list.setAccessibleName(tr("Results"))
        self.list.setMouseTracking(True)
        self.list.setStyleSheet("background: transparent")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.clicked.connect(lambda _: self.run_current())
        self.list.entered.connect(self.list.setCurrentIndex)
        self._empty_label = Label(tr("No results. Try a shorter search."), "body", "text_tertiary")
        self._lay_out()
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._fill)
        self._fill("")
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def set_actions(self, actions: Sequence[Action], *, is_loading: bool = False) -> None:
        """Add objects that were loaded after opening; `is_loading` if others still are."""
        self._actions, self._is_loading = tuple(actions), is_loading
        runs = self._runs_when_loaded
        self._fill(self.field.text())
        if runs:
            self.run_when_loaded()

    def run_when_loaded(self) -> None:
        """Run the best match once all objects are loaded, unless something is typed or selected before."""
        self._runs_when_loaded = self._is_loading
        if not self._is_loading:
            self.run_current()

    def run_current(self) -> None:
        """Run the selected command."""
        row = self.list.currentIndex().data(ITEM_ROLE)
        if isinstance(row, PaletteRow) and row.action is not None and row.action.reason() is None:
            action = row.action
            self.dismiss()
            self.action_run.emit(action.id)
            action.run()

    def dismiss(self) -> None:
        """Close the palette."""
        self.hide()
        self.deleteLater()

    def titles(self) -> list[str]:
        """The texts of the rows shown, without the titles of groups."""
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
        self._runs_when_loaded = False
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}
        if key == Qt.Key.Key_Escape:
            self.dismiss()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_current() if self.titles() else self.run_when_loaded()
        elif key in steps:
            self._select(self.model.step(self.list.currentIndex().row(), steps[Qt.Key(key)]))
        else:
            return False
        return True

    def _fill(self, query: str) -> None:
        self._runs_when_loaded = False
        self.model.set_rows(rank(query, self._actions, self._recent))
        self._empty_label.setVisible(not self.model.rows)
        self.list.setVisible(bool(self.model.rows))
        self._select(self._best_row(query))
        self._position_card()

    def _best_row(self, query: str) -> int:
        """The row with the best match, in any group; the first one of equal ones."""
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
        font = theme().font("body")
        font.setPixelSize(px(16))
        self.field.setFont(font)
        self.field.setFixedHeight(px(48))
        column.addLayout(hbox((self.field, 1), KeyCaps(caps_of("Esc")), margins=(44, 0, 16, 0)))
        column.addWidget(line())
        column.addSpacing(px(4))
        column.addWidget(self.list)
        self._empty_label.setContentsMargins(px(20), px(16), px(20), px(16))
        column.addWidget(self._empty_label)
        column.addWidget(line())
        foot = QFrame()
        row = hbox(parent=foot, margins=(16, 7, 16, 7), spacing=6)
        for caps, query in (
            (["↑"], ""),
            (["↓"], tr("move", "the keys ↑ and ↓")),
            (caps_of("Return"), tr("run", "the key Enter")),
        ):
            row.addWidget(KeyCaps(caps))
            if query:
                row.addWidget(Label(query, "caption", "text_secondary"))
                row.addSpacing(px(12))
        row.addStretch(1)
        before, _, after = tr("Type {key} for actions only", key="\n").partition("\n")
        for part in (before.strip(), ">", after.strip()):
            if part:
                row.addWidget(KeyCaps([part]) if part == ">" else Label(part, "caption", "text_secondary"))
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
    """The raised card that contains the palette."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        inner = QRectF(self.rect()).adjusted(SHADOW, SHADOW, -SHADOW, -SHADOW)
        paint_raised(painter, inner, radius=10)
        px = theme().px
        paint_icon(painter, QRectF(inner.x() + px(14), inner.y(), px(24), px(48)), "search")
