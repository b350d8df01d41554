"""Controls that can't be used now say why."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.ui.kit.icon_button import IconButton
from patchbay.desktop.ui.kit.text import plain_tip

_REASON = "disabledFor"


def set_available(control: QWidget, reason: str | None, tip: str = "") -> None:
    """Enable a control, or disable it for this reason.

    Its tooltip is the reason, or `tip` while it is enabled; that of an icon button is its name if no other is
    given. Screen readers read the tooltip as the description of a control that has no other.
    """
    control.setEnabled(reason is None)
    control.setToolTip(plain_tip(reason or tip or _own_tip(control)))


def set_area_available(area: QWidget, reason: str | None) -> None:
    """Enable an area, or disable it for this reason, the tooltip of all controls in it that have no other."""
    before = plain_tip(area.property(_REASON) or "")
    area.setProperty(_REASON, reason)
    area.setEnabled(reason is None)
    for control in (area, *area.findChildren(QWidget)):
        own = _own_tip(control)
        mine = ("", plain_tip(own), before)
        if control.focusPolicy() is not Qt.FocusPolicy.NoFocus and control.toolTip() in mine:
            control.setToolTip(plain_tip(reason or own))


def _own_tip(control: QWidget) -> str:
    return control.accessibleName() if isinstance(control, IconButton) else ""
