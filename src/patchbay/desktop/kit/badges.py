"""Tags and badges: a short text or a number on a tinted background."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from patchbay.desktop.kit.accessibility import AccessibleText
from patchbay.desktop.kit.buttons import paint_box
from patchbay.desktop.kit.mark_painting import Tone, paint_mark
from patchbay.desktop.kit.theme import theme


def tone_colours(tone: Tone) -> tuple[QColor, QColor]:
    """The background and text colours of a tone."""
    tokens = theme().tokens
    return {
        "neutral": (tokens.selected_inactive, tokens.text_secondary),
        "accent": (tokens.accent_soft, tokens.accent_text),
        "success": (tokens.success_soft, tokens.success),
        "warning": (tokens.warning_soft, tokens.warning),
        "failure": (tokens.failure_soft, tokens.failure),
    }[tone]


class Tag(AccessibleText, QWidget):
    """A short text on a tinted background, 18 px high, optionally with an icon."""

    def __init__(
        self, text: str, tone: Tone = "neutral", icon: str | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._text = text
        self._tone = tone
        self._icon = icon
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)
        theme().changed.connect(self.updateGeometry)

    def text(self) -> str:
        """The text of the tag."""
        return self._text

    def set(self, text: str, tone: Tone = "neutral", icon: str | None = None) -> None:
        self._text = text
        self._tone = tone
        self._icon = icon
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(tag_width(self._text, self._icon) + 0.5), theme().px(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_tag(QPainter(self), QRectF(self.rect()), self._text, self._tone, self._icon)


def tag_width(text: str, icon: str | None = None) -> float:
    """The width of a tag in pixels."""
    words = QFontMetricsF(theme().font("caption")).horizontalAdvance(text)
    return words + theme().px(12) + (theme().px(16) if icon else 0)


def paint_tag(
    painter: QPainter, rect: QRectF, text: str, tone: Tone = "neutral", icon: str | None = None
) -> None:
    """Paint a tag in a rectangle of its size; for delegates."""
    current = theme()
    soft, words = tone_colours(tone)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_box(painter, rect, soft, None, radius=4)
    x = rect.x() + current.px(6)
    if icon:
        paint_mark(painter, QRectF(x - 1, rect.y(), current.px(14), rect.height()), icon, words, soft, 12)
        x += current.px(16)
    font = current.font("caption")
    font.setWeight(current.font("medium").weight())
    painter.setFont(font)
    painter.setPen(words)
    painter.drawText(
        QRectF(x, rect.y(), rect.width(), rect.height()), int(Qt.AlignmentFlag.AlignVCenter), text
    )
    painter.restore()


class Badge(AccessibleText, QWidget):
    """A number on a round tinted background; hidden at 0."""

    def __init__(self, count: int = 0, tone: Tone = "failure", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tone: Tone = tone
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.updateGeometry)
        self.set_count(count)

    def set_count(self, count: int, tone: Tone | None = None) -> None:
        """Show a number; hidden at 0."""
        self._count, self._tone = count, tone or self._tone
        self.setAccessibleName(str(count))
        if count <= 0:
            self.hide()
        elif self.parentWidget() is not None:  # without one, showing it would open a window
            self.show()
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(badge_width(self._count)), theme().px(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_badge(QPainter(self), QRectF(self.rect()), self._count, self._tone)


def badge_width(count: int) -> float:
    """The width of a badge in pixels."""
    words = QFontMetricsF(theme().font("caption_strong")).horizontalAdvance(badge_text(count))
    return max(theme().px(18), words + theme().px(10))


def badge_text(count: int) -> str:
    """The text of a badge; “99+” from 100 on."""
    return "99+" if count > 99 else str(count)


def paint_badge(painter: QPainter, rect: QRectF, count: int, tone: Tone = "failure") -> None:
    """Paint a badge with a number."""
    soft, words = tone_colours(tone)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_box(painter, rect, soft, None, radius=9)
    painter.setFont(theme().font("caption_strong"))
    painter.setPen(words)
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), badge_text(count))
    painter.restore()
