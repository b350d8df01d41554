"""An untrusted certificate: its contents, and the option to trust exactly this one."""

from collections.abc import Callable
from datetime import UTC, datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import date_text, tr
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.mark_painting import Tone
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.secret_fields import copy_text
from patchbay.desktop.kit.text import Label
from patchbay.domain.base import EpochMs
from patchbay.domain.remote_options import UntrustedCertificate, format_fingerprint


class Fingerprint(QWidget):
    """All digits of a fingerprint, in two lines of equal width for comparison, with a copy button."""

    def __init__(self, parent: QWidget | None = None, *, is_trusted: bool = False) -> None:
        super().__init__(parent)
        self._text, self._is_trusted = "", is_trusted
        self.label = Label("", "code")
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = Button(tr("Copy"), icon="copy")
        self.copy.setAccessibleName(tr("Copy trusted fingerprint") if is_trusted else tr("Copy fingerprint"))
        self.copy.clicked.connect(self._copy)
        hbox((self.label, 1), self.copy, parent=self)

    def text(self) -> str:
        """The whole fingerprint."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show `AB:CD:…`."""
        self._text, pairs = text, text.split(":")
        half = (len(pairs) + 1) // 2
        self.label.setText(":".join(pairs[:half]) + ":\n" + ":".join(pairs[half:]))
        self.label.setAccessibleName(
            tr("Trusted fingerprint {digits}", digits=text)
            if self._is_trusted
            else tr("Fingerprint {digits}", digits=text)
        )
        self.copy.setText(tr("Copy"))
        self.copy.set_icon("copy")

    def _copy(self) -> None:
        copy_text(self._text)
        self.copy.setText(tr("Copied"))
        self.copy.set_icon("check")


class CertificateBox(QWidget):
    """Asks whether to trust a certificate; hidden until `ask`. Trusting is never the default button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message = MessageBox("warning")
        self.details = Label("", "caption", "text_secondary", wrap=True)
        self.fingerprint = Fingerprint()
        self.caption = Label("", "caption_strong", "text_secondary")
        self.trusted = Fingerprint(is_trusted=True)
        self.trusted_caption = Label(tr("Trusted fingerprint (SHA-256)"), "caption_strong", "text_secondary")
        vbox(
            self.message,
            self.trusted_caption,
            self.trusted,
            self.caption,
            self.fingerprint,
            self.details,
            parent=self,
            spacing=8,
        )
        self.hide()

    def ask(self, problem: UntrustedCertificate, trust: Callable[[], object]) -> None:
        """Say why the certificate isn't trusted and offer to trust it, which calls `trust`."""
        certificate = problem.certificate
        advice = tr(
            "Ask the server's administrator for its fingerprint, for example by phone. Connect only "
            "if every digit matches."
        )
        tone: Tone = "failure" if problem.pinned else "warning"
        self.message.set(tone, problem.happened, advice, [(tr("Trust only this certificate"), trust)])
        pinned = problem.pinned or ""
        self.caption.setText(
            tr("Server's current fingerprint (SHA-256)") if pinned else tr("Fingerprint (SHA-256)")
        )
        self.fingerprint.set_text(certificate.shown_fingerprint)
        self.trusted.set_text(format_fingerprint(pinned))
        for widget in (self.trusted_caption, self.trusted):
            widget.setVisible(bool(pinned))
        self.details.setText("\n".join(certificate_details(problem)))
        self.show()


def certificate_details(problem: UntrustedCertificate) -> tuple[str, ...]:
    """The contents of the certificate, one line each."""
    certificate = problem.certificate
    lines = []
    if name := ", ".join(certificate.names) or certificate.subject:
        lines.append(tr("Issued to: {name}", name=name))
    if certificate.issuer and certificate.issuer == certificate.subject:
        lines.append(tr("Issued by: itself", "a certificate"))
    elif certificate.issuer:
        lines.append(tr("Issued by: {name}", name=certificate.issuer))
    if certificate.valid_until:
        start, end = _day(certificate.valid_from), _day(certificate.valid_until)
        lines.append(tr("Valid: {start} to {end}", start=start, end=end))
    return tuple(lines)


def _day(ms: EpochMs) -> str:
    return date_text(datetime.fromtimestamp(ms / 1000, UTC), year=True)
