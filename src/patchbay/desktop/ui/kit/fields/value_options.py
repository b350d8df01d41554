"""What can be said of one inserted value: what stands in its place when it is empty, and whether as JSON."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.editor_values import ChipText
from patchbay.desktop.ui.kit.buttons import CheckBox
from patchbay.desktop.ui.kit.inputs import FormField, LineEdit
from patchbay.desktop.ui.kit.popups import SHADOW, Popup
from patchbay.desktop.ui.kit.text import ElidedLabel, Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.variables import Reference

WIDTH = 300


class ValueOptions(Popup):
    """Opens at a chip. Each change is announced at once: `changed(reference)`."""

    changed = Signal(object)

    def __init__(self, anchor: QWidget, reference: Reference, chip: ChipText) -> None:
        super().__init__(anchor)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        px = theme().px
        self._reference = reference
        self.default = LineEdit(reference.default or "", "Nothing, with a warning")
        self.default.textEdited.connect(self._set_default)
        self.as_json = CheckBox("Insert as JSON")
        self.as_json.setChecked(reference.as_json)
        self.as_json.setAccessibleDescription("With quotes around text, to stand inside JSON.")
        self.as_json.toggled.connect(self._set_as_json)
        margin = SHADOW + px(14)
        self.body.setContentsMargins(margin, SHADOW + px(12), margin, SHADOW + px(12))
        self.body.setSpacing(px(8))
        self.body.addWidget(ElidedLabel(chip.text, "caption_strong", "text_secondary"))
        self.body.addWidget(FormField("If empty, use", self.default))
        self.body.addWidget(self.as_json)
        self.body.addWidget(
            Label("With quotes around text, to stand inside JSON.", "caption", "text_tertiary")
        )

    def open_at(self, anchor: QWidget) -> None:
        self.setFixedWidth(theme().px(WIDTH) + 2 * SHADOW)
        self.open_under(anchor)
        self.default.setFocus(Qt.FocusReason.PopupFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.close()
        else:
            super().keyPressEvent(event)

    def _set_default(self, text: str) -> None:
        self._change(default=text or None)

    def _set_as_json(self, wanted: bool) -> None:
        self._change(as_json=wanted)

    def _change(self, **parts: str | bool | None) -> None:
        self._reference = self._reference.model_copy(update=parts)
        self.changed.emit(self._reference)
