"""Field editors made of rows: key-value rows, and the conditions of a filter."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.editor.fields.base import FieldEditor, FieldHost, Row
from patchbay.desktop.editor.fields.choice import ChoiceField
from patchbay.desktop.editor.fields.variable_text import ValueTextField
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton
from patchbay.desktop.kit.inputs import ComboBox
from patchbay.desktop.kit.layout import Card
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import Json, JsonObject
from patchbay.domain.conditions import OPERATORS
from patchbay.domain.fields import Argument, defaults, is_visible

MakeEditor = Callable[[Argument, FieldHost, Row | None], FieldEditor]

MAX_SIDE_BY_SIDE = 2
"""Rows with up to this many fields fit on one line."""


class RowsField(FieldEditor):
    """The editor of a `dynamic` argument; its value is a list of objects, one per row."""

    accepts_values = False

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
        self._drop(row)
        self._on_edited()
        self.focus_left.emit()
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
        self.remove = IconButton("x", f"Remove row from {argument.label}", small=True)
        inline = len(argument.fields) <= MAX_SIDE_BY_SIDE
        inner = QHBoxLayout() if inline else QVBoxLayout()
        inner.setSpacing(theme().px(8))
        for field in argument.fields:
            inner.addWidget(self._holder(field, host, make, labelled=first or not inline), 1)
        hbox(
            (inner, 1),
            (self.remove, 0, Qt.AlignmentFlag.AlignBottom if inline else Qt.AlignmentFlag.AlignTop),
            parent=self,
            spacing=8,
        )

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


# Conditions

EMPTY_CONDITION: JsonObject = {"key": "", "operator": "equal", "value": ""}

Groups = list[list[JsonObject]]


def parse_groups(value: Json) -> Groups:
    """Return the groups of conditions in a stored value; at least one condition."""
    found = value.get("or") if isinstance(value, dict) else value
    groups: Groups = []
    for group in found if isinstance(found, list) else []:
        inside = group.get("and") if isinstance(group, dict) else None
        if isinstance(inside, list):
            groups.append([dict(item) for item in inside if isinstance(item, dict)])
    groups = [group for group in groups if group]
    return groups or [[dict(EMPTY_CONDITION)]]


def serialize_groups(groups: Groups) -> Json:
    """Return the stored form; None if no condition has content."""
    kept = [[item for item in group if item.get("key") or item.get("value")] for group in groups]
    return [{"and": list(group)} for group in kept if group]


class ConditionsField(FieldEditor):
    """Edits AND/OR conditions: a value, a comparison, and what to compare with."""

    def __init__(self, host: FieldHost) -> None:
        super().__init__()
        self._host = host
        self._groups: Groups = [[dict(EMPTY_CONDITION)]]
        self._lines: list[_ConditionRow] = []
        self._column = vbox(parent=self, spacing=8)
        self._build()

    def value(self) -> Json:
        return serialize_groups(self._groups)

    def set_value(self, value: Json) -> None:
        groups = parse_groups(value)
        if groups != self._groups and serialize_groups(groups) != serialize_groups(self._groups):
            self._groups = groups
            self._build()

    def refresh(self) -> None:
        for line in self._lines:
            line.refresh()

    @property
    def lines(self) -> list["_ConditionRow"]:
        """The rows of conditions, in order."""
        return self._lines

    # Building

    def _build(self) -> None:
        while item := self._column.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self._lines = []
        for number, group in enumerate(self._groups):
            if number:
                self._column.addWidget(Label("or", "caption_strong", "text_secondary"))
            self._column.addWidget(self._card(group))
        more = Button("Add OR group", icon="plus", small=True)
        more.clicked.connect(self._add_group)
        self._column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)
        self.setFocusProxy(self._lines[0].key if self._lines else more)

    def _card(self, group: list[JsonObject]) -> QWidget:
        card = Card(padding=10)
        card.fill_token = "sidebar"
        for number, condition in enumerate(group):
            if number:
                card.body.addWidget(Label("and", "caption_strong", "text_secondary"))
            line = _ConditionRow(condition, self._host, self._on_edited)
            line.remove.clicked.connect(lambda _=False, at=number: self._remove(group, at))
            line.key.focus_left.connect(self.focus_left.emit)
            line.value_.focus_left.connect(self.focus_left.emit)
            self._lines.append(line)
            card.body.addWidget(line)
        more = Button("Add AND condition", "link", "plus")
        more.clicked.connect(lambda: self._add(group))
        card.body.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)
        return card

    def _add(self, group: list[JsonObject]) -> None:
        group.append(dict(EMPTY_CONDITION))
        self._build()

    def _add_group(self) -> None:
        self._groups.append([dict(EMPTY_CONDITION)])
        self._build()

    def _remove(self, group: list[JsonObject], at: int) -> None:
        del group[at]
        self._groups = [item for item in self._groups if item] or [[dict(EMPTY_CONDITION)]]
        self._build()
        self._on_edited()
        self.focus_left.emit()

    def _on_edited(self) -> None:
        self.changed.emit(self.value())


class _ConditionRow(QWidget):
    """The editors of one condition."""

    def __init__(self, condition: JsonObject, host: FieldHost, edited: Callable[[], None]) -> None:
        super().__init__()
        self._condition, self._on_edited = condition, edited
        self.key = ValueTextField(host, placeholder="Value to check")
        self.key.setAccessibleName("Value to check")
        self.key.set_value(condition.get("key"))
        self.operator = ComboBox("Comparison")
        self.operator.set_options(list(OPERATORS.items()))
        self.operator.set_value(condition.get("operator") or "equal")
        self.value_ = ValueTextField(host, placeholder="Compare with")
        self.value_.setAccessibleName("Compare with")
        self.value_.set_value(condition.get("value"))
        self.remove = IconButton("x", "Remove condition", small=True)
        self.key.changed.connect(lambda text: self._set("key", text))
        self.operator.value_changed.connect(lambda chosen: self._set("operator", chosen))
        self.value_.changed.connect(lambda text: self._set("value", text))
        vbox(self.key, hbox(self.operator, (self.value_, 1), self.remove, spacing=6), parent=self, spacing=6)

    def refresh(self) -> None:
        self.key.refresh()
        self.value_.refresh()

    def _set(self, name: str, value: str) -> None:
        self._condition[name] = value
        self._on_edited()
