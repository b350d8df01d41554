"""Names to follow, and the line that tells where an execution came from and what came from it."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from patchbay.desktop.state.executions_reads import Family
from patchbay.desktop.ui.kit.delegates import paint_text
from patchbay.desktop.ui.kit.focus import FocusRinged
from patchbay.desktop.ui.kit.marks import mark_of, paint_state_mark
from patchbay.desktop.ui.kit.text import Label, plain_tip, when
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import EpochMs
from patchbay.domain.executions import Execution, ExecutionState, Origin

ORIGIN_LABELS = {
    Origin.RETRY: "Retry of", Origin.REPLAY: "Run again from", Origin.CALL: "Called by",
    Origin.FAILURE: "Told of the failure of",
}  # fmt: skip
FOLLOWER_LABELS = {
    Origin.RETRY: "Retried", Origin.REPLAY: "Run again", Origin.CALL: "Called", Origin.FAILURE: "Told",
}  # fmt: skip


class NameLink(FocusRinged, QAbstractButton):
    """A name to follow, shortened where there is no room; with a `state` its mark stands before it."""

    ring_radius = 4

    def __init__(self, parent: QWidget | None = None, *, role: str = "medium") -> None:
        super().__init__(parent)
        self._role = role
        self._state: ExecutionState | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_name(self, name: str, accessible: str, state: ExecutionState | None = None) -> None:
        self._state = state
        self.setText(name)
        self.setToolTip(plain_tip(name))
        self.setAccessibleName(accessible)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        text = self.fontMetrics().horizontalAdvance(self.text())
        mark = theme().px(18) if self._state else 0
        return QSize(round(text * 1.06) + theme().px(4) + mark, theme().px(20))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(theme().px(60), self.sizeHint().width()), theme().px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, area = QPainter(self), QRectF(self.rect())
        if self._state is not None:
            paint_state_mark(painter, QRectF(area.x(), 0, theme().px(14), area.height()), self._state, 14)
            area.setLeft(area.x() + theme().px(18))
        paint_text(painter, area, self.text(), self._role, "accent_text")


class RelatedExecutionsView(QWidget):
    """ "Retry of 14:38" and "Retried 14:52, 14:55, all 12"; hidden where there is neither."""

    opened = Signal(str)
    all_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, theme().px(5), 0, 0)
        self._column.setSpacing(0)
        self._shown: tuple[object, ...] = ()
        self.links: list[NameLink] = []
        self.hide()

    def show_family(self, run: Execution, family: Family, now: EpochMs) -> None:
        """Make the lines anew when something about them changed."""
        key = (run.id, run.origin_id, family)
        if key == self._shown:
            return
        self._shown = key
        self._clear()
        if run.origin_id is not None and run.origin_kind is not None:
            self._origin_line(run.origin_kind, family.origin, now)
        by_kind: dict[Origin, list[Execution]] = {}
        for item in family.followers:
            by_kind.setdefault(item.origin_kind or Origin.RETRY, []).append(item)
        for kind, items in by_kind.items():
            more = family.total if items[-1] is family.followers[-1] else 0
            self._follower_line(kind, items, more, len(family.followers), now)
        self.setVisible(bool(self.links) or run.origin_id is not None)

    def _origin_line(self, kind: Origin, origin: Execution | None, now: EpochMs) -> None:
        if origin is None:
            self._line(f"{ORIGIN_LABELS[kind]} an execution that is not kept any more", [])
        else:
            self._line(ORIGIN_LABELS[kind], [self._link(kind, origin, now)])

    def _follower_line(
        self, kind: Origin, items: list[Execution], total: int, shown: int, now: EpochMs
    ) -> None:
        links = [self._link(kind, item, now) for item in items]
        if total > shown:
            links.append(
                self._add_link(f"all {total:,}", "Show all that came from it", self.all_requested.emit)
            )
        self._line(FOLLOWER_LABELS[kind], links)

    def _link(self, kind: Origin, item: Execution, now: EpochMs) -> NameLink:
        at = when(item.created_at, now)
        text = f"{item.flow.name}, {at}" if kind in (Origin.CALL, Origin.FAILURE) else at
        accessible_name = f"Open the execution of {at}, {mark_of(item.state).word}"
        return self._add_link(text, accessible_name, partial(self.opened.emit, item.id), item.state)

    def _add_link(
        self,
        text: str,
        accessible_name: str,
        on_click: Callable[[], object],
        state: ExecutionState | None = None,
    ) -> NameLink:
        link = NameLink(self, role="caption")
        link.set_name(text, accessible_name, state)
        link.clicked.connect(lambda: on_click())
        self.links.append(link)
        return link

    def _line(self, text: str, links: list[NameLink]) -> None:
        row = QHBoxLayout()
        row.setSpacing(theme().px(8))
        row.addWidget(Label(text, "caption", "text_secondary", self))
        for link in links:
            row.addWidget(link)
        row.addStretch(1)
        self._column.addLayout(row)

    def _clear(self) -> None:
        self.links.clear()
        while item := self._column.takeAt(0):
            row = item.layout()
            if row is None:
                continue
            while part := row.takeAt(0):
                if widget := part.widget():
                    widget.hide()
                    widget.deleteLater()
            row.deleteLater()
