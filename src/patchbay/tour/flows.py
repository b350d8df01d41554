"""The pictures of this tab for the tour."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from patchbay.desktop.editor.fields.choice import ChoiceField
from patchbay.desktop.editor.fields.variable_text import ValueTextField
from patchbay.domain.flows import Flow, Step, StepType, StructuralType
from patchbay.tour.scene import Scene
from patchbay.tour.step_forms import step_form_scenes

if TYPE_CHECKING:
    from patchbay.desktop.flows.tab import FlowsTab


def flow_scenes(tab: "FlowsTab") -> tuple[Scene, ...]:
    """The list, and the editor with each kind of step, its settings, a paused flow, and publish blockers."""
    return (
        Scene("flows", lambda: _show_list(tab), lambda: _list_ready(tab)),
        Scene(
            "flows-selected",
            lambda: _select_flows(tab),
            lambda: _list_ready(tab),
            leave=tab.list_page.flows.clear_selection,
        ),
        Scene("flow-editor", lambda: _open_flow(tab, active=True), lambda: _editor_ready(tab)),
        Scene(
            "flow-editor-rejected",
            lambda: _open_flow(tab, active=True, last=False),
            lambda: _editor_ready(tab),
        ),
        Scene(
            "flow-editor-values",
            lambda: _open_flow(tab, active=True),
            lambda: _editor_ready(tab) and _open_picker(tab),
            target=lambda: _picker(tab),
            leave=lambda: _close_picker(tab),
        ),
        *_structure_scenes(tab),
        *step_form_scenes(tab),
        Scene(
            "flow-settings",
            lambda: _open_scheduled(tab),
            lambda: _settings_ready(tab),
            target=lambda: tab.editor_page.dialog or tab,
            leave=lambda: _close_settings(tab),
        ),
        Scene(
            "flow-paused",
            lambda: _set_paused(tab, True),
            lambda: _editor_ready(tab) and tab.editor_page.banner.isVisible(),
            leave=lambda: _set_paused(tab, False),
        ),
        Scene(
            "flow-publish",
            lambda: _open_flow(tab, active=False),
            lambda: _editor_ready(tab),
            leave=tab.show_list,
        ),
    )


def _show_list(tab: "FlowsTab") -> None:
    tab.show_list()
    tab.activate()


def _list_ready(tab: "FlowsTab") -> bool:
    rows = tab.list_page.flows.rows
    return bool(rows) and any(row.activity for row in rows)


def _select_flows(tab: "FlowsTab") -> None:
    _show_list(tab)
    rows = tab.list_page.flows.rows
    tab.list_page.flows.select([row.id for row in rows[:7:4]])


def _open_flow(tab: "FlowsTab", *, active: bool, last: bool = True) -> None:
    """Open the last step that uses values, or the one that uses most (in the demo, it needs attention)."""
    rows = [row.flow for row in tab.list_page.flows.rows if row.flow.active is active]
    flow = max(rows, key=_value_count, default=None)
    if flow is not None:
        using = [step for step in flow.steps if step.type is StepType.ACTION and _values_in(step)]
        best = using[-1] if using and last else max(using, key=_values_in, default=None)
        tab.edit(flow.id, best.id if best else None)


def _value_count(flow: Flow) -> tuple[int, int]:
    """Flows that use values of earlier steps show the editor best."""
    return sum(map(_values_in, flow.steps)), len(flow.steps)


def _values_in(step: Step) -> int:
    return str(step.parameters).count("{{step.")


def _editor_ready(tab: "FlowsTab") -> bool:
    editor = tab.editor_page.editor
    if not tab.editing or editor.flow is None or not all(key in editor.apps for key in editor.flow.app_keys):
        return False
    fields = tab.editor_page.form_pane.fields.editors.values()
    return not any(field.is_loading for field in fields if isinstance(field, ChoiceField))


def _value_field(tab: "FlowsTab") -> ValueTextField | None:
    found = tab.editor_page.form_pane.fields.editors.values()
    text_fields = [editor for editor in found if isinstance(editor, ValueTextField) and editor.accepts_values]
    return max(text_fields, key=lambda editor: str(editor.value()).count("{{"), default=None)


def _open_picker(tab: "FlowsTab") -> bool:
    field = _value_field(tab)
    if field is not None and field.picker is None:
        field.insert_value()
    return True


def _picker(tab: "FlowsTab") -> QWidget:
    field = _value_field(tab)
    return field.picker if field is not None and field.picker is not None else tab


def _close_picker(tab: "FlowsTab") -> None:
    field = _value_field(tab)
    if field is not None and field.picker is not None:
        field.picker.close()


def _structure_scenes(tab: "FlowsTab") -> tuple[Scene, ...]:
    """One picture of each kind of step that holds others."""
    kinds = (StructuralType.PATHS, StructuralType.BRANCH, StructuralType.EACH)
    return tuple(
        Scene(f"flow-{kind}", partial(_open_structure, tab, kind), partial(_editor_ready, tab))
        for kind in kinds
    )


def _open_structure(tab: "FlowsTab", kind: StructuralType) -> None:
    flows = [row.flow for row in tab.list_page.flows.rows]
    found = [(flow, step) for flow in flows for step in flow.steps if step.structural_type is kind]
    if found:
        flow, step = max(found, key=lambda item: len(item[0].steps))
        tab.edit(flow.id, step.id)


def _open_scheduled(tab: "FlowsTab") -> None:
    rows = [row.flow for row in tab.list_page.flows.rows if row.flow.active]
    clock = [flow for flow in rows if flow.trigger and flow.trigger.app_key == "scheduler"]
    if found := next(iter(clock or rows), None):
        tab.edit(found.id)


def _settings_ready(tab: "FlowsTab") -> bool:
    if not _editor_ready(tab):
        return False
    page = tab.editor_page
    if page.dialog is None:
        page.open_settings()
        return False
    return page.dialog.isVisible()


def _close_settings(tab: "FlowsTab") -> None:
    if tab.editor_page.dialog is not None:
        tab.editor_page.dialog.close()


def _set_paused(tab: "FlowsTab", on: bool) -> None:
    """Of the flow in the editor, as a person does it there."""
    tab.editor_page.commands.set_paused(on)
