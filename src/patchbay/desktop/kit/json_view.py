"""JSON as a tree: loaded lazily, searchable, and copyable."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QPlainTextEdit,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from patchbay.desktop.core.language import number_text, tr
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import IconButton, set_available
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.item_views import Index, RowDelegate, paint_row_background
from patchbay.desktop.kit.line_edit import SearchField
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.popups import Popup
from patchbay.desktop.kit.row_text import elided
from patchbay.desktop.kit.secret_fields import copy_text
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import Json

BUCKET = 1000
"""Containers with more children than this are split into parts of this size."""
CLIP = 300
"""Longer strings are truncated; the view can open them."""

TOP = QModelIndex()


@dataclass(eq=False)
class Node:
    """A key with its value. A bucket (`span`) is a part of its parent's children."""

    key: str
    value: Json
    parent: "Node | None" = None
    row: int = 0
    index: bool = False
    """Whether the key is a position in a list."""
    span: tuple[int, int] | None = None
    _children: "list[Node] | None" = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """The number of entries; 0 for plain values."""
        if self.span:
            return self.span[1] - self.span[0]
        return len(self.value) if isinstance(self.value, dict | list) else 0

    @property
    def children(self) -> "list[Node]":
        """The entries of an object or list, created when first needed."""
        if self._children is None:
            self._children = list(self._build())
        return self._children

    def path(self) -> str:
        """The path from the root: `response.items.0.name`."""
        parts: list[str] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            if node.span is None:
                parts.append(node.key)
            node = node.parent
        return ".".join(reversed(parts))

    def _build(self) -> "Iterator[Node]":
        if self.span is None and self.size > BUCKET:
            for row, start in enumerate(range(0, self.size, BUCKET)):
                end = min(start + BUCKET, self.size)
                yield Node(f"{start} … {end - 1}", self.value, self, row, True, (start, end))
            return
        start, end = self.span or (0, self.size)
        in_list = isinstance(self.value, list)
        for row, (key, value) in enumerate(_entries(self.value, start, end)):
            yield Node(key, value, self, row, in_list)


def _entries(value: Json, start: int, end: int) -> list[tuple[str, Json]]:
    if isinstance(value, dict):
        return list(value.items())[start:end]
    if isinstance(value, list):
        return [(str(start + place), item) for place, item in enumerate(value[start:end])]
    return []


class JsonModel(QAbstractItemModel):
    """The tree of a JSON value; with a name it is a branch of that name, otherwise its entries are at the
    top.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._root = Node("", {})
        self._hits: frozenset[str] = frozenset()

    def set_value(self, value: Json, name: str | None = None) -> None:
        self.beginResetModel()
        wrapped = value if name is None and isinstance(value, dict | list) else {name or "value": value}
        self._root = Node("", wrapped)
        self._hits = frozenset()
        self.endResetModel()

    def node(self, index: Index) -> Node:
        """The value in a row; the root for an invalid index."""
        if not index.isValid():
            return self._root
        found: Node = index.internalPointer()
        return found

    def index_of(self, path: str) -> QModelIndex:
        """The index of a path, creating its branches; invalid if there is none."""
        here, node = QModelIndex(), self._root
        for part in filter(None, path.split(".")):
            step = _child(node, part)
            if step is None:
                return QModelIndex()
            for each in step:
                here, node = self.index(each.row, 0, here), each
        return here

    def hits(self) -> frozenset[str]:
        """The paths of the values that match the search."""
        return self._hits

    def find(self, words: str, limit: int = 5000) -> list[str]:
        """Find the paths whose key or plain value contains `words`, and remember them to mark them."""
        found: list[str] = []
        if words:
            found = [
                path
                for path, key, value in _walk(self._root.value, limit)
                if _matches(words.lower(), key, value)
            ]
        self._hits = frozenset(found)
        return found

    def rowCount(self, parent: Index = TOP) -> int:
        return 0 if parent.column() > 0 else len(self.node(parent).children)

    def columnCount(self, parent: Index = TOP) -> int:
        return 1

    def hasChildren(self, parent: Index = TOP) -> bool:
        return parent.column() <= 0 and self.node(parent).size > 0

    def index(self, row: int, column: int, parent: Index = TOP) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, self.node(parent).children[row])

    def parent(self, child: Index | None = None) -> Any:
        if child is None:
            return super().parent()
        above = self.node(child).parent
        if above is None or above is self._root:
            return QModelIndex()
        return self.createIndex(above.row, 0, above)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        node = self.node(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{node.key}: {short_text(node)}"
        return None


def short_text(node: Node) -> str:
    """A value on one short line: a quoted string, a plain value, or its size."""
    value = node.value
    if node.span is not None:
        return ""
    if isinstance(value, dict):
        return f"{{{len(value)}}}"
    if isinstance(value, list):
        return f"[{len(value)}]"
    if isinstance(value, str) and len(value) > CLIP:
        value = value[:CLIP] + "…"
    return json.dumps(value, ensure_ascii=False)


def pretty(value: Json) -> str:
    """The value as indented JSON."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def plain(value: Json) -> str:
    """A value as the user would type it: strings without quotes."""
    return value if isinstance(value, str) else pretty(value)


def _child(node: Node, key: str) -> list[Node] | None:
    for child in node.children:
        if child.span is None and child.key == key:
            return [child]
        if child.span is not None and any(inner.key == key for inner in child.children):
            return [child, next(inner for inner in child.children if inner.key == key)]
    return None


def _walk(value: Json, limit: int) -> Iterator[tuple[str, str, Json]]:
    """Yield every (path, key, value) in display order, at most `limit`."""
    todo: list[tuple[str, str, Json]] = [("", "", value)]
    seen = 0
    while todo and seen < limit:
        path, key, here = todo.pop()
        if path:
            seen += 1
            yield path, key, here
        entries = _entries(here, 0, limit)
        todo.extend((f"{path}.{name}" if path else name, name, item) for name, item in reversed(entries))


def _matches(words: str, key: str, value: Json) -> bool:
    if words in key.lower():
        return True
    return not isinstance(value, dict | list) and words in plain(value).lower()


class JsonView(QWidget):
    """Shows a JSON value. `picked(path)` is emitted by "Use as value" if `pickable` is set."""

    value_picked = Signal(str)

    def __init__(self, parent: QWidget | None = None, *, search: bool = True, pickable: bool = False) -> None:
        super().__init__(parent)
        self.model = JsonModel(self)
        self.tree = JsonTree(self.model, pickable)
        self.tree.value_picked.connect(self.value_picked)
        self._paths: list[str] = []
        self._at = -1
        self._bar = QWidget()
        self.search = SearchField(tr("Search in the data"))
        self.search.text_changed.connect(self._find)
        self.search.returnPressed.connect(self.next_hit)
        self._count = Label("", "caption", "text_tertiary")
        row = hbox((self.search, 1), self._count, parent=self._bar, margins=(12, 4, 12, 4))
        self._steps = (
            IconButton("chevron-up", tr("Previous hit"), small=True),
            IconButton("chevron-down", tr("Next hit"), small=True),
        )
        for button, step in zip(self._steps, (-1, 1), strict=True):
            button.clicked.connect(lambda _=False, step=step: self.next_hit(step))
            row.addWidget(button)
        self._bar.setVisible(False)
        self._show_position()
        self._searchable = search
        vbox(self._bar, (self.tree, 1), parent=self, spacing=0)
        self.setFocusProxy(self.tree)

    def set_value(self, value: Json, name: str | None = None, *, depth: int = 2) -> None:
        """Show a value, opened `depth` levels deep. Open branches stay open if the shape of the data is the
        same.
        """
        opened = self.tree.open_paths()
        self.model.set_value(value, name)
        if opened:
            self.tree.open(opened)
        else:
            self.tree.open_to(depth)
        self._find(self.search.text())

    def show_search(self) -> None:
        """Show the search field and move the focus to it."""
        if self._searchable:
            self._bar.show()
            self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.search.selectAll()

    def hide_search(self) -> None:
        """Close the search."""
        self.search.clear()
        self._bar.hide()

    def next_hit(self, step: int = 1) -> None:
        """Go to the next match, or by `step` matches."""
        if self._paths:
            self._at = (self._at + step) % len(self._paths)
            self.tree.reveal(self._paths[self._at])
            self._show_position()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._bar.isVisible():
            self.hide_search()
            self.tree.setFocus(Qt.FocusReason.OtherFocusReason)
        elif event.matches(QKeySequence.StandardKey.Find) and self._searchable:
            self.show_search()
        else:
            super().keyPressEvent(event)

    def _find(self, words: str) -> None:
        self._paths = self.model.find(words)
        self._at = -1
        self.tree.viewport().update()
        self._show_position()
        if self._paths:
            self.next_hit()

    def _show_position(self) -> None:
        found = len(self._paths)
        if found:
            at = number_text(self._at + 1)
            self._count.setText(tr("{at} of {total}", "a hit", at=at, total=number_text(found)))
        else:
            self._count.setText(tr("no hit") if self.search.text() else "")
        reason = None
        if found <= 1:
            reason = tr("There is no other hit.") if found else tr("There is no hit.")
        for button in self._steps:
            set_available(button, reason)


class JsonTree(QTreeView):
    """The tree itself, with rows of 22 px and a menu to copy."""

    value_picked = Signal(str)

    def __init__(self, model: JsonModel, pickable: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._json, self._pickable = model, pickable
        self.setModel(model)
        self.setAccessibleName(tr("Data"))
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setItemDelegate(JsonDelegate(self))
        self.setMouseTracking(True)
        self.setAnimated(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)
        self._scale()
        theme().changed.connect(self._scale)

    def open_to(self, depth: int) -> None:
        """Unfold the tree to a depth; 0 folds everything."""
        self.expandToDepth(depth - 1) if depth > 0 else self.collapseAll()

    def open_paths(self) -> list[str]:
        """The paths of open branches, to restore them for new data."""
        found: list[str] = []
        todo = [self._json.index(row, 0) for row in range(self._json.rowCount())]
        while todo:
            here = todo.pop()
            if self.isExpanded(here):
                found.append(self._json.node(here).path())
                todo.extend(self._json.index(row, 0, here) for row in range(self._json.rowCount(here)))
        return found

    def open(self, paths: list[str]) -> None:
        """Unfold the values at these paths."""
        for path in paths:
            self.expand(self._json.index_of(path))

    def reveal(self, path: str) -> None:
        """Select the value at a path and scroll to it."""
        index = self._json.index_of(path)
        self.setCurrentIndex(index)
        self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        here = self.currentIndex()
        if event.matches(QKeySequence.StandardKey.Copy) and here.isValid():
            copy_text(plain(self._json.node(here).value))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and here.isValid():
            if self._json.hasChildren(here):
                self.setExpanded(here, not self.isExpanded(here))
            else:
                self.open_text(here)
        else:
            super().keyPressEvent(event)

    def drawBranches(self, painter: QPainter, rect: QRect, index: QModelIndex | Index) -> None:
        if not self.model().hasChildren(index):
            return
        name = "chevron-down" if self.isExpanded(index) else "chevron-right"
        box = QRectF(rect.right() - theme().px(15), rect.y(), theme().px(14), rect.height())
        paint_icon(painter, box, name, "text_tertiary", 12)

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | Index) -> None:
        whole = QStyleOptionViewItem(option)
        whole.rect = QRect(0, option.rect.y(), self.viewport().width(), option.rect.height())
        if self.selectionModel().isSelected(index):
            painter.fillRect(whole.rect, theme().tokens.selected)
        super().drawRow(painter, option, index)

    def _scale(self) -> None:
        self.setIndentation(theme().px(16))

    def open_text(self, index: QModelIndex) -> Popup:
        """Show a long text in full, in place."""
        popup = Popup(self)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        area = QPlainTextEdit(plain(self._json.node(index).value))
        area.setReadOnly(True)
        area.setProperty("bare", True)
        area.setFont(theme().font("code"))
        area.setAccessibleName(tr("Whole text"))
        area.setFixedSize(max(theme().px(320), self.width() - theme().px(40)), theme().px(200))
        popup.body.addWidget(area)
        popup.open_under(self)
        popup.move(self.viewport().mapToGlobal(self.visualRect(index).bottomLeft()))
        area.setFocus(Qt.FocusReason.PopupFocusReason)
        return popup

    def menu_for(self, index: QModelIndex) -> Menu:
        """The menu of a value."""
        node = self._json.node(index)
        menu = Menu(self, tr("Actions for {name}", name=node.path()))
        menu.add(tr("Copy value"), lambda: copy_text(plain(node.value)), "copy")
        menu.add(tr("Copy path"), lambda: copy_text(node.path()), "code")
        menu.add(tr("Copy as JSON"), lambda: copy_text(pretty(node.value)), "braces")
        if self._pickable:
            menu.add(tr("Use as value"), lambda: self.value_picked.emit(node.path()), "variable")
        if isinstance(node.value, str) and len(node.value) > 40:
            menu.add(tr("Show whole text"), lambda: self.open_text(index))
        return menu

    def _open_menu(self, at: QPoint) -> None:
        index = self.indexAt(at)
        if index.isValid():
            menu = self.menu_for(index)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.viewport().mapToGlobal(at))


class JsonDelegate(RowDelegate):
    """Paints key, colon, and value in the colours of code."""

    def __init__(self, tree: JsonTree) -> None:
        super().__init__(tree, height=22)
        self._tree = tree

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = self._tree.model()
        assert isinstance(model, JsonModel)
        node, current = model.node(index), theme()
        rect = QRectF(option.rect)
        paint_row_background(painter, option, first=False, rule=False)
        painter.setFont(current.font("code"))
        metrics = painter.fontMetrics()
        x = rect.x() + current.px(4)
        if node.path() in model.hits():
            width = metrics.horizontalAdvance(f"{node.key}: {short_text(node)}") + current.px(4)
            mark = QRectF(x - 2, rect.y() + 2, min(width, rect.width()), rect.height() - 4)
            painter.fillRect(mark, current.tokens.warning_soft)
        container = node.size > 0 or isinstance(node.value, dict | list)
        colon = "" if container else ":"
        for words, token in (
            (node.key, "code_key"),
            (colon, "code_punctuation"),
            (" " + short_text(node), _colour(node.value)),
        ):
            painter.setPen(current.color(token))
            room = rect.right() - x - current.px(6)
            text = elided(words, painter.font(), room)
            painter.drawText(
                QRectF(x, rect.y(), room + 8, rect.height()), int(Qt.AlignmentFlag.AlignVCenter), text
            )
            x += metrics.horizontalAdvance(text)


def _colour(value: Json) -> str:
    if isinstance(value, str):
        return "code_string"
    if value is None or isinstance(value, bool):
        return "code_keyword"
    if isinstance(value, int | float):
        return "code_number"
    return "code_punctuation"
