"""Pictures of the step forms of built-in apps: schedule, request, conditions, and transforms."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from patchbay.desktop.editor.fields.conditions import ConditionsField
from patchbay.desktop.kit.inputs import ComboBox
from patchbay.desktop.kit.popups import Popup
from patchbay.tour.scene import Scene

if TYPE_CHECKING:
    from patchbay.desktop.flows.tab import FlowsTab


def step_form_scenes(tab: "FlowsTab") -> tuple[Scene, ...]:
    """One picture per form, and one of the list of comparisons."""
    forms = _StepForms(tab)
    return (
        Scene("flow-schedule", partial(forms.open, "scheduler"), forms.is_ready),
        Scene("flow-http-request", partial(forms.open, "http-request"), forms.is_ready),
        Scene("flow-formatter", partial(forms.open, "formatter"), forms.has_preview),
        Scene("flow-conditions", partial(forms.open, "filter"), forms.is_ready),
        Scene(
            "flow-comparisons",
            partial(forms.open, "filter"),
            forms.has_comparisons,
            target=forms.comparisons,
            leave=forms.close_comparisons,
        ),
    )


class _StepForms:
    """Opens the first published step of an app in the editor."""

    def __init__(self, tab: "FlowsTab") -> None:
        self._tab = tab
        self._app_key = ""
        self._popup: Popup | None = None

    def open(self, app_key: str) -> None:
        """Open the step. In a workspace without one, the picture shows the tab as it is."""
        flows = [row.flow for row in self._tab.list_page.flows.rows if row.flow.active]
        found = [(flow, step) for flow in flows for step in flow.steps if step.app_key == app_key]
        self._app_key = app_key if found else ""
        if found:
            flow, step = found[0]
            self._tab.edit(flow.id, step.id)

    def is_ready(self) -> bool:
        """Whether the editor shows the step and knows its app, or no flow has such a step."""
        if not self._app_key:
            return True
        editor = self._tab.editor_page.editor
        if editor.flow is None or not all(key in editor.apps for key in editor.flow.app_keys):
            return False
        return any(step.id == editor.step_id and step.app_key == self._app_key for step in editor.flow.steps)

    def has_preview(self) -> bool:
        """Whether the result of the transform is shown, or no flow has one."""
        shown = self._tab.editor_page.form_pane.preview.output.text()
        return not self._app_key or (self.is_ready() and bool(shown))

    def has_comparisons(self) -> bool:
        """Whether the list of comparisons of the first condition is open; opens it."""
        if self._popup is not None or not self._app_key:
            return True
        combo = self._comparison() if self.is_ready() else None
        if combo is not None:
            combo.showPopup()
            self._popup = combo.popup
            if self._popup is not None:
                self._popup.closed.connect(self._on_closed)
        return False

    def comparisons(self) -> QWidget:
        """The open list of comparisons."""
        return self._popup or self._tab

    def close_comparisons(self) -> None:
        """Close the list of comparisons."""
        if self._popup is not None:
            self._popup.close()

    def _on_closed(self) -> None:
        self._popup = None

    def _comparison(self) -> ComboBox | None:
        editors = self._tab.editor_page.form_pane.fields.editors.values()
        fields = [editor for editor in editors if isinstance(editor, ConditionsField)]
        return fields[0].lines[0].operator if fields and fields[0].lines else None
