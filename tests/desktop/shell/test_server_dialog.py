"""Connecting to a server: what is asked, what is handed over, and a certificate that is not believed."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from tests.support.choosing import choose

from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.shell.server_dialog import ServerDialog
from patchbay.domain.errors import AuthRequired
from patchbay.domain.remote_options import RemoteOptions, SeenCertificate, UntrustedCertificate

ADDRESS, KEY = "https://flows.example.org", "a" * 96
SEEN = SeenCertificate(
    fingerprint="ab" * 32,
    subject="CN=flows",
    issuer="CN=flows",
    names=("flows.example.org",),
    valid_from=1_763_650_860_000,
    valid_until=1_795_186_860_000,
)
Asked = list[tuple[str, str, RemoteOptions]]


@pytest.fixture
def asked() -> Asked:
    return []


def opened(qtbot: QtBot, asked: Asked, *given: object, known: bool = False) -> ServerDialog:
    window = QWidget()
    window.resize(1024, 640)
    qtbot.addWidget(window)
    window.show()
    dialog = ServerDialog(window, lambda *what: asked.append(what), *given, known=known)  # type: ignore[arg-type]
    dialog.open()
    return dialog


def untrusted(pinned: str | None = None) -> UntrustedCertificate:
    return UntrustedCertificate("The certificate is not trusted.", certificate=SEEN, pinned=pinned)


def test_address_key_and_proxy_are_passed_on(qtbot, asked):
    dialog = opened(qtbot, asked)
    dialog.address.setText("flows.example.org/")
    dialog.key.edit.setText(KEY)
    dialog.network.proxy.set_value("none")

    dialog.submit()

    assert asked == [(ADDRESS, KEY, RemoteOptions(proxy="none"))]


def test_a_custom_proxy_needs_its_address(qtbot, asked):
    dialog = opened(qtbot, asked, ADDRESS)
    dialog.key.edit.setText(KEY)
    choose(qtbot, dialog.network.proxy, "Custom")
    dialog.submit()
    assert not asked
    assert dialog.network.is_open

    dialog.network.proxy_address.setText("proxy.example.org:3128")
    dialog.submit()

    assert asked[0][2].proxy == "http://proxy.example.org:3128"


def test_a_changed_certificate_shows_the_trusted_fingerprint_and_that_of_the_server(qtbot, asked):
    dialog = opened(qtbot, asked, ADDRESS)
    dialog.show_rejection(UntrustedCertificate("Another one.", certificate=SEEN, pinned="0f" * 32))

    assert dialog.certificate.trusted.isVisible()
    assert dialog.certificate.trusted.text() == ":".join(["0F"] * 32)
    assert dialog.certificate.caption.text() == "Server's current fingerprint (SHA-256)"

    dialog.show_rejection(untrusted())

    assert not dialog.certificate.trusted.isVisible()
    assert dialog.certificate.caption.text() == "Fingerprint (SHA-256)"


def test_an_untrusted_certificate_is_shown_and_only_trusted_on_request(qtbot, asked):
    dialog = opened(qtbot, asked, ADDRESS)
    dialog.key.edit.setText(KEY)
    dialog.submit()
    dialog.show_rejection(untrusted())

    assert dialog.certificate.isVisible()
    assert dialog.certificate.fingerprint.text() == SEEN.shown_fingerprint
    assert "Issued by: itself" in dialog.certificate.details.text()
    assert asked[-1][2].pinned_sha256 is None

    buttons = {button.text(): button for button in dialog.certificate.findChildren(Button)}
    buttons["Trust only this certificate"].click()

    assert asked[-1][2].pinned_sha256 == SEEN.fingerprint


def test_a_changed_certificate_is_reported_as_what_it_is(qtbot, asked):
    dialog = opened(qtbot, asked, ADDRESS, RemoteOptions(pinned_sha256="cd" * 32), known=True)

    dialog.show_rejection(untrusted(pinned="cd" * 32))

    assert dialog.certificate.message.accessibleName().startswith("The certificate is not trusted.")
    assert dialog.network.pin.text() == "cd" * 32


def test_a_known_server_keeps_its_key_and_can_be_forgotten(qtbot, asked):
    dialog = opened(qtbot, asked, ADDRESS, RemoteOptions(proxy="none"), known=True)
    assert dialog.address.isReadOnly()

    dialog.submit()
    assert asked == [(ADDRESS, "", RemoteOptions(proxy="none"))]

    with qtbot.waitSignal(dialog.forgotten) as told:
        dialog.forget_button.click()
        [question] = [child for child in dialog.children() if isinstance(child, Dialog)]
        next(button for button in question.findChildren(Button) if button.text() == "Remove").click()
    assert told.args == [ADDRESS]


def test_a_refusal_is_reported_and_can_be_corrected(qtbot, asked):
    dialog = opened(qtbot, asked, ADDRESS)
    dialog.key.edit.setText("wrong")
    dialog.submit()
    dialog.show_rejection(AuthRequired("The API key was not accepted.", todo="Enter a valid key."))

    assert dialog.problem.isVisible()
    assert dialog.connect_button.isEnabled()
