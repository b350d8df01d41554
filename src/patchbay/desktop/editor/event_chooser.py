"""The chooser of a step's app and event: grouped by app, searchable."""

from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.names import best_match
from patchbay.desktop.editor.view_models.event_catalog import EventCatalog, EventChoice
from patchbay.desktop.kit.badges import paint_tag, tag_width
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.icons import paint_app
from patchbay.desktop.kit.item_views import Index, store_value, stored_value
from patchbay.desktop.kit.layout import surface
from patchbay.desktop.kit.line_edit import SearchField
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey
from patchbay.domain.flows import StepType

APP_ROLE = Qt.ItemDataRole.UserRole + 1
EVENT_ROLE = Qt.ItemDataRole.UserRole + 2


class EventChooser(QWidget):
    """`chosen(app key, event key)`; `cancelled` when the step keeps what it has."""

    chosen = Signal(str, str)
    cancelled = Signal()

    def __init__(self, catalog: EventCatalog) -> None:
        super().__init__()
        surface(self, "surface")
        self._catalog = catalog
        self._kind = StepType.ACTION
        self._current: tuple[str | None, str | None] = (None, None)
        self._has_moved = False
        self.title = Label("", "title")
        self._explanation = Label("", "body", "text_secondary", wrap=True)
        self.cancel = Button(tr("Cancel"), small=True)
        self.cancel.clicked.connect(self.cancelled)
        self.search = SearchField(tr("Search apps and events"))
        self.search.text_changed.connect(lambda _: self._search())
        self.search.installEventFilter(self)
        self.model = QStandardItemModel(self)
        self.view = QListView()
        self.view.setModel(self.model)
        self.view.setItemDelegate(_EventDelegate(self.view))
        self.view.setMouseTracking(True)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.view.setAccessibleName(tr("Apps and events"))
        self.view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.view.clicked.connect(self._choose)
        self.view.installEventFilter(self)
        self._state = Label("", "body", "text_secondary", wrap=True)
        vbox(
            hbox((self.title, 1), self.cancel),
            self._explanation,
            self.search,
            self._state,
            (self.view, 1),
            parent=self,
            margins=(20, 16, 20, 0),
            spacing=8,
        )
        catalog.changed.connect(self._changed)

    def show_for(self, kind: StepType, app_key: AppKey | None, event_key: str | None) -> None:
        """Offer triggers or actions; the current event is marked and can be kept."""
        self._kind, self._current = kind, (app_key, event_key)
        trigger = kind is StepType.TRIGGER
        self.title.setText(tr("What starts this flow?") if trigger else tr("What should this step do?"))
        self._explanation.setText(
            tr("Choose an event. The flow runs each time it happens.")
            if trigger
            else tr("Choose an action. It can use variables from earlier steps.")
        )
        self.cancel.setVisible(event_key is not None)
        self.search.clear()
        self._catalog.load()
        self._search()

    def _changed(self) -> None:
        if self.isVisible():
            self._fill()

    def _search(self) -> None:
        """Apply the search text and highlight the best match."""
        self._has_moved = False
        self._fill()

    def _fill(self) -> None:
        previous = stored_value(self.view.currentIndex(), EVENT_ROLE) if self._has_moved else None
        self.model.clear()
        for group in self._catalog.groups(self._kind, self.search.text()):
            self.model.appendRow(_app_item(group.app))
            for event in group.events:
                self.model.appendRow(_event(group.app, event))
        self._select(previous)
        text = ""
        if self._catalog.error is not None:
            text = self._catalog.error.text()
        elif not self.model.rowCount():
            text = (
                tr("Loading apps")
                if self._catalog.loading
                else tr("No app or event matches “{query}”.", query=self.search.text())
            )
        self._state.setText(text)
        self._state.setVisible(bool(text))

    def _select(self, previous: Any) -> None:
        """Return the row to highlight: the one moved to, the best match, the current event, or the first."""
        rows = [self.model.index(row, 0) for row in range(self.model.rowCount())]
        events = [index for index in rows if isinstance(stored_value(index, EVENT_ROLE), EventChoice)]
        chosen = next((index for index in events if stored_value(index, EVENT_ROLE) == previous), None)
        if chosen is None and self.search.text():
            best = best_match(self.search.text(), [_search_names(index) for index in events])
            chosen = None if best is None else events[best]
        chosen = chosen or next((index for index in events if self._is_current(index)), None)
        if chosen is not None:
            self.view.setCurrentIndex(chosen)
            self.view.scrollTo(chosen)
        elif events:
            self.view.setCurrentIndex(events[0])
            self.view.scrollToTop()

    def _is_current(self, index: QModelIndex) -> bool:
        app, event = stored_value(index, APP_ROLE), stored_value(index, EVENT_ROLE)
        return (app.key, event.key) == self._current

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.view.currentIndex())
            return True
        if key == Qt.Key.Key_Escape and not self.search.text() and self.cancel.isVisible():
            self.cancelled.emit()
            return True
        if watched is self.search and key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self._move_highlight(1 if key == Qt.Key.Key_Down else -1)
            return True
        return False

    def _move_highlight(self, by: int) -> None:
        row = self.view.currentIndex().row() + by
        while 0 <= row < self.model.rowCount():
            index = self.model.index(row, 0)
            if isinstance(stored_value(index, EVENT_ROLE), EventChoice):
                self._has_moved = True
                self.view.setCurrentIndex(index)
                return
            row += by

    def _choose(self, index: QModelIndex) -> None:
        app, event = stored_value(index, APP_ROLE), stored_value(index, EVENT_ROLE)
        if isinstance(app, AppInfo) and isinstance(event, EventChoice):
            self.chosen.emit(app.key, event.key)


def _search_names(index: QModelIndex) -> tuple[str, ...]:
    """Return the texts an event is searched by."""
    app, event = stored_value(index, APP_ROLE), stored_value(index, EVENT_ROLE)
    return event.name, app.name, f"{app.name} {event.name}"


def _app_item(app: AppInfo) -> QStandardItem:
    item = QStandardItem(app.name)
    store_value(item, app, APP_ROLE)
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    return item


def _event(app: AppInfo, event: EventChoice) -> QStandardItem:
    item = QStandardItem(event.name)
    store_value(item, app, APP_ROLE)
    store_value(item, event, EVENT_ROLE)
    item.setData(f"{app.name}, {event.name}. {event.description}", Qt.ItemDataRole.AccessibleTextRole)
    item.setEditable(False)
    return item


class _EventDelegate(QStyledItemDelegate):
    """A line per app, and two lines per event."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        described = getattr(stored_value(index, EVENT_ROLE), "description", None)
        height = 34 if described is None else 46 if described else 32
        return QSize(theme().px(200), theme().px(height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        shown: Any = option
        rect = QRectF(shown.rect)
        px = theme().px
        tokens = theme().tokens
        app, event = stored_value(index, APP_ROLE), stored_value(index, EVENT_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(event, EventChoice):
            is_hovered = bool(shown.state & QStyle.StateFlag.State_MouseOver)
            if shown.state & QStyle.StateFlag.State_Selected or is_hovered:
                painter.setPen(tokens.selected)
                painter.setBrush(
                    tokens.selected if shown.state & QStyle.StateFlag.State_Selected else tokens.hover
                )
                painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), px(6), px(6))
            self._event(painter, rect, event)
        elif isinstance(app, AppInfo):
            glyph = QRectF(rect.x() + px(8), rect.y() + px(6), px(16), rect.height() - px(6))
            paint_app(painter, glyph, app, 16)
            text = QRectF(rect.x() + px(32), rect.y() + px(6), rect.width() - px(40), rect.height() - px(6))
            paint_text(painter, text, app.name, "semibold")
        painter.restore()

    def _event(self, painter: QPainter, rect: QRectF, event: EventChoice) -> None:
        px = theme().px
        x, width = rect.x() + px(32), rect.width() - px(44)
        first = QRectF(x, rect.y() + px(5), width, px(18))
        if not event.description:
            first = QRectF(x, rect.y(), width, rect.height())
        name_width = paint_text(painter, first, event.name, "medium")
        if event.tag:
            tag = QRectF(x + name_width + px(8), first.center().y() - px(9), tag_width(event.tag), px(18))
            paint_tag(painter, tag, event.tag, "accent")
        second = QRectF(x, rect.y() + px(23), width, px(16))
        paint_text(painter, second, event.description, "caption", "text_secondary")
