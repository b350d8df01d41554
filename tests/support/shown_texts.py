"""The texts of every screen of the tour, and which are cut off or hard to read; run as a program of its own.

`python -m tests.support.shown_texts LANGUAGE light|dark OUT.json`, with `QT_SCALE_FACTOR` for another scale.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from patchbay.desktop.core.language import use_language

if __name__ == "__main__":
    use_language(sys.argv[1], "language")  # before the modules of the window are imported

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QRect, Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QLabel, QLineEdit, QWidget
from tests.support.text_contrast import painted_texts

from patchbay.desktop.kit.text import ElidedLabel
from patchbay.desktop.kit.theme import SchemeChoice
from patchbay.platform.paths import AppPaths
from patchbay.tour.command import save_pictures
from patchbay.tour.runner import Tour
from patchbay.tour.scene import Scene

_ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
_MAX_ROWS = 40
_TOLERANCE = 2


@dataclass(frozen=True)
class ShownText:
    """A text of a widget, where it was seen, and why it can't be read whole: "" if it can."""

    scene: str
    widget: str
    kind: str
    text: str
    problem: str = ""


def texts_of_window(scene: str) -> Iterator[ShownText]:
    """All texts of all visible widgets."""
    for top in QApplication.topLevelWidgets():
        if top.isVisible():
            for widget in (top, *top.findChildren(QWidget)):
                if widget.isVisibleTo(top):
                    yield from _texts_of(scene, widget)
                    yield from _overlaps(scene, widget)


def texts_of_pictures(scene: Scene) -> Iterator[ShownText]:
    """All painted texts, with their contrast."""
    target = scene.target() if scene.target else None
    covers_window = target is not None and not target.isWindow()
    for top in [target] if covers_window and target else QApplication.topLevelWidgets():
        for painted in painted_texts(top) if top.isVisible() else ():
            problem = f"{painted.contrast}:1, {painted.colour} on {painted.ground}" if painted.too_low else ""
            yield ShownText(scene.name, type(top).__name__, "contrast", painted.text, problem)


def _texts_of(scene: str, widget: QWidget) -> Iterator[ShownText]:
    name = type(widget).__name__
    for kind in ("text", "title", "placeholderText", "windowTitle", "toolTip", "accessibleName"):
        read = getattr(widget, kind, None)
        text = read() if callable(read) else None
        if isinstance(text, str) and text.strip():
            yield ShownText(scene, name, kind, text, _problem(widget, kind, text))
    if widget.accessibleDescription():
        yield ShownText(scene, name, "accessibleDescription", widget.accessibleDescription())
    if isinstance(widget, QAbstractItemView) and isinstance(widget.model(), QAbstractItemModel):
        yield from _items(scene, name, widget.model())


def _items(scene: str, name: str, model: QAbstractItemModel) -> Iterator[ShownText]:
    for row in range(min(model.rowCount(), _MAX_ROWS)):
        for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount()):
            for role in _ROLES:
                text = model.index(row, column).data(role)
                if isinstance(text, str) and text.strip():
                    yield ShownText(scene, name, role.name, text)


def _problem(widget: QWidget, kind: str, text: str) -> str:
    metrics, width = widget.fontMetrics(), widget.contentsRect().width()
    text = text.replace("&&", "&")
    if isinstance(widget, QLabel) and kind == "text" and not isinstance(widget, ElidedLabel):
        if widget.wordWrap():
            high = widget.heightForWidth(widget.width())
            return f"{high} high, has {widget.height()}" if high > widget.height() + _TOLERANCE else ""
        wide = max(metrics.horizontalAdvance(line) for line in text.split("\n"))
        if wide > width + _TOLERANCE:
            return f"{wide} wide, has {width}"
    if isinstance(widget, QAbstractButton) and kind == "text":
        wide = widget.minimumSizeHint().width()
        if wide > widget.width() + _TOLERANCE:
            return f"{wide} wide, has {widget.width()}"
    if isinstance(widget, QLineEdit) and kind == "placeholderText" and not widget.text():
        wide = metrics.horizontalAdvance(text)
        if wide > width - 8 + _TOLERANCE:
            return f"{wide} wide, has {width - 8}"
    return ""


def _overlaps(scene: str, parent: QWidget) -> Iterator[ShownText]:
    """Texts of one parent that lie on each other."""
    inside: list[tuple[QRect, str]] = []
    for child in parent.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if (
            isinstance(child, (QLabel, QAbstractButton))
            and child.isVisibleTo(parent)
            and child.text().strip()
        ):
            area = child.geometry().adjusted(_TOLERANCE, _TOLERANCE, -_TOLERANCE, -_TOLERANCE)
            for other, text in inside:
                if area.intersects(other):
                    yield ShownText(scene, type(child).__name__, "overlap", child.text(), f"lies on “{text}”")
            inside.append((area, child.text()))


def main(scheme: SchemeChoice, file: Path) -> int:
    """Take the tour, and write what was seen."""
    found: dict[ShownText, None] = {}
    take = Tour._take_picture

    def take_and_read(tour: Tour, scene: Scene) -> None:
        found.update(dict.fromkeys(texts_of_window(scene.name)))
        found.update(dict.fromkeys(texts_of_pictures(scene)))
        take(tour, scene)

    Tour._take_picture = take_and_read  # type: ignore[method-assign, assignment]
    with tempfile.TemporaryDirectory() as folder:
        paths = AppPaths.choose(Path(folder) / "data")
        paths.prepare()
        code = save_pictures(paths, str(file.parent / file.stem), scheme, (1280, 800), report=print)
    file.write_text(json.dumps([asdict(text) for text in found], ensure_ascii=False, indent=1), "utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main("dark" if sys.argv[2] == "dark" else "light", Path(sys.argv[3])))
