"""The field editor of conditions: groups joined by “or”, each a list of conditions joined by “and”."""

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.condition_labels import UNIT_LABELS
from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.fields.base import FieldEditor, FieldHost
from patchbay.desktop.editor.fields.variable_text import ValueTextField
from patchbay.desktop.editor.view_models.comparisons import (
    ALL_COMPARISONS,
    DEFAULT_UNIT,
    comparison_choices,
    join_span,
    kinds_of_operand,
    split_span,
)
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton
from patchbay.desktop.kit.inputs import ComboBox
from patchbay.desktop.kit.layout import Card
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.toggles import CheckBox
from patchbay.domain.base import Json, JsonObject
from patchbay.domain.clock import now_ms
from patchbay.domain.condition_operators import IGNORING_CASE, OPERATORS, Operand, ValueKind, case_variant
from patchbay.domain.date_parsing import UNITS, Moment
from patchbay.domain.variables import as_text

_PLACEHOLDERS = {
    Operand.LIST: "a, b, c",
    Operand.PATTERN: "^INV-[0-9]+$",
    Operand.DATE: tr("2026-03-31, today, or now", "example; today and now are keywords"),
    Operand.SPAN: "7",
}

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
    """Return the stored form, without groups that have no content.

    An empty condition in another group is kept, so that it is reported.
    """
    kept = [group for group in groups if any(item.get("key") or item.get("value") for item in group)]
    return [{"and": list(group)} for group in kept]


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
                self._column.addWidget(
                    Label(tr("or", "between conditions"), "caption_strong", "text_secondary")
                )
            self._column.addWidget(self._card(group))
        more = Button(tr("Add OR group"), icon="plus", small=True)
        more.clicked.connect(self._add_group)
        self._column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)
        self.setFocusProxy(self._lines[0].key if self._lines else more)

    def _card(self, group: list[JsonObject]) -> QWidget:
        card = Card(padding=10)
        card.fill_token = "sidebar"
        for number, condition in enumerate(group):
            if number:
                card.body.addWidget(
                    Label(tr("and", "between conditions"), "caption_strong", "text_secondary")
                )
            line = _ConditionRow(condition, self._host, self._on_edited)
            line.remove.clicked.connect(lambda _=False, at=number: self._remove(group, at))
            line.key.focus_left.connect(self.focus_left.emit)
            line.value_.focus_left.connect(self.focus_left.emit)
            self._lines.append(line)
            card.body.addWidget(line)
        more = Button(tr("Add AND condition"), "link", "plus")
        more.clicked.connect(lambda: self._add(group))
        card.body.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)
        return card

    def _add(self, group: list[JsonObject]) -> None:
        group.append(dict(EMPTY_CONDITION))
        self._build()
        self._focus(group[-1])
        self._on_edited()

    def _add_group(self) -> None:
        self._groups.append([dict(EMPTY_CONDITION)])
        self._build()
        self._focus(self._groups[-1][-1])

    def _focus(self, condition: JsonObject) -> None:
        line = next(line for line in self._lines if line.condition is condition)
        shown: QWidget | None = line  # layouts show new widgets later, and only visible ones get the focus
        while shown is not None and shown is not self:
            shown.show()
            shown = shown.parentWidget()
        line.key.setFocus(Qt.FocusReason.OtherFocusReason)

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
        self.condition, self._host, self._on_edited = condition, host, edited
        self._kinds: frozenset[ValueKind] = frozenset()
        self._show_all = False
        self._is_updating = False
        self.key = ValueTextField(host, placeholder=tr("Value to check"))
        self.key.setAccessibleName(tr("Value to check"))
        self.key.set_value(condition.get("key"))
        self.operator = ComboBox(tr("Comparison"), large=True)
        self.value_ = ValueTextField(host, placeholder=tr("Compare with"))
        self.value_.setAccessibleName(tr("Compare with"))
        self.unit = ComboBox(tr("Unit of time"), large=True)
        self.unit.set_options([(unit, UNIT_LABELS[unit]) for unit in UNITS])
        self.ignore_case = CheckBox(tr("Ignore case"))
        self.remove = IconButton("x", tr("Remove condition"), small=True)
        vbox(
            self.key,
            hbox(self.operator, (self.value_, 1), self.unit, self.remove, spacing=6),
            (self.ignore_case, 0, Qt.AlignmentFlag.AlignLeft),
            parent=self,
            spacing=6,
        )
        self._show_condition()
        self.key.changed.connect(self._on_key_edited)
        self.operator.value_changed.connect(self._on_operator_chosen)
        self.value_.changed.connect(lambda _: self._store_value())
        self.unit.value_changed.connect(lambda _: self._store_value())
        self.ignore_case.clicked.connect(lambda _: self._store_operator(self.operator.value()))

    def refresh(self) -> None:
        self.key.refresh()
        self.value_.refresh()
        self._update_choices()

    def _show_condition(self) -> None:
        """Show the stored condition in the editors."""
        stored = as_text(self.condition.get("operator")) or "equal"
        self._update_choices()
        self.operator.set_value(stored.removesuffix(IGNORING_CASE))
        self.ignore_case.setChecked(stored.endswith(IGNORING_CASE))
        value = as_text(self.condition.get("value"))
        number, unit = split_span(value) if self._operand is Operand.SPAN else (value, DEFAULT_UNIT)
        self.value_.set_value(number)
        self.unit.set_value(unit)
        self._show_operand()

    @property
    def _operand(self) -> Operand:
        operator = OPERATORS.get(as_text(self.condition.get("operator")))
        return operator.operand if operator else Operand.VALUE

    def _show_operand(self) -> None:
        """Show the editors that the comparison needs: a unary one has no second operand."""
        operand, key = self._operand, as_text(self.condition.get("operator"))
        self.value_.setVisible(operand is not Operand.NONE)
        self.value_.edit.setPlaceholderText(_PLACEHOLDERS.get(operand, tr("Compare with")))
        self.unit.setVisible(operand is Operand.SPAN)
        self.ignore_case.setVisible(case_variant(key, ignoring_case=True) is not None)

    def _update_choices(self) -> None:
        """Offer the comparisons that suit the sample of the value to check."""
        chosen = as_text(self.condition.get("operator") or "equal").removesuffix(IGNORING_CASE)
        moment = Moment(now_ms())
        kinds = kinds_of_operand(self.condition.get("key"), self._host.catalog, moment)
        if kinds != self._kinds:
            self._kinds, self._show_all = kinds, False
        self._is_updating = True
        self.operator.set_options(comparison_choices(self._kinds, chosen, show_all=self._show_all))
        self.operator.set_value(chosen)
        self._is_updating = False

    def _on_key_edited(self, text: str) -> None:
        self.condition["key"] = text
        self._update_choices()
        self._on_edited()

    def _on_operator_chosen(self, key: str) -> None:
        if self._is_updating:
            return
        if key == ALL_COMPARISONS:
            self._show_all = True
            self._update_choices()
            QTimer.singleShot(0, self.operator, self.operator.showPopup)
            return
        self._store_operator(key)

    def _store_operator(self, key: str) -> None:
        variant = case_variant(key, ignoring_case=self.ignore_case.isChecked())
        self.condition["operator"] = variant or key
        self._show_operand()
        self._store_value()

    def _store_value(self) -> None:
        """Store the second operand; a unary comparison has none, but the editor keeps its text."""
        text, operand = as_text(self.value_.value()), self._operand
        if operand is Operand.SPAN:
            text = join_span(text, self.unit.value())
        self.condition["value"] = "" if operand is Operand.NONE else text
        self._on_edited()
