"""All buttons and switches by one name."""

from patchbay.desktop.ui.kit.button import Button, Kind, Spinner, button_colours, paint_box
from patchbay.desktop.ui.kit.choices import CheckBox, Switch, paint_check, paint_switch
from patchbay.desktop.ui.kit.icon_button import IconButton, SplitButton
from patchbay.desktop.ui.kit.marks import paint_spinner

__all__ = [
    "Button", "CheckBox", "IconButton", "Kind", "Spinner", "SplitButton", "Switch", "button_colours",
    "paint_box", "paint_check", "paint_spinner", "paint_switch",
]  # fmt: skip
