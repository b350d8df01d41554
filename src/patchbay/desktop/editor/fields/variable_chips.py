"""Variables inside text: chips are measured and painted here, and converted from and to tokens."""

from collections.abc import Callable

from PySide6.QtCore import QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPen,
    QPyTextObject,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFragment,
)

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.view_models.variables import ChipText
from patchbay.desktop.kit.icons import paint_app, paint_icon
from patchbay.desktop.kit.theme import theme
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey
from patchbay.domain.variables import Reference, split

CHIP = QTextFormat.ObjectTypes.UserObject + 1
TOKEN = QTextFormat.Property.UserProperty + 1
OBJECT = "\ufffc"
HEIGHT, GAP = 20, 2
MAX_DEFAULT_LENGTH = 20

Describe = Callable[[Reference], ChipText]
FindApp = Callable[[AppKey | None], AppInfo | None]


class ChipObject(QPyTextObject):
    """Paints a variable as a chip with its app icon; broken ones in the failure colour."""

    def __init__(self, document: QTextDocument, describe: Describe, find_app: FindApp) -> None:
        super().__init__(document)
        self.describe, self._find_app = describe, find_app
        self.max_width = 400.0
        """Maximum width of a chip; longer text is elided."""

    def intrinsicSize(self, doc: QTextDocument, posInDocument: int, format: QTextFormat) -> QSizeF:  # noqa: N803
        chip, modifiers = self._chip(format), _modifiers(format)
        words = QFontMetricsF(_font()).horizontalAdvance(chip.text) + _width(modifiers)
        width = min(words + theme().px(33), self.max_width)
        return QSizeF(width + theme().px(2 * GAP), theme().px(HEIGHT + 3))

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,
        posInDocument: int,  # noqa: N803
        format: QTextFormat,
    ) -> None:
        chip = self._chip(format)
        px, tokens = theme().px, theme().tokens
        top = QRectF(rect).bottom() - px(HEIGHT) + 1
        box = QRectF(rect.x() + px(GAP), top, rect.width() - px(2 * GAP), px(HEIGHT))
        fill = tokens.failure_soft if chip.broken else tokens.accent_soft
        line = tokens.failure_border if chip.broken else tokens.accent_border
        words = tokens.failure if chip.broken else tokens.accent_text
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(line, 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), px(4), px(4))
        self._mark(painter, QRectF(box.x() + px(6), box.y(), px(14), box.height()), chip, words)
        painter.setPen(words)
        _paint_words(painter, box.adjusted(px(24), 0, -px(5), 0), chip.text, _modifiers(format))
        painter.restore()

    def words(self, reference: Reference) -> str:
        """Return the full text of a chip."""
        return self.describe(reference).text + modifiers_text(reference)

    def _mark(self, painter: QPainter, rect: QRectF, chip: ChipText, colour: QColor) -> None:
        app = self._find_app(chip.app_key) if not chip.broken else None
        if app is not None:
            paint_app(painter, rect, app, 14)
        else:
            paint_icon(painter, rect, "circle-alert" if chip.broken else "braces", colour, 14)

    def _chip(self, found: QTextFormat) -> ChipText:
        reference = reference_of(str(found.property(int(TOKEN)) or ""))
        return self.describe(reference) if reference else ChipText("?", broken=True)


def _paint_words(painter: QPainter, area: QRectF, text: str, modifiers: str) -> None:
    """Return the chip's parts: elided name, and modifiers in a lighter font."""
    metrics, flags = QFontMetricsF(_font()), int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
    shown = metrics.elidedText(
        text, Qt.TextElideMode.ElideMiddle, max(0.0, area.width() + 1 - _width(modifiers))
    )
    painter.setFont(_font())
    painter.drawText(area, flags, shown)
    painter.setFont(theme().font("caption"))
    painter.drawText(area.adjusted(metrics.horizontalAdvance(shown), 0, 0, 0), flags, modifiers)


def _width(modifiers: str) -> float:
    return QFontMetricsF(theme().font("caption")).horizontalAdvance(modifiers)


def _modifiers(found: QTextFormat) -> str:
    reference = reference_of(str(found.property(int(TOKEN)) or ""))
    return modifiers_text(reference) if reference else ""


def modifiers_text(reference: Reference) -> str:
    """Return the modifiers of a chip, such as " or “none” as JSON"."""
    default = reference.default
    short = (
        default
        if default is None or len(default) <= MAX_DEFAULT_LENGTH
        else default[:MAX_DEFAULT_LENGTH] + "…"
    )
    words = ""
    if short is not None:
        words = tr("or “{value}”", "a fallback value", value=short) if short else tr("or empty")
    parts = (words.replace("\n", " "), tr("as JSON") if reference.as_json else "")
    return "".join(f" {part}" for part in parts if part)


def _font() -> QFont:
    font = theme().font("caption")
    font.setWeight(theme().font("medium").weight())
    return font


def reference_of(token: str) -> Reference | None:
    """Parse a token into a reference."""
    return next((piece for piece in split(token) if isinstance(piece, Reference)), None)


def insert_text(cursor: QTextCursor, text: str) -> None:
    """Insert stored text; tokens become chips."""
    plain = QTextCharFormat()
    cursor.beginEditBlock()
    for piece in split(text):
        if isinstance(piece, Reference):
            cursor.insertText(OBJECT, chip_format(piece))
            cursor.setCharFormat(plain)
        else:
            cursor.insertText(piece, plain)
    cursor.endEditBlock()


def chip_format(reference: Reference) -> QTextCharFormat:
    """The text format that represents a variable in the document."""
    made = QTextCharFormat()
    made.setObjectType(int(CHIP))
    made.setProperty(int(TOKEN), reference.token)
    made.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignBaseline)
    return made


def chip_at(document: QTextDocument, position: int) -> tuple[int, Reference] | None:
    """Return position and reference of the chip before the cursor, or else after it."""
    for start in (position - 1, position):
        if start >= 0 and document.characterAt(start) == OBJECT:
            cursor = QTextCursor(document)
            cursor.setPosition(start + 1)
            if reference := reference_of(str(cursor.charFormat().property(int(TOKEN)) or "")):
                return start, reference
    return None


def stored_text(document: QTextDocument, start: int = 0, end: int | None = None) -> str:
    """Return a part of the document as stored text; chips become tokens."""
    stop = document.characterCount() - 1 if end is None else end
    parts: list[str] = []
    block = document.findBlock(start)
    while block.isValid() and block.position() < max(stop, 1):
        for fragment in _fragments(block):
            first = max(start, fragment.position()) - fragment.position()
            last = min(stop, fragment.position() + fragment.length()) - fragment.position()
            if last > first:
                token = str(fragment.charFormat().property(int(TOKEN)) or "")
                piece = fragment.text()[first:last]
                parts.append(piece.replace(OBJECT, token) if token else piece)
        block_end = block.position() + block.length()
        if block_end <= stop:
            parts.append("\n")
        block = block.next()
    return "".join(parts).replace("\u2028", "\n").replace("\u00a0", " ")


def _fragments(block: QTextBlock) -> list[QTextFragment]:
    found = []
    iterator = block.begin()
    while not iterator.atEnd():
        if iterator.fragment().isValid():
            found.append(iterator.fragment())
        iterator += 1
    return found
