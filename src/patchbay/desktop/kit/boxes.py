"""Box layouts: `hbox` and `vbox` lay out widgets and other layouts in one expression."""

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from patchbay.desktop.kit.theme import theme


@dataclass(frozen=True)
class Stretch:
    """Empty space that grows with the layout."""

    factor: int = 1


BoxItem = (
    QWidget | QLayout | Stretch | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]
)
"""A widget or layout, optionally with stretch factor and alignment; `Stretch`; or a gap's length."""

Margins = int | tuple[int, int, int, int]
"""One margin for all sides, or left, top, right and bottom."""

_NO_ALIGNMENT = Qt.AlignmentFlag(0)


def hbox(
    *items: BoxItem, parent: QWidget | None = None, margins: Margins = 0, spacing: int | None = None
) -> QHBoxLayout:
    """Lay out items from left to right, in `parent` if there is one. Lengths scale with the body font."""
    box = QHBoxLayout() if parent is None else QHBoxLayout(parent)
    _fill(box, items, margins, spacing)
    return box


def vbox(
    *items: BoxItem, parent: QWidget | None = None, margins: Margins = 0, spacing: int | None = None
) -> QVBoxLayout:
    """Lay out items from top to bottom, in `parent` if there is one. Lengths scale with the body font."""
    box = QVBoxLayout() if parent is None else QVBoxLayout(parent)
    _fill(box, items, margins, spacing)
    return box


def _fill(box: QBoxLayout, items: Iterable[BoxItem], margins: Margins, spacing: int | None) -> None:
    px = theme().px
    sides = (margins,) * 4 if isinstance(margins, int) else margins
    box.setContentsMargins(*(px(side) for side in sides))
    if spacing is not None:
        box.setSpacing(px(spacing))
    for item in items:
        if isinstance(item, Stretch):
            box.addStretch(item.factor)
        elif isinstance(item, int):
            box.addSpacing(px(item))
        else:
            _add(box, *(item if isinstance(item, tuple) else (item,)))


def _add(
    box: QBoxLayout,
    item: QWidget | QLayout,
    stretch: int = 0,
    alignment: Qt.AlignmentFlag = _NO_ALIGNMENT,
) -> None:
    if isinstance(item, QLayout):
        box.addLayout(item, stretch)
    else:
        box.addWidget(item, stretch, alignment)
