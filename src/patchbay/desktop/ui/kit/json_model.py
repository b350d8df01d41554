"""JSON as a tree whose branches are built when they are opened."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from patchbay.domain.base import Json

BUCKET = 1000
"""Containers with more children than this are shown in parts of this size."""
CLIP = 300
"""Longer strings are shown cut; the view opens them."""

Index = QModelIndex | QPersistentModelIndex
TOP = QModelIndex()


@dataclass(eq=False)
class Node:
    """One key with its value. A bucket (`span`) stands for a part of its parent's children."""

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
        """How many entries the value has, 0 for plain values."""
        if self.span:
            return self.span[1] - self.span[0]
        return len(self.value) if isinstance(self.value, dict | list) else 0

    @property
    def children(self) -> "list[Node]":
        if self._children is None:
            self._children = list(self._build())
        return self._children

    def path(self) -> str:
        """The way here from the top: `response.items.0.name`."""
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
    """A JSON value; with a name it is one branch of that name, else its entries stand at the top."""

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
        if not index.isValid():
            return self._root
        found: Node = index.internalPointer()
        return found

    def index_of(self, path: str) -> QModelIndex:
        """The place of a path, building the branches on the way; invalid when there is none."""
        here, node = QModelIndex(), self._root
        for part in filter(None, path.split(".")):
            step = _child(node, part)
            if step is None:
                return QModelIndex()
            for each in step:
                here, node = self.index(each.row, 0, here), each
        return here

    def hits(self) -> frozenset[str]:
        return self._hits

    def find(self, words: str, limit: int = 5000) -> list[str]:
        """Paths whose key or plain value contains `words`; also remembers them for marking."""
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
            return f"{node.key}: {shown(node)}"
        return None


def shown(node: Node) -> str:
    """A value in one short line: quoted, as it is, or its size."""
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
    return json.dumps(value, ensure_ascii=False, indent=2)


def plain(value: Json) -> str:
    """A value as one would type it: strings without quotes."""
    return value if isinstance(value, str) else pretty(value)


def _child(node: Node, key: str) -> list[Node] | None:
    for child in node.children:
        if child.span is None and child.key == key:
            return [child]
        if child.span is not None and any(inner.key == key for inner in child.children):
            return [child, next(inner for inner in child.children if inner.key == key)]
    return None


def _walk(value: Json, limit: int) -> Iterator[tuple[str, str, Json]]:
    """Every (path, key, value), in the order shown, at most `limit`."""
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
