"""Keeping a flow as a template: which flow, and under which name."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.templates import TemplatesViewModel
from patchbay.desktop.ui.kit.dialogs import Dialog
from patchbay.desktop.ui.kit.inputs import ComboBox, FormField, LineEdit
from patchbay.desktop.ui.kit.message import MessageBox
from patchbay.domain.errors import AppError
from patchbay.domain.flows import Flow


class SaveTemplateDialog(Dialog):
    """The name follows the flow until it is typed over. The dialog closes when the template is stored."""

    def __init__(self, screen: TemplatesViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent, "New template from a flow", 420)
        self._screen = screen
        self._name_edited = False
        self.flow, self.name = ComboBox("Flow", large=True), LineEdit("", "Name of the template", large=True)
        self.flow_field = FormField("Flow", self.flow, True)
        self.name_field = FormField(
            "Name", self.name, True, "Accounts and folders are not part of a template."
        )
        self.problem = MessageBox("failure")
        self.problem.hide()
        for widget in (self.flow_field, self.name_field, self.problem):
            self.body.addWidget(widget)
        self.save, _ = self.add_buttons("Save template", self._save)
        self.flow.currentIndexChanged.connect(self._copy_flow_name)
        self.name.textEdited.connect(self._on_name_edited)
        screen.flows_read.connect(self._fill)
        screen.saved.connect(self.accept)
        screen.refused.connect(self._show_error)
        screen.read_flows()

    def _fill(self, flows: Sequence[Flow]) -> None:
        self.flow.set_options([(flow.id, flow.name) for flow in flows])
        self._copy_flow_name()

    def _copy_flow_name(self) -> None:
        if not self._name_edited:
            self.name.setText(self.flow.currentText())

    def _on_name_edited(self) -> None:
        self._name_edited = True
        self.name_field.set_error(None)

    def _save(self) -> None:
        if not self.name.text().strip():
            self.name_field.set_error("Give the template a name.")
        elif self.flow.value() is None:
            self.flow_field.set_error("There is no flow to keep yet.")
        else:
            self.save.set_busy(True, "Saving")
            self._screen.save(self.name.text(), self.flow.value())

    def _show_error(self, error: AppError) -> None:
        self.save.set_busy(False)
        self.problem.show_error(error)
