"""Small parts of an app's page: tile, section tabs, rows of flows, triggers and actions."""

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAccessible, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.accessibility import SelfDescribing
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.chips import Tag
from patchbay.desktop.ui.kit.delegates import paint_text
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.icons import paint_app_tile
from patchbay.desktop.ui.kit.marks import flow_word
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.apps import AppInfo, TriggerInfo, TriggerKind
from patchbay.domain.flows import Flow

_KIND_LABELS = {
    TriggerKind.POLLING: "Polls", TriggerKind.WEBHOOK: "Instant", TriggerKind.EVENT: "Instant",
    TriggerKind.SCHEDULE: "Schedule",
}  # fmt: skip


class AppTile(QWidget):
    """The app's glyph on a tile."""

    def __init__(self, size: int = 32, app: AppInfo | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self.setFixedSize(theme().px(size), theme().px(size))

    def set_app(self, app: AppInfo) -> None:
        self._app = app
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_app_tile(QPainter(self), QRectF(self.rect()), self._app)


class SectionTab(SelfDescribing, FocusRinged, QAbstractButton):
    """A tab inside a page: word, number, accent line when chosen."""

    accessible_role = QAccessible.Role.PageTab

    def __init__(self, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label, self._count = label, 0
        self.setText(label)
        self.setAccessibleName(label)
        self.setCheckable(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def set_count(self, number: int) -> None:
        self._count = number
        self.setAccessibleName(f"{self._label}, {number}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        label_width = QFontMetricsF(theme().font("semibold")).horizontalAdvance(self._label)
        number = QFontMetricsF(theme().font("caption")).horizontalAdvance(str(self._count))
        return QSize(round(label_width + number + theme().px(8)), theme().px(34))

    def paintEvent(self, event: QPaintEvent) -> None:
        current, painter, rect = theme(), QPainter(self), QRectF(self.rect())
        chosen = self.isChecked()
        token = "text" if chosen or self.underMouse() else "text_secondary"
        width = paint_text(painter, rect, self._label, "semibold" if chosen else "body", token)
        if self._count:
            count_rect = rect.adjusted(width + current.px(6), 0, 0, 0)
            paint_text(painter, count_rect, str(self._count), "caption", "text_tertiary")
        if chosen:
            painter.fillRect(QRectF(0, rect.bottom() - 2, rect.width(), 2), current.tokens.accent)


def fill_flows(column: QVBoxLayout, flows: tuple[Flow, ...], open_flow: Callable[[str], object]) -> None:
    """Flows that use any connection of the app, each opening its editor."""
    if not flows:
        column.addWidget(
            Label("No flow uses a connection of this app yet.", "body", "text_secondary", wrap=True)
        )
    for flow in flows:
        link = Button(flow.name, "link")
        link.clicked.connect(lambda _=False, key=flow.id: open_flow(key))
        column.addWidget(_row(link, Tag(*flow_word(flow.status))))
    column.addStretch(1)


def fill_events(column: QVBoxLayout, app: AppInfo) -> None:
    """What the app can start and do."""
    for heading, events in (("Triggers", app.triggers or ()), ("Actions", app.actions or ())):
        if events:
            column.addWidget(Label(heading, "caption_strong", "text_tertiary"))
        for event in events:
            parts: list[QWidget] = [Label(event.name, "medium")]
            if isinstance(event, TriggerInfo):
                parts.append(Tag(_KIND_LABELS[event.kind]))
            column.addWidget(_row(*parts))
            if event.description:
                column.addWidget(Label(event.description, "caption", "text_secondary", wrap=True))
    column.addStretch(1)


def _row(*parts: QWidget) -> QWidget:
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(theme().px(8))
    for part in parts:
        row.addWidget(part)
    row.addStretch(1)
    return holder
