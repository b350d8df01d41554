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
_DETAILS = ("status", "details", "request")


class RefusalBox(QWidget):
    """A refusal in the words of whoever refused, with the answer itself behind "Details"."""

    retry_asked = Signal()
    trust_asked = Signal()
    settings_asked = Signal(str)
    folded = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = MessageBox("failure", first_kind="link")
        self.more = Button("Details", "link", "chevron-right")
        self.more.setAutoDefault(False)
        self.more.clicked.connect(self._fold)
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

    def show_answer(self, error: AppError | None, *, again: bool = False) -> None:
        """Show what was answered; None hides the box. `again`: the same may well work a second time."""
        self.setVisible(error is not None)
        untrusted = isinstance(error, UntrustedCertificate)
        self.box.setVisible(not untrusted)
        self.certificate.setVisible(untrusted)
        if error is None or untrusted:
            self.details.hide()
        if error is None:
            return
        if isinstance(error, UntrustedCertificate):
            self.certificate.ask(error, self.trust_asked.emit)
            self.more.hide()
            return
        words = " ".join(filter(None, (error.meaning, error.todo)))
        tone: Tone = "failure" if isinstance(error, ThirdPartyError | ValidationFailed) else "warning"
        self.box.set(tone, error.happened, words, self._ways_out(error, again))
        raw = error.extra() if isinstance(error, ThirdPartyError) else {}
        facts = {key: raw[key] for key in _DETAILS if raw.get(key)}
        self.more.setVisible(bool(facts))
        if facts:
            self.details.set_value(facts)

    def _ways_out(self, error: AppError, again: bool) -> list[Action]:
        if isinstance(error, SecretsUnavailable):
            return [("Open settings", lambda: self.settings_asked.emit(SECRETS_PAGE))]
        if isinstance(error, ThirdPartyError | ValidationFailed) and not again:
            return []
        return [("Try again", self.retry_asked.emit)]

    def _fold(self) -> None:
        hidden = self.details.isHidden()
        self.details.setVisible(hidden)
        self.more.set_icon("chevron-down" if hidden else "chevron-right")
        self.folded.emit()


class WhereBox(QWidget):
    """Where credentials are kept, in the words of the workspace; a problem comes with its way out."""

    settings_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = MessageBox("neutral", first_kind="link")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.box)
        self.hide()

    def show_where(self, info: WorkspaceInfo | None) -> None:
        """Say where; None hides the box."""
        self.setVisible(info is not None and bool(info.secrets_problem or info.secrets_kept))
        if info is None:
            return
        if info.secrets_problem:
            ways = [("Open settings", lambda: self.settings_asked.emit(SECRETS_PAGE))]
            self.box.set("warning", "Credentials cannot be stored now", info.secrets_problem, ways)
        else:
            self.box.set("neutral", _HOMES[info.kind], info.secrets_kept)


_HOMES = {
    "local": "Kept on this computer",
    "remote": "Kept by the service",
    "demo": "Kept in the demo only",
}
