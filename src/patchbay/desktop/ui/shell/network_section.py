"""How a service is reached: the proxy on the way and whose certificate is believed. Folded away at first."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFileDialog

from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.form_field import EditRow
from patchbay.desktop.ui.kit.form_scroll import scroll_into_view
from patchbay.desktop.ui.kit.inputs import ComboBox, FormField, LineEdit
from patchbay.desktop.ui.kit.section import Section
from patchbay.domain.remote_options import (
    NO_PROXY,
    SYSTEM_PROXY,
    RemoteOptions,
    SeenCertificate,
    parse_remote_options,
)

_CUSTOM = "this"
_PROXY_OPTIONS = [(SYSTEM_PROXY, "As the system"), (NO_PROXY, "No proxy"), (_CUSTOM, "This one")]
_CA_HELP = "A PEM file, for services whose certificate was issued by your own organisation."
_PIN_HELP = "Exactly this certificate is trusted, and no other. Empty: those the system trusts."


class NetworkSection(Section):
    """Proxy, certificate authority, pinned certificate."""

    changed = Signal()

    def __init__(self, options: RemoteOptions) -> None:
        super().__init__("Proxy and certificates")
        self.proxy = ComboBox("Proxy", large=True)
        self.proxy.set_options(_PROXY_OPTIONS)
        self.proxy_address = LineEdit("", "http://proxy.example.org:3128", large=True)
        self.ca_file = LineEdit("", "No file", large=True)
        self.pin = LineEdit("", "SHA-256 fingerprint", large=True)
        self.choose = Button("Choose…", large=True)
        self._proxy_field = FormField("Address of the proxy", self.proxy_address)
        self._ca_field = FormField("Certificate authority", EditRow(self.ca_file, self.choose), help=_CA_HELP)
        self._pin_field = FormField("Trusted certificate", self.pin, help=_PIN_HELP)
        self.body.addWidget(FormField("Proxy", self.proxy))
        for field in (self._proxy_field, self._ca_field, self._pin_field):
            self.body.addWidget(field)
        self.choose.clicked.connect(self._choose_file)
        self.proxy.value_changed.connect(lambda _: self._show())
        self.set(options)

    def set(self, options: RemoteOptions) -> None:
        """Show these choices."""
        named = options.proxy in (SYSTEM_PROXY, NO_PROXY)
        self.proxy.set_value(options.proxy if named else _CUSTOM)
        self.proxy_address.setText("" if named else options.proxy)
        self.ca_file.setText(options.ca_file or "")
        self.pin.setText(options.pinned_sha256 or "")
        self._show()

    def trust(self, certificate: SeenCertificate) -> None:
        """Believe exactly this certificate from now on."""
        self.pin.setText(certificate.shown_fingerprint)
        self._show()

    def options(self) -> RemoteOptions:
        """The choices made. Raises `ValidationFailed`, told by `refuse`."""
        chosen = self.proxy.value()
        proxy = self.proxy_address.text() or "?" if chosen == _CUSTOM else chosen
        return parse_remote_options(proxy, self.ca_file.text(), self.pin.text())

    def show_errors(self, by_field: dict[str, list[str]]) -> bool:
        """Put what is wrong under the fields; whether any of it is about this section."""
        fields = {"proxy": self._proxy_field, "caFile": self._ca_field, "pinnedSha256": self._pin_field}
        for key, field in fields.items():
            field.set_error(by_field[key][0] if by_field.get(key) else None)
        invalid_fields = [field for key, field in fields.items() if by_field.get(key)]
        if invalid_fields:
            self.set_open(True)
            invalid_fields[0].editor.setFocus(Qt.FocusReason.OtherFocusReason)
            QTimer.singleShot(0, self, lambda: scroll_into_view(invalid_fields[0]))
        return bool(invalid_fields)

    def _show(self) -> None:
        self._proxy_field.setVisible(self.proxy.value() == _CUSTOM)
        proxy = {SYSTEM_PROXY: "system’s proxy", NO_PROXY: "no proxy"}.get(self.proxy.value(), "own proxy")
        trust = (
            "one certificate pinned" if self.pin.text() else "own authority" if self.ca_file.text() else ""
        )
        self.set_summary(", ".join(filter(None, (proxy, trust))))

    def _choose_file(self) -> None:
        dialog = QFileDialog(self.window(), "Certificate authority", "", "Certificates (*.pem *.crt *.cer)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.ca_file.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
