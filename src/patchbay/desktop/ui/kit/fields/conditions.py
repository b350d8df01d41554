"""Conditions of a filter: groups joined by "or", conditions within a group joined by "and"."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.buttons import Button, IconButton
from patchbay.desktop.ui.kit.fields.base import FieldEditor, FieldHost
from patchbay.desktop.ui.kit.fields.text_fields import ValueTextField
from patchbay.desktop.ui.kit.inputs import ComboBox
from patchbay.desktop.ui.kit.surface import Card
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.base import Json, JsonObject
from patchbay.domain.conditions import OPERATORS

EMPTY: JsonObject = {"key": "", "operator": "equal", "value": ""}

Groups = list[list[JsonObject]]


def read_groups(value: Json) -> Groups:
    """The groups of conditions in a stored value; always at least one condition."""
    found = value.get("or") if isinstance(value, dict) else value
    groups: Groups = []
    for group in found if isinstance(found, list) else []:
        inside = group.get("and") if isinstance(group, dict) else None
        if isinstance(inside, list):
            groups.append([dict(item) for item in inside if isinstance(item, dict)])
    groups = [group for group in groups if group]
    return groups or [[dict(EMPTY)]]


def write_groups(groups: Groups) -> Json:
    """The stored form; nothing when no condition says anything."""
    kept = [[item for item in group if item.get("key") or item.get("value")] for group in groups]
    return [{"and": list(group)} for group in kept if group]


class ConditionsField(FieldEditor):
    """Edits and/or conditions. Each has a value to look at, a comparison, and what to compare with."""

    def __init__(self, host: FieldHost) -> None:
        super().__init__()
        self._host = host
        self._groups: Groups = [[dict(EMPTY)]]
        self._lines: list[_Line] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme().px(8))
        self._build()

    def value(self) -> Json:
        return write_groups(self._groups)

    def set_value(self, value: Json) -> None:
        groups = read_groups(value)
        if groups != self._groups and write_groups(groups) != write_groups(self._groups):
            self._groups = groups
            self._build()

    def refresh(self) -> None:
        for line in self._lines:
            line.refresh()

    @property
    def lines(self) -> list["_Line"]:
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
        more = Button("Or another group", icon="plus", small=True)
        more.clicked.connect(self._add_group)
        self._column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)
        self.setFocusProxy(self._lines[0].key if self._lines else more)

    def _card(self, group: list[JsonObject]) -> QWidget:
        card = Card(padding=10)
        card.fill_token = "sidebar"
        for number, condition in enumerate(group):
            if number:
                card.body.addWidget(Label("and", "caption_strong", "text_secondary"))
            line = _Line(condition, self._host, self._edited)
            line.remove.clicked.connect(lambda _=False, at=number: self._remove(group, at))
            line.key.left.connect(self.left.emit)
            line.value_.left.connect(self.left.emit)
            self._lines.append(line)
            card.body.addWidget(line)
        more = Button("And another condition", "link", "plus")
        more.clicked.connect(lambda: self._add(group))
        card.body.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)
        return card

    def _add(self, group: list[JsonObject]) -> None:
        group.append(dict(EMPTY))
        self._build()

    def _add_group(self) -> None:
        self._groups.append([dict(EMPTY)])
        self._build()

    def _remove(self, group: list[JsonObject], at: int) -> None:
        del group[at]
        self._groups = [item for item in self._groups if item] or [[dict(EMPTY)]]
        self._build()
        self._edited()
        self.left.emit()

    def _edited(self) -> None:
        self.changed.emit(self.value())


class _Line(QWidget):
    """One condition."""

    def __init__(self, condition: JsonObject, host: FieldHost, edited: Callable[[], None]) -> None:
        super().__init__()
        self._condition, self._edited = condition, edited
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
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(6))
        column.addWidget(self.key)
        row = QHBoxLayout()
        row.setSpacing(theme().px(6))
        row.addWidget(self.operator)
        row.addWidget(self.value_, 1)
        row.addWidget(self.remove)
        column.addLayout(row)

    def refresh(self) -> None:
        self.key.refresh()
        self.value_.refresh()

    def _set(self, name: str, value: str) -> None:
        self._condition[name] = value
        self._edited()
