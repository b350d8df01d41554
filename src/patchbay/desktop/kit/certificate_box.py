"""An untrusted certificate: its contents, and the option to trust exactly this one."""

from collections.abc import Callable
from datetime import UTC, datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.marks import Tone
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.secret_fields import copy_text
from patchbay.desktop.kit.text import Label
from patchbay.domain.base import EpochMs
from patchbay.domain.clock import month_name
from patchbay.domain.remote_options import UntrustedCertificate, format_fingerprint


class Fingerprint(QWidget):
    """All digits of a fingerprint, in two lines of equal width for comparison, with a copy button."""

    def __init__(self, name: str = "fingerprint", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text, self._name = "", name
        self.label = Label("", "code")
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = Button("Copy", icon="copy")
        self.copy.setAccessibleName(f"Copy {name}")
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
        self.label.setAccessibleName(f"{self._name.capitalize()} {text}")
        self.copy.setText("Copy")
        self.copy.set_icon("copy")

    def _copy(self) -> None:
        copy_text(self._text)
        self.copy.setText("Copied")
        self.copy.set_icon("check")


class CertificateBox(QWidget):
    """Asks whether to trust a certificate; hidden until `ask`. Trusting is never the default button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message = MessageBox("warning")
        self.details = Label("", "caption", "text_secondary", wrap=True)
        self.fingerprint = Fingerprint()
        self.caption = Label("", "caption_strong", "text_secondary")
        self.trusted = Fingerprint("trusted fingerprint")
        self.trusted_caption = Label("Trusted fingerprint (SHA-256)", "caption_strong", "text_secondary")
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
        advice = (
            "Ask the server’s administrator for its fingerprint, for example by phone. Connect only "
            "if every digit matches."
        )
        tone: Tone = "failure" if problem.pinned else "warning"
        self.message.set(tone, problem.happened, advice, [("Trust only this certificate", trust)])
        pinned = problem.pinned or ""
        self.caption.setText("Server's current fingerprint (SHA-256)" if pinned else "Fingerprint (SHA-256)")
        self.fingerprint.set_text(certificate.shown_fingerprint)
        self.trusted.set_text(format_fingerprint(pinned))
        for widget in (self.trusted_caption, self.trusted):
            widget.setVisible(bool(pinned))
        self.details.setText("\n".join(certificate_details(problem)))
        self.show()


def certificate_details(problem: UntrustedCertificate) -> tuple[str, ...]:
    """The contents of the certificate, one line each."""
    certificate = problem.certificate
    valid = (
        f"{_day(certificate.valid_from)} to {_day(certificate.valid_until)}"
        if certificate.valid_until
        else ""
    )
    lines = (
        ("Issued to", ", ".join(certificate.names) or certificate.subject),
        ("Issued by", "itself" if certificate.issuer == certificate.subject else certificate.issuer),
        ("Valid", valid),
    )
    return tuple(f"{name}: {value}" for name, value in lines if value)


def _day(ms: EpochMs) -> str:
    at = datetime.fromtimestamp(ms / 1000, UTC)
    return f"{at.day} {month_name(at)} {at.year}"
