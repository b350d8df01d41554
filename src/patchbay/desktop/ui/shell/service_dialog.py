"""Connecting the window to a service: its address and an API key."""

from collections.abc import Callable
from urllib.parse import urlsplit

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.ui.kit.dialogs import Dialog
from patchbay.desktop.ui.kit.inputs import FormField, LineEdit, SecretField
from patchbay.desktop.ui.kit.message import MessageBox
from patchbay.desktop.ui.kit.text import Label
from patchbay.domain.errors import AppError


class ServiceDialog(Dialog):
    """Asks for address and key and hands them over; whoever checks them calls `refuse` or `accept`."""

    def __init__(self, parent: QWidget, on_connect: Callable[[str, str], object], address: str = "") -> None:
        super().__init__(parent, "Connect to a service", 560)
        self._on_connect = on_connect
        self.body.addWidget(
            Label(
                "See and manage flows that run on a server, Automatisch or Patchbay’s own.",
                "body",
                "text_secondary",
                wrap=True,
            )
        )
        self.problem = MessageBox("failure")
        self.problem.hide()
        self.body.addWidget(self.problem)
        self.address = LineEdit(address, "https://flows.example.org", large=True)
        self.key = SecretField("", large=True)
        self._address_field = FormField("Address", self.address, True)
        self._key_field = FormField(
            "API key",
            self.key,
            True,
            "From the service’s settings. It is kept in the system keyring, never in a file.",
        )
        self.body.addWidget(self._address_field)
        self.body.addWidget(self._key_field)
        self.connect_button, self.cancel_button = self.add_buttons("Connect", self.submit)
        self.address.setFocus(Qt.FocusReason.OtherFocusReason)

    def submit(self) -> None:
        """Check the form, then hand over; an error goes under its field."""
        address, key = service_address(self.address.text()), self.key.text().strip()
        self._address_field.set_error(
            None if address else "Enter an address such as https://flows.example.org."
        )
        self._key_field.set_error(None if key else "Enter the API key.")
        if not address:
            self.address.setFocus(Qt.FocusReason.OtherFocusReason)
        elif not key:
            self.key.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.problem.hide()
            self.connect_button.set_busy(True, "Connecting")
            self._on_connect(address, key)

    def refuse(self, error: AppError) -> None:
        """The service did not let us in: say why and let the person correct it."""
        self.connect_button.set_busy(False)
        self.problem.set("failure", error.happened, " ".join(filter(None, (error.meaning, error.todo))))
        self.problem.show()
        self.key.setFocus(Qt.FocusReason.OtherFocusReason)


def service_address(text: str) -> str:
    """A usable base address from what was typed, without a slash at the end; empty when it is none."""
    typed = text.strip().rstrip("/")
    if typed and "://" not in typed:
        local = typed.split(":")[0] in ("localhost", "127.0.0.1")
        typed = f"{'http' if local else 'https'}://{typed}"
    parts = urlsplit(typed)
    valid = parts.scheme in ("http", "https") and bool(parts.hostname) and " " not in typed
    return typed if valid else ""
