"""The field editor made of key-value rows."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.fields.base import FieldEditor, FieldHost, Row
from patchbay.desktop.editor.fields.choice import ChoiceField
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import Argument, defaults, is_visible

MakeEditor = Callable[[Argument, FieldHost, Row | None], FieldEditor]

MAX_SIDE_BY_SIDE = 2
"""Rows with up to this many fields fit on one line."""


class RowsField(FieldEditor):
    """The editor of a `dynamic` argument; its value is a list of objects, one per row."""

    accepts_values = False
    row_removed = Signal(object)
    """A row was removed by its button; carries the value that is left. Emitted before `changed`."""

    def __init__(self, argument: Argument, host: FieldHost, make: MakeEditor) -> None:
        super().__init__()
        self._argument = argument
        self._host = host
        self._make = make
        self._rows: list[_RowEditor] = []
        self._column = vbox(parent=self, spacing=8)
        self.add = Button(argument.add_button_label, icon="plus", small=True)
        self.add.clicked.connect(self._add_row)
        self.setFocusProxy(self.add)
        self._column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)

    @property
    def rows(self) -> list["_RowEditor"]:
        """The editors of the rows, in order."""
        return self._rows

    def value(self) -> Json:
        return [row.value() for row in self._rows]

    def set_value(self, value: Json) -> None:
        wanted = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
        while len(self._rows) > len(wanted):
            self._drop(self._rows[-1])
        while len(self._rows) < len(wanted):
            self._append({})
        for row, item in zip(self._rows, wanted, strict=True):
            row.set_value(item)

    def refresh(self) -> None:
        for row in self._rows:
            row.refresh()

    def _append(self, value: JsonObject) -> "_RowEditor":
        row = _RowEditor(self._argument, self._host, self._make, first=not self._rows)
        row.set_value(value)
        row.on_change = self._on_edited
        row.remove.clicked.connect(lambda: self._remove(row))
        for editor in row.editors.values():
            editor.focus_left.connect(self.focus_left.emit)
        self._column.insertWidget(len(self._rows), row)
        self._rows.append(row)
        return row

    def _add_row(self) -> None:
        row = self._append(defaults(self._argument.fields))
        self._on_edited()
        first = next(iter(row.editors.values()), None)
        if first is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _remove(self, row: "_RowEditor") -> None:
        at = self._rows.index(row)
        self.focus_left.emit()
        self._drop(row)
        self.row_removed.emit(self.value())
        self._on_edited()
        following = self._rows[min(at, len(self._rows) - 1)].remove if self._rows else self.add
        following.setFocus(Qt.FocusReason.OtherFocusReason)

    def _drop(self, row: "_RowEditor") -> None:
        self._rows.remove(row)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()

    def _on_edited(self) -> None:
        self.changed.emit(self.value())


class _RowEditor(QWidget):
    """The fields of one row and its Remove button."""

    def __init__(self, argument: Argument, host: FieldHost, make: MakeEditor, *, first: bool) -> None:
        super().__init__()
        self._fields = argument.fields
        self._value: JsonObject = {}
        self.on_change: Callable[[], None] = lambda: None
        self.editors: dict[str, FieldEditor] = {}
        self._holders: dict[str, QWidget] = {}
        self.remove = IconButton("x", tr("Remove row from {field}", field=argument.label), small=True)
        inline = len(argument.fields) <= MAX_SIDE_BY_SIDE
        inputs = QWidget()  # as one part of the line, so that Tab reaches the button after all of them
        inner = QHBoxLayout(inputs) if inline else QVBoxLayout(inputs)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(theme().px(8))
        repeats_label = [field.label for field in argument.fields] == [argument.label]
        labelled = (first or not inline) and not repeats_label
        for field in argument.fields:
            inner.addWidget(self._holder(field, host, make, labelled=labelled), 1)
        button_column = vbox(Stretch(), self.remove, 4) if inline else vbox(self.remove, Stretch())
        hbox((inputs, 1), button_column, parent=self, spacing=8)

    def _holder(self, field: Argument, host: FieldHost, make: MakeEditor, *, labelled: bool) -> QWidget:
        editor = make(field, host, self._value)
        editor.setAccessibleName(field.label)
        editor.changed.connect(lambda value, key=field.key: self._set(key, value))
        self.editors[field.key] = editor
        holder = QWidget()
        column = vbox(parent=holder, spacing=3)
        if labelled:
            column.addWidget(
                Label(field.label + (" *" if field.required else ""), "caption", "text_secondary")
            )
        column.addWidget(editor)
        column.addStretch(1)
        self._holders[field.key] = holder
        return holder

    def value(self) -> JsonObject:
        return dict(self._value)

    def set_value(self, value: JsonObject) -> None:
        self._value = dict(value)
        for key, editor in self.editors.items():
            editor.set_value(value.get(key))
        self.refresh()

    def refresh(self) -> None:
        for field in self._fields:
            self._holders[field.key].setVisible(is_visible(field, self._value))
            editor = self.editors[field.key]
            if isinstance(editor, ChoiceField):
                editor.set_row(self._value)
            else:
                editor.refresh()

    def _set(self, key: str, value: Json) -> None:
        self._value[key] = value
        self.refresh()
        self.on_change()
