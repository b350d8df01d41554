"""The dialog for the values that a template asks for."""

from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.inputs import FormField
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.templates.view_models.templates import TemplatesViewModel
from patchbay.domain.folders import Template


class UseTemplateDialog(Dialog):
    """Asks for the values of a template, with their defaults, and creates the flow.

    It closes once the request ends; an error is shown as a notice.
    """

    def __init__(self, screen: TemplatesViewModel, template: Template, parent: QWidget | None = None) -> None:
        super().__init__(parent, template.name, 440)
        self._screen, self._template = screen, template
        self.values: dict[str, LineEdit] = {}
        self.fields: dict[str, FormField] = {}
        for item in template.inputs:
            edit = self.values[item.key] = LineEdit(item.value, item.label, large=True)
            field = self.fields[item.key] = FormField(item.label, edit, True, item.description)
            edit.textEdited.connect(lambda _, field=field: field.set_error(None))
            self.body.addWidget(field)
        self.create_button, _ = self.add_buttons(tr("Create flow"), self._create)

    def _create(self) -> None:
        texts = {key: edit.text().strip() for key, edit in self.values.items()}
        for key, text in texts.items():
            self.fields[key].set_error(None if text else tr("Enter a value."))
        if all(texts.values()):
            self.create_button.set_busy(True, tr("Creating"))
            self._screen.use(self._template.id, texts).ended.connect(self.accept)
