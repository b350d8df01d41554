"""Keyboard focus: the focus ring, shown after keyboard use, and the Tab order of a window."""

import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QRadioButton, QWidget
from shiboken6 import isValid

from patchbay.desktop.kit.theme import theme

if TYPE_CHECKING:
    _WidgetBase = QWidget
else:
    _WidgetBase = object

QUIET_REASONS = (
    Qt.FocusReason.MouseFocusReason,
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.ActiveWindowFocusReason,
)


class FocusRing(QWidget):
    """An overlay around the control with the focus; one per control, created when first needed."""

    def __init__(self, control: QWidget, *, radius: int, halo: bool = False) -> None:
        super().__init__(control.parentWidget())
        self._control = control
        self._radius = radius
        self._halo = halo
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        control.installEventFilter(self)
        control.destroyed.connect(self.deleteLater)
        self.hide()

    def update_position(self) -> None:
        """Move around the control, on the closest ancestor with enough room."""
        margin = theme().px(2) if self._halo else theme().px(4)
        host = self._control.parentWidget()
        if host is None:
            return
        for _ in range(3):
            host.installEventFilter(self)  # a container may move together with the control
            rect = _ring_rect(self._control, host, margin)
            above = host.parentWidget()
            if host.rect().contains(rect) or host.isWindow() or above is None:
                break
            host = above
        if self.parentWidget() is not host:
            self.setParent(host)
        self.setGeometry(_ring_rect(self._control, host, margin))
        self.show()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Move, QEvent.Type.Resize) and self.isVisible():
            self.update_position()
        elif watched is self._control and event.type() in (QEvent.Type.FocusOut, QEvent.Type.Hide):
            self.hide()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = theme().tokens.focus_halo if self._halo else theme().tokens.focus
        painter.setPen(QPen(colour, theme().px(2)))
        radius = theme().px(self._radius) + theme().px(1 if self._halo else 3)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), radius, radius)


class FocusRinged(_WidgetBase):
    """Mixin for controls: shows the ring if the focus arrives by keyboard or from the program."""

    ring_radius = 6
    ring_halo = False
    _ring: FocusRing | None = None

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring if the focus arrived by keyboard or from the program."""
        super().focusInEvent(event)
        if self.ring_halo or event.reason() not in QUIET_REASONS:
            self.show_ring()

    def show_ring(self) -> None:
        """Show the focus ring, created when first needed."""
        if self._ring is None and self.parentWidget() is not None:
            self._ring = FocusRing(self, radius=self.ring_radius, halo=self.ring_halo)
        if self._ring is not None:
            self._ring.update_position()


def _ring_rect(control: QWidget, host: QWidget, margin: int) -> QRect:
    origin = control.mapTo(host, QPoint(0, 0))
    return QRect(origin, control.size()).adjusted(-margin, -margin, margin, margin)


class ReadingOrder(_WidgetBase):
    """Mixin for windows: Tab and Shift+Tab follow the reading order, not the order of construction.

    If a control with the focus is hidden or disabled, nothing has the focus: Qt would move it to the control
    that was created next. The control gets it back when it can be used again; until then the next Tab
    continues from its position.
    """

    _before_lost: "weakref.ref[QWidget] | None" = None
    _after_lost: "weakref.ref[QWidget] | None" = None
    _focus_return: "_FocusReturn | None" = None

    def focusNextPrevChild(self, next: bool) -> bool:
        """Move the focus to the next control in reading order."""
        here = self.focusWidget()
        if here is not None and not (here.isVisible() and here.isEnabled()):
            self._release_focus(here)
            return True
        stops = reading_order(self)
        if not stops:
            return False
        if here is None:
            here = self._resume_from(next)
        place = stops.index(here) if here in stops else len(stops) - 1 if next else 0
        target = stops[(place + (1 if next else -1)) % len(stops)]
        target.setFocus(Qt.FocusReason.TabFocusReason if next else Qt.FocusReason.BacktabFocusReason)
        return True

    def _release_focus(self, control: QWidget) -> None:
        stops = reading_order(self, include=control)
        place = stops.index(control) if control in stops else -1
        self._before_lost = weakref.ref(stops[place - 1]) if place > 0 else None
        self._after_lost = weakref.ref(stops[place + 1]) if 0 <= place < len(stops) - 1 else None
        ring = control._ring if isinstance(control, FocusRinged) else None
        self._focus_return = _FocusReturn(control, quiet=ring is None or not ring.isVisible())
        control.clearFocus()

    def _resume_from(self, next: bool) -> QWidget | None:
        """The neighbour of the control that lost the focus, in the direction of the Tab key."""
        known = self._before_lost if next else self._after_lost
        self._before_lost = self._after_lost = None
        widget = known() if known is not None else None
        return widget if widget is not None and isValid(widget) else None


class _FocusReturn(QObject):
    """Restores the focus of a control that can be used again, unless something else has it."""

    def __init__(self, control: QWidget, *, quiet: bool) -> None:
        super().__init__(control)
        self._control, self._quiet = control, quiet
        control.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        control = self._control
        if event.type() not in (QEvent.Type.EnabledChange, QEvent.Type.Show):
            return False
        if control.isEnabled() and (control.isVisible() or event.type() is QEvent.Type.Show):
            control.removeEventFilter(self)
            if control.window().focusWidget() is None:
                quiet = Qt.FocusReason.ActiveWindowFocusReason
                control.setFocus(quiet if self._quiet else Qt.FocusReason.OtherFocusReason)
            self.deleteLater()
        return False


def reading_order(area: QWidget, include: QWidget | None = None) -> list[QWidget]:
    """The Tab stops inside `area` in reading order; `include` counts as if it could be used."""
    return [widget for widget in _walk(area, include) if widget is include or _is_stop(widget)]


def _walk(area: QWidget, include: QWidget | None) -> Iterator[QWidget]:
    children = [
        child
        for child in area.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        if not child.isWindow()
        and (child.isVisible() or (include is not None and (child is include or child.isAncestorOf(include))))
    ]
    for child in _sort_by_reading_order(children):
        yield child
        yield from _walk(child, include)


def _sort_by_reading_order(widgets: list[QWidget]) -> list[QWidget]:
    """Siblings in reading order: lines from top to bottom, each from left to right."""
    lines = _groups(widgets, lambda part: (part.y(), part.y() + part.height()))
    if len(lines) > 1:
        return [part for line in lines for part in _sort_by_reading_order(line)]
    columns = _groups(widgets, lambda part: (part.x(), part.x() + part.width()))
    if len(columns) > 1:
        return [part for column in columns for part in _sort_by_reading_order(column)]
    return sorted(widgets, key=lambda part: (part.y(), part.x()))  # they overlap


def _groups(widgets: list[QWidget], extent: Callable[[QWidget], tuple[int, int]]) -> list[list[QWidget]]:
    """Group widgets that overlap on an axis by more than half of the shorter one; groups are sorted by their
    start.
    """
    groups: list[list[QWidget]] = []
    for widget in sorted(widgets, key=extent):
        beside = [group for group in groups if any(_overlap(extent(widget), extent(one)) for one in group)]
        joined = [widget, *(one for group in beside for one in group)]
        groups = [*(group for group in groups if group not in beside), joined]
    return sorted(groups, key=lambda group: min(map(extent, group)))


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return shared * 2 > min(one[1] - one[0], other[1] - other[0])


def _is_stop(widget: QWidget) -> bool:
    """Whether Tab stops at this widget.

    Neither `focusProxy` nor the button group is called: the binding makes the result of such calls a child of
    the callee. A viewport would own the table around it, and the next garbage collection would destroy parts
    of a visible table.
    """
    if not widget.isEnabled() or not widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        return False
    around = widget.parentWidget()
    if isinstance(around, QAbstractSpinBox | QComboBox):  # represented by its text field
        return False
    if isinstance(widget, QRadioButton) and around is not None:  # arrow keys move within the group
        group = around.findChildren(QRadioButton, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return widget is next((radio for radio in group if radio.isChecked()), group[0])
    return True
