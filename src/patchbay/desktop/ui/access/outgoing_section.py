"""Settings, Service: which addresses flows and connections may call."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from patchbay.desktop.state.hosting import HostingViewModel
from patchbay.desktop.ui.kit.availability import set_available
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.inputs import ComboBox, EditRow, FormField, LineEdit
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.outgoing import OutgoingMode

_MODE_HELP = (
    "Keeps flows and connections from calling this computer, private and link-local addresses, and cloud "
    "metadata. A flow that an admin published counts as an admin’s."
)
_ALLOWED_HELP = "Separate entries with commas: nas.example.lan, *.example.lan, 10.1.0.0/16, 10.1.2.3:8080."
_MODES = (
    (OutgoingMode.AUTOMATIC, "Block for everyone but admins while others can reach this service"),
    (OutgoingMode.MEMBERS, "Block for everyone but admins"),
    (OutgoingMode.EVERYBODY, "Block for everyone"),
    (OutgoingMode.OFF, "Don\u2019t block"),
)


class OutgoingSection(QWidget):
    """For whom addresses inside the network are blocked, and which never are."""

    def __init__(self, model: HostingViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: str | None = None
        self.mode = ComboBox("Outgoing addresses")
        self.mode.set_options(list(_MODES))
        self.allowed = LineEdit("", "nas.example.lan, 10.1.0.0/16")
        self.allowed.setAccessibleName("Always allowed addresses")
        self.save = Button("Save")
        self.mode_field = FormField("Outgoing addresses", self.mode, help=_MODE_HELP)
        self.allowed_field = FormField("Always allowed", EditRow(self.allowed, self.save), help=_ALLOWED_HELP)
        self.allowed_field.label.setBuddy(self.allowed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(10))
        column.addWidget(self.mode_field)
        column.addWidget(self.allowed_field)
        self.mode.value_changed.connect(model.block_for)
        self.allowed.textEdited.connect(lambda _: self._show_save())
        self.allowed.returnPressed.connect(self._save)
        self.save.clicked.connect(self._save)
        model.changed.connect(self._show)
        self._show()

    @property
    def _edited(self) -> bool:
        return self._shown is not None and self.allowed.text().strip() != self._shown

    def _save(self) -> None:
        if self._edited:
            self._shown = None
            self._model.allow_addresses(self.allowed.text())

    def _show(self) -> None:
        """What holds, except over what is being typed or was refused."""
        model, settings = self._model, self._model.settings
        if settings is None:
            return
        self.mode.blockSignals(True)
        self.mode.set_value(settings.outgoing_addresses)
        self.mode.blockSignals(False)
        self.mode.setEnabled(not model.busy)
        saved_addresses = ", ".join(settings.allowed_addresses)
        keep_text = bool(model.wrong_allowed) or model.error is not None or self._edited
        if not model.busy and not keep_text:
            self.allowed.setText(saved_addresses)
        if not model.busy:
            self._shown = saved_addresses
        self.allowed_field.set_error(model.wrong_allowed or None)
        self._show_save()

    def _show_save(self) -> None:
        set_available(self.save, None if self._edited else "There are no changes to save.")
        if self._model.busy:
            set_available(self.save, "The changes are being saved.")
