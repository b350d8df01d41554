"""Values of our own on the items of a Qt model, handed back as the very objects that were stored.

Qt converts what it knows: a `StrEnum` comes back as `str`, an `int` of more than 64 bits is refused, and a
text with half a surrogate pair comes back empty. What it doesn't know it passes on untouched.
"""

from typing import Any, Protocol

from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtGui import QStandardItem


class _HasData(Protocol):
    def data(self, role: int, /) -> Any: ...


class _Stored:
    """Something Qt has no conversion for."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


def store_value(item: QStandardItem, value: object, role: int) -> None:
    """Put a value on an item under a role of ours."""
    item.setData(_Stored(value), role)


def stored_value(place: QModelIndex | QPersistentModelIndex | _HasData, role: int) -> Any:
    """What `store_value` put there; None where nothing was."""
    found = place.data(role)
    return found.value if isinstance(found, _Stored) else None
