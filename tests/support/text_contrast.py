"""The contrast of every painted text: its colour, and the colour that surrounds it in the picture."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu, QWidget

from patchbay.desktop.kit.theme import contrast

REQUIRED, REQUIRED_OF_LARGE = 4.5, 3.0
"""The contrast that WCAG 2.2 asks for (1.4.3, level AA)."""
LARGE, LARGE_BOLD = 24, 18.66
"""The sizes in pixels from which a text is large."""
_BOLD = 600
_SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class PaintedText:
    """A text in a picture. `place` is in pixels of the window; `too_low` means that it's hard to read."""

    text: str
    place: QRect
    colour: str
    ground: str
    contrast: float
    too_low: bool


def painted_texts(window: QWidget) -> Iterator[PaintedText]:
    """All visible texts of a window, without those that WCAG exempts: disabled ones, and behind a dialog."""
    if QApplication.activeModalWidget() not in (None, window):
        return
    picture = window.grab().toImage()
    for group in ElementTree.fromstring(_vector_picture(window)).iter(f"{_SVG}g"):
        element = group.find(f"{_SVG}text")
        if element is None or not (text := (element.text or "").strip()):
            continue
        size, weight = float(element.get("font-size", "12")), int(element.get("font-weight", "400"))
        font = QFont(element.get("font-family", ""))
        font.setPixelSize(max(1, round(size)))
        font.setWeight(QFont.Weight(weight))
        scale, x, y = _position(group, element)
        area = QFontMetrics(font).boundingRect(text).translated(round(x), round(y))
        place = area.intersected(window.rect())
        if place.isEmpty() or _is_disabled(window, place.center()):
            continue
        ground = _surrounding(picture, place)
        colour = _on(ground, QColor(element.get("fill", "")), float(element.get("fill-opacity", "1")))
        is_large = size * scale >= (LARGE_BOLD if weight >= _BOLD else LARGE)
        ratio = contrast(colour, ground)
        required = REQUIRED_OF_LARGE if is_large else REQUIRED
        yield PaintedText(
            text, place, colour.name(), ground.name(), round(ratio, 2), round(ratio, 2) < required
        )


def _vector_picture(window: QWidget) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(window.size())
    generator.setViewBox(window.rect())
    generator.setResolution(96)
    painter = QPainter(generator)
    window.render(painter, QPoint())
    painter.end()
    return bytes(buffer.data().data())


def _position(group: ElementTree.Element, text: ElementTree.Element) -> tuple[float, float, float]:
    """The scale of a text, and where its baseline begins."""
    a, b, c, d, e, f = map(float, re.findall(r"-?[\d.]+(?:e-?\d+)?", group.get("transform", "")))
    x, y = float(text.get("x", "0")), float(text.get("y", "0"))
    return d, a * x + c * y + e, b * x + d * y + f


def _is_disabled(window: QWidget, place: QPoint) -> bool:
    widget = window.childAt(place) or window
    if not widget.isEnabled():
        return True
    if isinstance(widget, QMenu):
        action = widget.actionAt(widget.mapFrom(window, place))
        return action is not None and not action.isEnabled()
    view = widget.parent()
    if isinstance(view, QAbstractItemView) and widget is view.viewport():
        index = view.indexAt(widget.mapFrom(window, place))
        return index.isValid() and not index.flags() & index.flags().ItemIsEnabled
    return False


def _surrounding(picture: QImage, place: QRect) -> QColor:
    """The colour that most pixels have."""
    scale = round(picture.devicePixelRatio())
    colours = Counter(
        picture.pixel(x * scale, y * scale)
        for x in range(place.left(), place.right() + 1)
        for y in range(place.top(), place.bottom() + 1)
    )
    return QColor(colours.most_common(1)[0][0])


def _on(ground: QColor, colour: QColor, opacity: float) -> QColor:
    mixed = (
        round(opacity * above + (1 - opacity) * below)
        for above, below in zip(colour.getRgb()[:3], ground.getRgb()[:3], strict=True)  # type: ignore[index]
    )
    return QColor(*mixed)
