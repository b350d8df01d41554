"""Icons: Lucide glyphs and app glyphs, coloured by theme tokens when painted."""

from __future__ import annotations

import logging
import re
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from patchbay.desktop.kit.theme import readable, resource, theme

if TYPE_CHECKING:
    from patchbay.domain.apps import AppInfo

log = logging.getLogger("ui.icons")

_STROKES = {12: 2.2, 14: 2.1, 16: 2.0, 20: 1.8, 24: 1.6}
_pixmaps: dict[tuple[object, ...], QPixmap] = {}


def pixmap(
    name: str, color: QColor | str = "text_secondary", size: int = 16, dpr: float | None = None
) -> QPixmap:
    """A Lucide icon in a colour or token; `size` scales with the body font."""
    tint = theme().color(color) if isinstance(color, str) else color
    ratio = dpr or _ratio()
    key = (name, tint.rgba(), theme().px(size), ratio)
    if key not in _pixmaps:
        stroke = _STROKES.get(size, 2.0 if size < 20 else 1.6)
        svg = _glyph(name).replace('stroke-width="2"', f'stroke-width="{stroke}"')
        _remember(key, _render(svg.replace("currentColor", tint.name()), theme().px(size), ratio))
    return _pixmaps[key]


def icon(name: str, color_token: str = "text_secondary", size: int = 16) -> QIcon:
    """An icon for menus and Qt's own buttons; create it again after the theme has changed."""
    made = QIcon()
    for ratio in (1.0, 2.0):
        made.addPixmap(pixmap(name, color_token, size, ratio))
        made.addPixmap(pixmap(name, "text_disabled", size, ratio), QIcon.Mode.Disabled)
    return made


def paint_icon(
    painter: QPainter, rect: QRectF, name: str, color: QColor | str = "text_secondary", size: int = 16
) -> None:
    """Paint an icon centred in a rectangle, on whole pixels."""
    picture = pixmap(name, color, size, painter.device().devicePixelRatio())
    _centre(painter, rect, picture)


def app_pixmap(app: AppInfo | None, size: int = 16, dpr: float | None = None) -> QPixmap:
    """The icon of an app in its brand colour, adjusted to be visible on the surface; a monogram without an
    icon.
    """
    ratio, pixels = dpr or _ratio(), theme().px(size)
    if app is None:
        return pixmap("package", "text_tertiary", size, ratio)
    key = (app.key, app.primary_color, hash(app.icon_svg), theme().scheme, pixels, ratio)
    if key not in _pixmaps:
        tint = brand_colour(app)
        made = _render(_brand(app.icon_svg, tint), pixels, ratio) if app.icon_svg else None
        _remember(key, made or _monogram(app, tint, pixels, ratio))
    return _pixmaps[key]


def paint_app(painter: QPainter, rect: QRectF, app: AppInfo | None, size: int = 16) -> None:
    """Paint the icon of an app in the centre of the area."""
    _centre(painter, rect, app_pixmap(app, size, painter.device().devicePixelRatio()))


def paint_app_tile(painter: QPainter, rect: QRectF, app: AppInfo | None) -> None:
    """Paint the tile of an app: a white or dark square with the icon at 58 %."""
    current = theme()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(current.tokens.border)
    painter.setBrush(current.tokens.surface)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), current.px(6), current.px(6))
    painter.restore()
    paint_app(painter, rect, app, round(rect.height() * 0.58 / current.px(13) * 13))


def brand_colour(app: AppInfo) -> QColor:
    """The brand colour, lightened or darkened until it is visible on the surface."""
    current = theme()
    return readable(
        QColor(app.primary_color),
        on=current.tokens.surface,
        ratio=4.6 if current.is_dark else 3.0,
        instead_of_black=current.tokens.text,
    )


@cache
def _glyph(name: str) -> str:
    path = resource("icons", "lucide", f"{name}.svg")
    if not path.is_file():
        log.warning("there is no icon named %s", name)
        path = resource("icons", "lucide", "circle-question-mark.svg")
    return path.read_text("utf-8")


def _brand(svg: str, tint: QColor) -> str:
    if "currentColor" in svg:
        return svg.replace("currentColor", tint.name())
    if re.search(r"\b(fill|stroke)\s*[=:]", svg):
        return svg
    return re.sub(r"<svg\b", f'<svg fill="{tint.name()}"', svg, count=1)


def _render(svg: str, pixels: int, ratio: float) -> QPixmap | None:
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    if not renderer.isValid():
        log.warning("an icon could not be read")
        return None
    renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
    picture = _blank(pixels, ratio)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    return picture


def _monogram(app: AppInfo, tint: QColor, pixels: int, ratio: float) -> QPixmap:
    picture = _blank(pixels, ratio)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    soft = QColor(tint)
    soft.setAlphaF(0.16)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(soft)
    painter.drawRoundedRect(QRectF(0, 0, pixels, pixels), pixels * 0.25, pixels * 0.25)
    font = theme().font("semibold")
    font.setPixelSize(max(8, round(pixels * 0.62)))
    painter.setFont(font)
    painter.setPen(tint)
    painter.drawText(
        QRectF(0, 0, pixels, pixels), Qt.AlignmentFlag.AlignCenter, (app.name or app.key)[:1].upper()
    )
    painter.end()
    return picture


def _blank(pixels: int, ratio: float) -> QPixmap:
    picture = QPixmap(round(pixels * ratio), round(pixels * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    return picture


def _centre(painter: QPainter, rect: QRectF, picture: QPixmap) -> None:
    size = picture.deviceIndependentSize()
    x = rect.x() + (rect.width() - size.width()) / 2
    y = rect.y() + (rect.height() - size.height()) / 2
    painter.drawPixmap(QPointF(round(x), round(y)), picture)


def _remember(key: tuple[object, ...], picture: QPixmap | None) -> None:
    if len(_pixmaps) > 4000:
        _pixmaps.clear()
    _pixmaps[key] = picture or QPixmap()


def _ratio() -> float:
    app = QApplication.instance()
    return app.devicePixelRatio() if isinstance(app, QApplication) else 1.0
