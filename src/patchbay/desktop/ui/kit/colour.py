"""Contrast: how readable one colour is on another (WCAG 2), and how to make it so."""

from PySide6.QtGui import QColor


def contrast(one: QColor, other: QColor) -> float:
    """The ratio of two colours, from 1 (the same) to 21 (black on white)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def readable(colour: QColor, *, on: QColor, ratio: float, instead_of_black: QColor) -> QColor:
    """`colour` moved in lightness until it reaches `ratio`; near-black becomes `instead_of_black`."""
    if not colour.isValid() or (
        colour.lightnessF() < 0.13 and colour.lightnessF() * colour.hslSaturationF() < 0.1
    ):
        return instead_of_black
    step = -0.02 if on.lightnessF() > 0.5 else 0.02
    hue, saturation, lightness = colour.hslHueF(), colour.hslSaturationF(), colour.lightnessF()
    while contrast(colour, on) < ratio and 0.0 <= lightness + step <= 1.0:
        lightness += step
        colour = QColor.fromHslF(max(hue, 0.0), saturation, lightness)
    return colour


def mixed(colour: QColor, ground: QColor, share: float) -> QColor:
    """`share` of a colour over a ground, opaque."""
    channels = zip(_channels(colour), _channels(ground), strict=True)
    return QColor.fromRgbF(*(front * share + back * (1 - share) for front, back in channels))


def faded(colour: QColor, alpha: float) -> QColor:
    made = QColor(colour)
    made.setAlphaF(colour.alphaF() * alpha)
    return made


def _channels(colour: QColor) -> tuple[float, float, float]:
    return colour.redF(), colour.greenF(), colour.blueF()


def _luminance(colour: QColor) -> float:
    red, green, blue = (_linear(channel) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.03928 else float(((channel + 0.055) / 1.055) ** 2.4)
