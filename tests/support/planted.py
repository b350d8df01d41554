"""Looking for secrets that were planted: in files, in what programs print, in processes, in windows."""

import base64
import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QAbstractTableModel, QModelIndex, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from patchbay.desktop.kit.secret_fields import SecretField

MARKER = "MARKER/5ecret+Key=0123456789abcdef"

ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.EditRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
)
READERS = (
    "text",
    "toPlainText",
    "title",
    "placeholderText",
    "toolTip",
    "statusTip",
    "whatsThis",
    "windowTitle",
    "accessibleName",
    "accessibleDescription",
    "currentText",
)
DEEPEST = 6


def forms(secret: str) -> set[bytes]:
    """The secret as it stands and in encodings that hide it from a plain search."""
    raw = secret.encode()
    found = {raw, raw[::-1], raw.hex().encode(), quote(secret, safe="").encode(), secret.encode("utf-16-le")}
    for shift in range(3):  # base64 of a text that begins with anything
        encoded = base64.b64encode(b"\0" * shift + raw)
        found.add(encoded[-(-shift * 8 // 6) : (shift + len(raw)) * 8 // 6])
    return found


def holds(content: bytes, secret: str) -> bool:
    return any(form in content for form in forms(secret))


def in_files(folder: Path, secret: str) -> list[str]:
    """Every file below the folder that holds the secret."""
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and holds(path.read_bytes(), secret)
    )


def in_processes(secret: str) -> list[str]:
    """Processes whose arguments or environment hold the secret, among all there are."""
    return [str(path) for path in _shown_by_processes() if holds(_content(path), secret)]


def _shown_by_processes() -> Iterator[Path]:
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            yield process / "cmdline"
            yield process / "environ"


def _content(path: Path) -> bytes:
    with contextlib.suppress(OSError):  # it ended, or belongs to somebody else
        return path.read_bytes()
    return b""


def in_windows(secret: str) -> list[str]:
    """Widgets of all windows that show or tell the secret. What a masked field holds is not shown."""
    found = []
    for widget in QApplication.allWidgets():
        if any(holds(text.encode(), secret) for text in texts_of(widget)):
            found.append(f"{type(widget).__name__} {widget.accessibleName()}")
    return found


def texts_of(widget: QWidget) -> Iterator[str]:
    """Everything in words that a widget shows or tells assistive technology."""
    edit = widget.edit if isinstance(widget, SecretField) else widget
    masked = isinstance(edit, QLineEdit) and edit.echoMode() is not QLineEdit.EchoMode.Normal
    for name in READERS:
        reader = getattr(widget, name, None)
        if callable(reader) and not (masked and name == "text"):
            with contextlib.suppress(TypeError, NotImplementedError):
                yield str(reader())
    model = getattr(widget, "model", None)
    shown = model() if callable(model) else None
    if isinstance(shown, QAbstractItemModel):
        yield from texts_in(shown, QModelIndex(), 0)


def texts_in(model: QAbstractItemModel, parent: QModelIndex, depth: int) -> Iterable[str]:
    """What a model tells in each of its cells, below `parent`."""
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    flat = isinstance(model, QAbstractListModel | QAbstractTableModel)
    if not flat and model.canFetchMore(parent):
        model.fetchMore(parent)
    for row in range(model.rowCount(parent)):
        for column in range(columns):
            index = model.index(row, column, parent)
            yield from (str(data) for role in ROLES if (data := index.data(role)) is not None)
        first = model.index(row, 0, parent)
        if depth < DEEPEST and not flat and model.hasChildren(first):
            yield from texts_in(model, first, depth + 1)
