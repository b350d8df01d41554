"""The generated fields of a step, in a column (short choices two on a line)."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.state.editor_choices import Loading
from patchbay.desktop.state.editor_form import FormModel
from patchbay.desktop.ui.flows.editor.host import FormHost
from patchbay.desktop.ui.kit.fields import FieldEditor, make_editor
from patchbay.desktop.ui.kit.inputs import FormField
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import Json
from patchbay.domain.fields import Argument, ArgumentType

SAVED_IMMEDIATELY = (ArgumentType.DROPDOWN,)
"""Fields whose every change is complete, so that it is saved at once."""


class FormFields(QWidget):
    """Builds and follows the fields of a `FormModel`."""

    def __init__(self, form: FormModel, host: FormHost) -> None:
        super().__init__()
        self._form, self._host = form, host
        self.editors: dict[str, FieldEditor] = {}
        self.frames: dict[str, FormField] = {}
        self._arguments: dict[str, Argument] = {}
        self._step_id: str | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme().px(14))
        form.rebuilt.connect(self.build)
        form.value_changed.connect(self._show_value)
        form.errors_changed.connect(self._show_errors)
        form.choices_changed.connect(self._refresh)
        form.values_in_reach_changed.connect(self._refresh)

    def build(self) -> None:
        """Make the form anew; a field that stays the same keeps its editor and its cursor."""
        arguments = self._form.arguments
        focused = next((key for key, frame in self.frames.items() if _has_focus(frame)), None)
        unchanged = {key: frame for key, frame in self.frames.items() if self._is_unchanged(key, arguments)}
        editors = {key: self.editors[key] for key in unchanged}
        self._clear(set(unchanged))
        self.editors, self.frames = editors, unchanged
        lines = list(_lines(arguments))
        for line in lines:
            for argument in line:
                if argument.key not in self.frames:
                    self._add_editor(argument)
            self._column.addWidget(self._build_line(line))
            for argument in line:
                self._add_loading_note(argument)
        self._arguments = {item.key: item for item in arguments}
        self._step_id = self._form.step_id
        for key in self.editors:
            self._show_value(key)
        self._show_errors()
        if focused in unchanged and focused is not None:
            self.editors[focused].setFocus(Qt.FocusReason.OtherFocusReason)

    def _is_unchanged(self, key: str, arguments: tuple[Argument, ...]) -> bool:
        known = self._arguments.get(key)
        return self._step_id == self._form.step_id and known is not None and known in arguments

    def _clear(self, unchanged: set[str]) -> None:
        for key, frame in self.frames.items():
            if key in unchanged:
                frame.setParent(self)  # out of its line, which goes
        while item := self._column.takeAt(0):
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()

    def _add_editor(self, argument: Argument) -> None:
        editor = make_editor(argument, self._host)
        editor.setAccessibleName(argument.label)
        frame = FormField(argument.label, editor, argument.required, argument.description)
        if not argument.required and argument.type is not ArgumentType.CONDITIONS:
            frame.head.insertWidget(1, Label("optional", "caption", "text_tertiary"))
        editor.changed.connect(partial(self._edited, argument))
        editor.left.connect(partial(self._form.leave, argument.key))
        self.editors[argument.key], self.frames[argument.key] = editor, frame

    def _build_line(self, line: list[Argument]) -> QWidget:
        line_widget = QWidget()
        row = QHBoxLayout(line_widget)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme().px(12))
        for argument in line:
            row.addWidget(self.frames[argument.key], 1, Qt.AlignmentFlag.AlignTop)
            self.frames[argument.key].show()
        return line_widget

    def _add_loading_note(self, argument: Argument) -> None:
        """Below a dropdown that brings further fields: how loading them goes."""
        loaded = self._form.further_fields(argument)
        if loaded is not None and loaded.state is Loading.LOADING:
            self._column.addWidget(Label("Loading further fields", "caption", "text_tertiary"))
        elif loaded is not None and loaded.error is not None:
            text = f"Further fields could not be loaded. {loaded.error.text()}"
            self._column.addWidget(Label(text, "caption", "failure", wrap=True))

    # Following

    def _edited(self, argument: Argument, value: Json) -> None:
        self._form.set_value(
            argument.key, value, at_once=argument.type in SAVED_IMMEDIATELY and not _is_typed(value)
        )

    def _show_value(self, key: str) -> None:
        if editor := self.editors.get(key):
            editor.set_value(self._form.value(key))

    def _show_errors(self) -> None:
        for key, frame in self.frames.items():
            frame.set_error(self._form.error(key) or None)

    def _refresh(self) -> None:
        for editor in self.editors.values():
            editor.refresh()

    def focus(self, key: str) -> bool:
        """Put the cursor into a field."""
        editor = self.editors.get(key)
        if editor is None:
            return False
        editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True


def _has_focus(frame: QWidget) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and frame.isAncestorOf(focus)


def _is_typed(value: Json) -> bool:
    return isinstance(value, str) and "{{" in value


def _lines(arguments: tuple[Argument, ...]) -> list[list[Argument]]:
    """Dropdowns that follow one another stand two on a line."""
    lines: list[list[Argument]] = []
    for argument in arguments:
        is_short = argument.type is ArgumentType.DROPDOWN and not argument.description
        last = lines[-1] if lines else []
        fits_beside = len(last) == 1 and last[0].type is ArgumentType.DROPDOWN and not last[0].description
        if is_short and fits_beside:
            last.append(argument)
        else:
            lines.append([argument])
    return lines
