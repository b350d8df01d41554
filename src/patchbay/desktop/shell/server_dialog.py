"""Connecting the window to a server: its address, API key, proxy, and certificate."""

from collections.abc import Callable
from urllib.parse import urlsplit

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.certificate_box import CertificateBox
from patchbay.desktop.kit.dialogs import ScrollDialog, confirm
from patchbay.desktop.kit.inputs import ComboBox, EditRow, FormField
from patchbay.desktop.kit.layout import FoldableSection, scroll_into_view
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.secret_fields import SecretField
from patchbay.desktop.kit.text import Label
from patchbay.domain.errors import AppError, ValidationFailed
from patchbay.domain.remote_options import (
    NO_PROXY,
    SYSTEM_PROXY,
    RemoteOptions,
    SeenCertificate,
    UntrustedCertificate,
    parse_remote_options,
)

_CUSTOM = "this"
_PROXY_OPTIONS = [
    (SYSTEM_PROXY, tr("Use system proxy")),
    (NO_PROXY, tr("No proxy")),
    (_CUSTOM, tr("Custom", "proxy")),
]
_CA_HELP = tr("A PEM or DER file, for servers whose certificate was issued by your organisation.")
_PIN_HELP = tr("Only this certificate is trusted. Leave empty to trust the same certificates as the system.")
OnConnect = Callable[[str, str, RemoteOptions], object]
"""Called with address, API key (empty: the stored one), and connection options."""

_INTRODUCTION = tr("See and manage flows on a Patchbay or Automatisch server.")
_FORGET_TEXT = tr(
    "Its API key is removed from the keyring, and its cached data on this computer is "
    "deleted. Nothing changes on the server."
)


class NetworkSection(FoldableSection):
    """Proxy, certificate authority, and pinned certificate."""

    changed = Signal()

    def __init__(self, options: RemoteOptions) -> None:
        super().__init__(tr("Proxy and certificates"))
        self.proxy = ComboBox(tr("Proxy"), large=True)
        self.proxy.set_options(_PROXY_OPTIONS)
        self.proxy_address = LineEdit("", "http://proxy.example.org:3128", large=True)
        self.ca_file = LineEdit("", tr("No file"), large=True)
        self.pin = LineEdit("", tr("SHA-256 fingerprint"), large=True)
        self.choose = Button(tr("Choose…"), large=True)
        self._proxy_field = FormField(tr("Proxy address"), self.proxy_address)
        self._ca_field = FormField(
            tr("Certificate authority"), EditRow(self.ca_file, self.choose), help=_CA_HELP
        )
        self._pin_field = FormField(tr("Trusted certificate"), self.pin, help=_PIN_HELP)
        self.body.addWidget(FormField(tr("Proxy"), self.proxy))
        for field in (self._proxy_field, self._ca_field, self._pin_field):
            self.body.addWidget(field)
        self.choose.clicked.connect(self._choose_file)
        self.proxy.value_changed.connect(lambda _: self._show())
        self.set(options)

    def set(self, options: RemoteOptions) -> None:
        """Show these options."""
        named = options.proxy in (SYSTEM_PROXY, NO_PROXY)
        self.proxy.set_value(options.proxy if named else _CUSTOM)
        self.proxy_address.setText("" if named else options.proxy)
        self.ca_file.setText(options.ca_file or "")
        self.pin.setText(options.pinned_sha256 or "")
        self._show()

    def trust(self, certificate: SeenCertificate) -> None:
        """Trust exactly this certificate from now on."""
        self.pin.setText(certificate.shown_fingerprint)
        self._show()

    def options(self) -> RemoteOptions:
        """The entered options. Raises `ValidationFailed`, shown by `show_rejection`."""
        chosen = self.proxy.value()
        proxy = self.proxy_address.text() or "?" if chosen == _CUSTOM else chosen
        return parse_remote_options(proxy, self.ca_file.text(), self.pin.text())

    def show_errors(self, by_field: dict[str, list[str]]) -> bool:
        """Show errors below their fields; returns whether any of them belongs to this section."""
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
        summaries = {SYSTEM_PROXY: tr("system proxy"), NO_PROXY: tr("no proxy")}
        proxy, trust = summaries.get(self.proxy.value(), tr("custom proxy")), ""
        if self.pin.text():
            trust = tr("1 trusted certificate")
        elif self.ca_file.text():
            trust = tr("custom authority", "of certificates")
        self.set_summary(", ".join(filter(None, (proxy, trust))))

    def _choose_file(self) -> None:
        dialog = QFileDialog(
            self.window(), tr("Certificate authority"), "", tr("Certificates (*.pem *.crt *.cer)")
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.ca_file.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


class ServerDialog(ScrollDialog):
    """Asks how to connect to a server; the caller checks it and calls `show_rejection` or `accept`.

    With `known`, for a server that was connected before: its address can't be changed, and its key stays if
    none is entered.
    """

    forgotten = Signal(str)

    def __init__(
        self,
        parent: QWidget,
        on_connect: OnConnect,
        address: str = "",
        options: RemoteOptions | None = None,
        *,
        known: bool = False,
    ) -> None:
        super().__init__(parent, tr("Server settings") if known else tr("Connect to a server"), 560)
        self._on_connect, self._existing = on_connect, known
        column = self.column
        if not known:
            column.addWidget(Label(_INTRODUCTION, "body", "text_secondary", wrap=True))
        self.problem = MessageBox("failure")
        self.problem.hide()
        self.certificate = CertificateBox()
        column.addWidget(self.problem)
        column.addWidget(self.certificate)
        self._add_fields(address, column)
        self.network = NetworkSection(options or RemoteOptions())
        column.addWidget(self.network)
        column.addStretch(1)
        if known:
            self.forget_button = Button(tr("Remove this server"), "link")
            self.forget_button.clicked.connect(self._confirm_forget)
            self.footer.addWidget(self.forget_button)
        self.connect_button, self.cancel_button = self.add_buttons(tr("Connect", "verb, button"), self.submit)
        (self.key if known else self.address).setFocus(Qt.FocusReason.OtherFocusReason)

    def submit(self) -> None:
        """Check the form and submit it; an error is shown below its field."""
        address, key = server_address(self.address.text()), self.key.text().strip()
        options = self._options()
        address_error = None if address else tr("Enter an address such as https://flows.example.org.")
        self._address_field.set_error(address_error)
        needs_key = not key and not self._existing
        self._key_field.set_error(tr("Enter the API key.") if needs_key else None)
        if not address:
            self.address.setFocus(Qt.FocusReason.OtherFocusReason)
        elif needs_key:
            self.key.setFocus(Qt.FocusReason.OtherFocusReason)
        elif options is not None:
            self.problem.hide()
            self.certificate.hide()
            self.connect_button.set_busy(True, tr("Connecting"))
            self._on_connect(address, key, options)

    def show_rejection(self, error: AppError) -> None:
        """Show why the server rejected the connection, and let the user correct the form."""
        self.connect_button.set_busy(False)
        if isinstance(error, UntrustedCertificate):
            self.certificate.ask(error, lambda: self._trust(error))
            self.certificate.message.draw_attention()
            return
        if isinstance(error, ValidationFailed) and self.network.show_errors(error.by_field):
            return
        self.problem.show_error(error)

    def _add_fields(self, address: str, column: QVBoxLayout) -> None:
        self.address = LineEdit(address, "https://flows.example.org", large=True)
        self.address.setReadOnly(self._existing)
        self.key = SecretField("", large=True)
        help_text = tr(
            "Create one in the server's settings. It's stored in the system keyring, never in a file."
        )
        if self._existing:
            help_text = tr("Leave empty to keep using the stored key.")
        self._address_field = FormField(tr("Address"), self.address, not self._existing)
        self._key_field = FormField(tr("API key"), self.key, not self._existing, help_text)
        column.addWidget(self._address_field)
        column.addWidget(self._key_field)

    def _options(self) -> RemoteOptions | None:
        try:
            options = self.network.options()
        except ValidationFailed as error:
            self.network.show_errors(error.by_field)
            return None
        self.network.show_errors({})
        return options

    def _trust(self, error: UntrustedCertificate) -> None:
        self.network.trust(error.certificate)
        self.submit()

    def _confirm_forget(self) -> None:
        address = self.address.text()
        title = tr("Remove {server}?", server=urlsplit(address).netloc)
        confirm(self, title, _FORGET_TEXT, tr("Remove"), True, self._forget)

    def _forget(self) -> None:
        self.forgotten.emit(self.address.text())
        self.reject()


def server_address(text: str) -> str:
    """Parse a base address, without a trailing slash; empty if invalid."""
    typed = text.strip().rstrip("/")
    if typed and "://" not in typed:
        local = typed.split(":")[0] in ("localhost", "127.0.0.1")
        typed = f"{'http' if local else 'https'}://{typed}"
    parts = urlsplit(typed)
    valid = parts.scheme in ("http", "https") and bool(parts.hostname) and " " not in typed
    return typed if valid else ""
