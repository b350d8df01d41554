"""What came of an attempt to connect, and where what is entered is kept."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.certificate_box import CertificateBox
from patchbay.desktop.ui.kit.json_view import JsonView
from patchbay.desktop.ui.kit.marks import Tone
from patchbay.desktop.ui.kit.message import Action, MessageBox
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.backend import WorkspaceInfo
from patchbay.domain.errors import AppError, SecretsUnavailable, ThirdPartyError, ValidationFailed
from patchbay.domain.remote_options import UntrustedCertificate

SECRETS_PAGE = "Secrets"
_DETAIL_KEYS = ("status", "details", "request")


class ConnectionErrorBox(QWidget):
    """A refusal in the words of whoever refused, with the answer itself behind "Details"."""

    retry_requested = Signal()
    trust_requested = Signal()
    settings_requested = Signal(str)
    folded = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = MessageBox("failure", first_kind="link")
        self.more = Button("Details", "link", "chevron-right")
        self.more.setAutoDefault(False)
        self.more.clicked.connect(self._toggle_details)
        self.details = JsonView(search=False)
        self.details.setFixedHeight(theme().px(110))
        self.certificate = CertificateBox()
        row = QHBoxLayout()
        row.setContentsMargins(theme().px(2), 0, 0, 0)
        row.addWidget(self.more)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(6))
        column.addWidget(self.box)
        column.addWidget(self.certificate)
        column.addLayout(row)
        column.addWidget(self.details)
        self.details.hide()
        self.hide()

    def show_result(self, error: AppError | None, *, retryable: bool = False) -> None:
        """Show what was answered; None hides the box. `retryable`: the same may well work a second time."""
        self.setVisible(error is not None)
        untrusted = isinstance(error, UntrustedCertificate)
        self.box.setVisible(not untrusted)
        self.certificate.setVisible(untrusted)
        if error is None or untrusted:
            self.details.hide()
        if error is None:
            return
        if isinstance(error, UntrustedCertificate):
            self.certificate.ask(error, self.trust_requested.emit)
            self.more.hide()
            return
        text = " ".join(filter(None, (error.meaning, error.todo)))
        tone: Tone = "failure" if isinstance(error, ThirdPartyError | ValidationFailed) else "warning"
        self.box.set(tone, error.happened, text, self._error_actions(error, retryable))
        raw = error.extra() if isinstance(error, ThirdPartyError) else {}
        details_shown = {key: raw[key] for key in _DETAIL_KEYS if raw.get(key)}
        self.more.setVisible(bool(details_shown))
        if details_shown:
            self.details.set_value(details_shown)

    def _error_actions(self, error: AppError, retryable: bool) -> list[Action]:
        if isinstance(error, SecretsUnavailable):
            return [("Open settings", lambda: self.settings_requested.emit(SECRETS_PAGE))]
        if isinstance(error, ThirdPartyError | ValidationFailed) and not retryable:
            return []
        return [("Try again", self.retry_requested.emit)]

    def _toggle_details(self) -> None:
        hidden = self.details.isHidden()
        self.details.setVisible(hidden)
        self.more.set_icon("chevron-down" if hidden else "chevron-right")
        self.folded.emit()


class SecretsLocationBox(QWidget):
    """Where credentials are kept, in the words of the workspace; a problem comes with its way out."""

    settings_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = MessageBox("neutral", first_kind="link")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.box)
        self.hide()

    def show_secrets_location(self, info: WorkspaceInfo | None) -> None:
        """Say where; None hides the box."""
        self.setVisible(info is not None and bool(info.secrets_problem or info.secrets_kept))
        if info is None:
            return
        if info.secrets_problem:
            actions = [("Open settings", lambda: self.settings_requested.emit(SECRETS_PAGE))]
            self.box.set("warning", "Credentials cannot be stored now", info.secrets_problem, actions)
        else:
            self.box.set("neutral", _LOCATION_TITLES[info.kind], info.secrets_kept)


_LOCATION_TITLES = {
    "local": "Kept on this computer",
    "remote": "Kept by the service",
    "demo": "Kept in the demo only",
}
