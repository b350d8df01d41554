"""The frame of a field: label above, help or error below."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.icons import paint_icon
from patchbay.desktop.ui.kit.line_edit import LineEdit, mark_invalid
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme


class FormField(QWidget):
    """An editor with its label above and help below; an error takes the place of the help."""

    def __init__(
        self,
        label: str,
        editor: QWidget,
        required: bool = False,
        help: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.editor, self._help_text = editor, help
        self._required = required
        self.label = Label(label, "medium")
        self.label.setBuddy(editor)
        self._star = Label("*" if required else "", "medium", "failure")
        if not editor.accessibleName():
            editor.setAccessibleName(label)
        self._below = _Below()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(5))
        head = QHBoxLayout()
        head.setSpacing(theme().px(3))
        head.addWidget(self.label)
        head.addWidget(self._star)
        head.addStretch(1)
        self.head = head
        """More may be added at the right end of the label's line."""
        column.addLayout(head)
        column.addWidget(editor)
        column.addWidget(self._below)
        self.set_error(None)

    @property
    def error(self) -> str | None:
        return self._below.error

    def set_error(self, text: str | None) -> None:
        self._below.show_text(text or self._help_text, is_error=bool(text))
        target = getattr(self.editor, "set_invalid", None)
        if target is not None:
            target(bool(text))
        else:
            mark_invalid(self.editor, bool(text))
        said = ["required"] if self._required else []
        self.editor.setAccessibleDescription(", ".join([*said, *filter(None, [text or self._help_text])]))

    def set_required(self, required: bool) -> None:
        self._required = required
        self._star.setText("*" if required else "")
        self.set_error(self.error)

    def set_help(self, text: str) -> None:
        self._help_text = text
        if self.error is None:
            self.set_error(None)


class EditRow(QWidget):
    """A line edit and its buttons as the editor of a `FormField`; errors outline only the line edit."""

    def __init__(self, edit: LineEdit, *buttons: QWidget) -> None:
        super().__init__()
        self._edit = edit
        self.setFocusProxy(edit)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(8))
        row.addWidget(edit, 1)
        for button in buttons:
            row.addWidget(button)

    def set_invalid(self, invalid: bool) -> None:
        self._edit.set_invalid(invalid)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self._edit.setAccessibleName(name)

    def setAccessibleDescription(self, description: str) -> None:
        super().setAccessibleDescription(description)
        self._edit.setAccessibleDescription(description)


class _Below(QWidget):
    """The line under a field: help in grey, or an error with its mark."""

    def __init__(self) -> None:
        super().__init__()
        self.error: str | None = None
        self._words = Label("", "caption", "text_tertiary", wrap=True)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self._words, 1)

    def show_text(self, text: str, *, is_error: bool) -> None:
        self.error = text if is_error else None
        self._words.setText(text)
        self._words.set_style(color_token="failure" if is_error else "text_tertiary")
        self._row.setContentsMargins(theme().px(19) if is_error else 0, 0, 0, 0)
        self.setVisible(bool(text))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.error:
            rect = QRectF(0, theme().px(1), theme().px(14), theme().px(15))
            paint_icon(QPainter(self), rect, "circle-alert", "failure", 14)
