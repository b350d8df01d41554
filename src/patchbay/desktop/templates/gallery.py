"""The cards of the gallery."""

from typing import Any

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QResizeEvent, QTextLayout
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.kit.buttons import paint_box
from patchbay.desktop.kit.item_views import ITEM_ROLE, Index, paint_app_icons
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.rows_model import RowsModel
from patchbay.desktop.kit.shortcuts import DELETE, OPEN_ENTRY
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.templates.view_models.templates import TemplateCard, TemplatesViewModel

CARD_HEIGHT = 120
GAP = 12
MIN_CARD_WIDTH = 230


class TemplateCardsModel(RowsModel[TemplateCard]):
    """The item model of template cards."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, key=lambda card: card.id)

    def row_of(self, card_id: str) -> int:
        """The row of a template; -1 if it isn't shown."""
        return self.find_row(lambda card: card.id == card_id)

    def value(self, card: TemplateCard, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return card.template.name
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return f"{card.line}. {card.template.description}"
        return None


class CardDelegate(QStyledItemDelegate):
    """Paints a card: apps and category, name, and two lines of description."""

    def __init__(self, parent: QWidget, services: Services) -> None:
        super().__init__(parent)
        self._services = services
        self.size = QSize(MIN_CARD_WIDTH, CARD_HEIGHT)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return self.size

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        card: TemplateCard = index.data(ITEM_ROLE)
        px = theme().px
        box = QRectF(option.rect).adjusted(0, 0, -px(GAP), -px(GAP))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_frame(painter, box, option.state)
        area = box.adjusted(px(15), px(12), -px(15), -px(10))
        icons = QRectF(area.x(), area.y(), area.width(), px(20))
        paint_app_icons(painter, icons, card.app_keys, self._services.apps.get)
        text_line = icons.adjusted(px(74), 0, 0, 0)
        paint_text(painter, text_line, card.line, "caption", "text_secondary", Qt.AlignmentFlag.AlignRight)
        name = QRectF(area.x(), area.y() + px(27), area.width(), px(20))
        paint_text(painter, name, card.template.name, "semibold")
        below = QRectF(area.x(), area.y() + px(49), area.width(), 2 * theme().line("caption") + px(4))
        self._paint_description(painter, below, card)
        painter.restore()

    @staticmethod
    def _paint_frame(painter: QPainter, box: QRectF, state: QStyle.StateFlag) -> None:
        tokens = theme().tokens
        is_hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        fill = tokens.hover if is_hovered else tokens.surface
        if state & QStyle.StateFlag.State_Selected:
            paint_box(painter, box, tokens.accent, None, 8)
            paint_box(painter, box.adjusted(2, 2, -2, -2), tokens.surface, None, 6)
        else:
            paint_box(painter, box, fill, tokens.border, 8)

    @staticmethod
    def _paint_description(painter: QPainter, area: QRectF, card: TemplateCard) -> None:
        text = (
            tr("This version of Patchbay can't read this template.")
            if card.broken
            else card.template.description
        )
        height = theme().line("caption")
        for at, text_line in enumerate(two_lines(text, theme().font("caption"), area.width())):
            line = QRectF(area.x(), area.y() + at * height, area.width(), height)
            paint_text(painter, line, text_line, "caption", "text_secondary")


def two_lines(text: str, font: QFont, width: float) -> tuple[str, ...]:
    """Break text into two lines at a word; the second is elided when painted."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    first = layout.createLine()
    if not first.isValid():
        return ()
    first.setLineWidth(width)
    layout.endLayout()
    end = first.textLength()
    return tuple(part for part in (text[:end].strip(), text[end:].strip()) if part)


class TemplateGallery(QListView):
    """Cards in as many columns as fit. Enter uses the template; Delete deletes a saved one."""

    use_requested = Signal()
    delete_requested = Signal()

    def __init__(self, screen: TemplatesViewModel, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._screen = screen
        self.cards = TemplateCardsModel(self)
        self._delegate = CardDelegate(self, services)
        self.setModel(self.cards)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(tr("Templates"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.doubleClicked.connect(self.use_requested)
        self.selectionModel().currentChanged.connect(self._on_card_selected)
        screen.cards_changed.connect(self._show)
        screen.selection_changed.connect(self._select)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if OPEN_ENTRY.matches(event):
            self.use_requested.emit()
        elif DELETE.matches(event):
            self.delete_requested.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        px = theme().px
        # Room for the scroll bar is always reserved, as in Qt's icon layout.
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent, None, self.verticalScrollBar())
        available_width = self.maximumViewportSize().width() - bar - 1
        columns = max(1, available_width // px(MIN_CARD_WIDTH + GAP))
        self._delegate.size = QSize(available_width // columns, px(CARD_HEIGHT + GAP))
        self.setGridSize(self._delegate.size)
        super().resizeEvent(event)

    def _show(self) -> None:
        self.cards.set_rows(self._screen.shown)
        self.viewport().update()
        self._select()

    def _select(self) -> None:
        row = self.cards.row_of(self._screen.selected)
        index = self.cards.index(row) if row >= 0 else QModelIndex()
        if index.isValid() and not self.selectionModel().isSelected(index):
            self.setCurrentIndex(index)

    def _on_card_selected(self, now: QModelIndex) -> None:
        card = now.data(ITEM_ROLE)
        if card is not None:
            self._screen.select(card.id)
