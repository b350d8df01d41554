"""Fields: one line of text, search, secrets, choices, and the frame with label, help and error."""

from patchbay.desktop.ui.kit.combo_box import ComboBox
from patchbay.desktop.ui.kit.form_field import EditRow, FormField
from patchbay.desktop.ui.kit.line_edit import LineEdit, mark_invalid
from patchbay.desktop.ui.kit.search_field import SearchField, paint_key_cap
from patchbay.desktop.ui.kit.secret_field import CopyField, SecretField, copy_text

__all__ = [
    "ComboBox",
    "CopyField",
    "EditRow",
    "FormField",
    "LineEdit",
    "SearchField",
    "SecretField",
    "copy_text",
    "mark_invalid",
    "paint_key_cap",
]
