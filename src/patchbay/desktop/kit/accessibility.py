"""Accessibility of our own controls: role, name, and value, where Qt would guess.

Qt names a combo box by its value on Unix, and takes every checkable button for a check box. Widgets that know
better use `AccessibleMixin`.
"""

import sys

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface
from PySide6.QtWidgets import QAbstractButton, QAccessibleWidget, QComboBox, QWidget

VALUE_IN_DESCRIPTION = sys.platform not in ("win32", "darwin")
"""AT-SPI supports numeric values only, so a chosen text is reported before the description."""


class AccessibleMixin:
    """Mixin for widgets: the role and value for screen readers."""

    accessible_role = QAccessible.Role.Button

    def accessible_value(self) -> str:
        """The current value; empty for controls without one."""
        return ""

    def announce_value(self) -> None:
        """Announce that the value has changed."""
        if isinstance(self, QWidget):
            for kind in (QAccessible.Event.DescriptionChanged, QAccessible.Event.StateChanged):
                QAccessible.updateAccessibility(QAccessibleEvent(self, kind))


class AccessibleText(AccessibleMixin):
    """Mixin for painted widgets: screen readers get the accessible name as a text. Qt treats a plain widget
    as a container, which they skip.
    """

    accessible_role = QAccessible.Role.StaticText


class _AccessibleInterface(QAccessibleWidget):
    """The accessible side of a `AccessibleMixin` widget."""

    def __init__(self, widget: QWidget, role: QAccessible.Role) -> None:
        super().__init__(widget, role)

    def text(self, kind: QAccessible.Text) -> str:
        widget = self.widget()
        if not isinstance(widget, AccessibleMixin):
            return super().text(kind)
        if kind is QAccessible.Text.Name:
            return widget.accessibleName()
        if kind is QAccessible.Text.Value:
            return widget.accessible_value()
        if kind is QAccessible.Text.Description and VALUE_IN_DESCRIPTION:
            value, description = widget.accessible_value(), widget.accessibleDescription()
            if not widget.isEnabled():
                description = description or widget.toolTip()  # why it can't be used
            return (
                description
                if description.startswith(value)
                else ". ".join(filter(None, (value, description)))
            )
        return super().text(kind)

    def state(self) -> QAccessible.State:
        state, widget = super().state(), self.widget()
        if self.role() is QAccessible.Role.ComboBox:
            state.hasPopup = True
        if isinstance(widget, QAbstractButton) and widget.isCheckable():
            if self.role() is QAccessible.Role.PageTab:
                state.selectable, state.selected = True, widget.isChecked()
            else:
                state.checkable, state.checked = True, widget.isChecked()
        return state

    def actionNames(self) -> list[str]:
        return [self.pressAction(), *super().actionNames()]

    def doAction(self, name: str) -> None:
        widget = self.widget()
        if name != self.pressAction():
            super().doAction(name)
        elif isinstance(widget, QAbstractButton):
            widget.click()
        elif isinstance(widget, QComboBox):
            widget.showPopup()


def _create_interface(key: str, of: QObject) -> QAccessibleInterface | None:
    if isinstance(of, AccessibleMixin) and isinstance(of, QWidget):
        return _AccessibleInterface(of, of.accessible_role)
    return None


def install() -> None:
    """Make Qt use these interfaces; once per process."""
    QAccessible.installFactory(_create_interface)
