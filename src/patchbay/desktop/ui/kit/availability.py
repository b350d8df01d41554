"""Controls that can't be used now say why."""

from PySide6.QtWidgets import QWidget

from patchbay.desktop.ui.kit.text import plain_tip


def set_available(control: QWidget, reason: str | None, tip: str = "") -> None:
    """Enable a control, or disable it for this reason. Its tooltip is the reason, or `tip` while enabled.

    Screen readers read the tooltip as the description of a control that has no other.
    """
    control.setEnabled(reason is None)
    control.setToolTip(plain_tip(reason or tip))
