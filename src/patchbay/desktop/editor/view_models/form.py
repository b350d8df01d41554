"""The generated form of the selected step: fields, values, and errors."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject, Signal

from patchbay.desktop.core.execution_labels import humanize_key
from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.view_models.blockers import VALUE_OUT_OF_SCOPE, missing_text, value_problem
from patchbay.desktop.editor.view_models.branches import structure_arguments
from patchbay.desktop.editor.view_models.draft import UndoEntry
from patchbay.desktop.editor.view_models.dynamic_options import LoadedChoices, LoadState
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.variables import ValueCatalog
from patchbay.domain.base import Json, JsonObject, StepId
from patchbay.domain.fields import Argument, ArgumentType, LoaderScopes, Source, is_empty, is_visible
from patchbay.domain.flows import Step, StepChange, StructuralType
from patchbay.domain.variables import references


def dependents(arguments: tuple[Argument, ...], key: str) -> set[str]:
    """Return the fields to clear when `key` changes, including indirect dependents."""
    found: set[str] = set()
    waiting = [key]
    while waiting:
        changed = waiting.pop()
        for item in arguments:
            names = {name.removeprefix("parameters.") for name in item.depends_on}
            if changed in names and item.key not in found and item.key != key:
                found.add(item.key)
                waiting.append(item.key)
    return found


def arguments_from_values(step: Step) -> tuple[Argument, ...]:
    """Return a text field per parameter: third-party servers don't describe their fields."""
    return tuple(
        Argument(
            key=key, label=humanize_key(key), variables=True, multiline=isinstance(value, (str, list, dict))
        )
        for key, value in step.parameters.items()
        if not is_empty(value)
    )


class StepFormModel(QObject):
    """The form of the editor's selected step.

    `rebuilt`: other fields; `value_changed(key)`: a value was changed by something else than its field;
    `errors_changed`; `choices_changed`: run-time options arrived.
    """

    rebuilt = Signal()
    value_changed = Signal(str)
    errors_changed = Signal()
    choices_changed = Signal()
    available_values_changed = Signal()

    def __init__(self, editor: EditorViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._store = editor.choices
        self._shown_signature: tuple[object, ...] = ()
        self._errors: dict[str, str] = {}
        self._reported: dict[str, str] = {}
        """Errors that the workspace found in the values as they are."""
        self.catalog = ValueCatalog()
        self._store.changed.connect(self._on_choices_loaded)
        editor.selected.connect(self._on_step_selected)
        editor.flow_changed.connect(self._on_flow_changed)
        editor.context_changed.connect(self._on_flow_changed)

    # Fields and values

    @property
    def step_id(self) -> StepId | None:
        """The ID of the selected step; None without one."""
        return self._editor.step_id

    @property
    def parameters(self) -> JsonObject:
        """The parameters of the selected step."""
        return dict(self._editor.step.parameters) if self._editor.step else {}

    def value(self, key: str) -> Json:
        """The value of a parameter."""
        return self.parameters.get(key)

    @property
    def all_arguments(self) -> tuple[Argument, ...]:
        """The event's fields, each followed by the further fields it loads."""
        step, event = self._editor.step, self._editor.app_event
        if step is not None and step.structural_type is not StructuralType.SINGLE:
            return structure_arguments(step)
        if event is None and step is not None and self._editor.unavailable_reason is not None:
            return arguments_from_values(step)
        found: list[Argument] = []
        for item in event.arguments if event else ():
            found.append(item)
            if item.additional_fields and not is_empty(self.value(item.key)):
                found.extend(self._store.fields(item.additional_fields, self.scopes()).fields)
        return tuple(found)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Keys of the shown fields."""
        values = self.parameters
        return tuple(item for item in self.all_arguments if is_visible(item, values))

    def argument(self, key: str) -> Argument | None:
        """The argument with this key; None if the event has none."""
        return next((item for item in self.all_arguments if item.key == key), None)

    def extra_fields(self, argument: Argument) -> LoadedChoices | None:
        """Return the loading state of the fields below a dropdown; None if it has none."""
        if argument.additional_fields is None or is_empty(self.value(argument.key)):
            return None
        return self._store.fields(argument.additional_fields, self.scopes())

    def set_value(self, key: str, value: Json, *, immediate: bool = False) -> None:
        """Apply an edit of a field and clear its dependents."""
        parameters = self.parameters
        if parameters.get(key) == value or (is_empty(value) and is_empty(parameters.get(key))):
            return
        cleared = dependents(self.all_arguments, key) & parameters.keys()
        remaining = {name: item for name, item in parameters.items() if name not in cleared}
        if is_empty(value):
            remaining.pop(key, None)
        else:
            remaining[key] = value
        argument = self.argument(key)
        label = tr("edit {field}", "a change", field=argument.label) if argument else tr("edit", "a change")
        merge = None if immediate else (self._editor.step_id, key)
        self._reported.pop(key, None)
        if key in self._errors:
            self._set_error(key, "")
        self._editor.edit(StepChange(parameters=remaining), label=label, merge=merge, immediate=immediate)
        for name in cleared:
            self._set_error(name, "")
            self.value_changed.emit(name)
        self._rebuild_if_needed()
        self.choices_changed.emit()

    def remove_row(self, key: str, remaining_rows: Json) -> None:
        """Remove a row of a field as an undo step of its own, with Undo in a notice."""
        history, step_id, before = self._editor.history, self.step_id, self.value(key)
        previous = history.last
        self.set_value(key, remaining_rows, immediate=True)
        entry = history.last
        if step_id is None or entry is None or entry is previous:
            return
        undo = partial(self._restore_rows, entry, step_id, key, before)
        text = tr("Removed a row from “{field}”", field=self.label_of(key))
        self._editor.services.notices.post(text, undo=undo)

    def _restore_rows(self, entry: UndoEntry, step_id: StepId, key: str, rows: Json) -> None:
        """Undo the removal of a row. Changes of other fields since then are kept."""
        history, flow = self._editor.history, self._editor.flow
        if history.last is entry:
            history.undo_entry(entry)
        elif flow is not None and (step := flow.step(step_id)) is not None:
            change = StepChange(parameters={**step.parameters, key: rows})
            self._editor.edit(change, label=tr("restore row", "a change"), immediate=True, step_id=step_id)
            self.value_changed.emit(key)

    def leave(self, key: str) -> None:
        """Save and validate a field when it loses the focus."""
        self._editor.history.seal()
        if self._editor.draft:
            self._editor.draft.flush()
        self.check(key)

    # Run-time choices

    def scopes(
        self, row: Mapping[str, Json] | None = None, outer: Mapping[str, Json] | None = None
    ) -> LoaderScopes:
        return {"parameters": self.parameters, "fieldsScope": row or {}, "outerScope": outer or row or {}}

    def choices(self, source: Source, scopes: LoaderScopes) -> LoadedChoices:
        return self._store.options(source, scopes)

    def retry_choices(self, source: Source, scopes: LoaderScopes) -> None:
        self._store.retry(source, scopes)

    def label_of(self, key: str) -> str:
        argument = self.argument(key)
        return argument.label if argument else key

    # Errors

    def error(self, key: str) -> str:
        """The error of a field; empty without one."""
        return self._errors.get(key, "")

    def report(self, errors: Mapping[str, str]) -> None:
        """Show the errors that the workspace found, by field, instead of those it found before."""
        before, self._reported = self._reported, dict(errors)
        self._editor.report(errors)
        for key in before.keys() | errors.keys():
            if self._errors.get(key, "") in ("", before.get(key)):
                self._set_error(key, errors.get(key, ""))

    def check(self, key: str) -> bool:
        argument = self.argument(key)
        error = self._problem_with(argument) if argument else ""
        self._set_error(key, error)
        return not error

    def check_all(self) -> str | None:
        """Validate all fields; return the key of the first invalid one."""
        wrong = [item.key for item in self.arguments if not self.check(item.key)]
        return wrong[0] if wrong else None

    def _problem_with(self, argument: Argument) -> str:
        value = self.value(argument.key)
        if is_empty(value):
            return f"{missing_text(argument)}." if argument.required else ""
        usable = self.catalog.usable
        replaced = argument.value_type != "verbatim"
        if replaced and any(item.step_id not in usable for item in references(value)):
            return f"{VALUE_OUT_OF_SCOPE}."
        if problem := value_problem(argument, self.parameters):
            return f"{problem}."
        return self._no_longer_exists(argument, value) or self._reported.get(argument.key, "")

    def _no_longer_exists(self, argument: Argument, value: Json) -> str:
        if argument.type is not ArgumentType.DROPDOWN or argument.variables or argument.source is None:
            return ""
        loaded = self.choices(argument.source, self.scopes())
        known = loaded.state is LoadState.READY and loaded.options
        if known and all(option.value != value for option in loaded.options):
            return tr("“{value}” no longer exists.", value=value)
        return ""

    def _set_error(self, key: str, error: str) -> None:
        if self._errors.get(key, "") != error:
            self._errors[key] = error
            self.errors_changed.emit()

    # Following the editor

    def _on_step_selected(self) -> None:
        self._errors.clear()
        self._reported.clear()
        self._update_catalog()
        self._shown_signature = self._signature()
        self.rebuilt.emit()

    def _on_flow_changed(self) -> None:
        self._update_catalog()
        self._rebuild_if_needed()

    def _update_catalog(self) -> None:
        catalog = self._editor.catalog()
        if catalog != self.catalog:
            self.catalog = catalog
            self.available_values_changed.emit()

    def _on_choices_loaded(self) -> None:
        self._rebuild_if_needed()
        self.choices_changed.emit()

    def _signature(self) -> tuple[object, ...]:
        step = self._editor.step
        return (step.id, step.app_key, step.key, *self.arguments) if step else ()

    def _rebuild_if_needed(self) -> None:
        signature = self._signature()
        if signature != self._shown_signature:
            self._shown_signature = signature
            self.rebuilt.emit()
