"""Certificates that no known authority signed, in the connection dialog."""

from PySide6.QtWidgets import QLineEdit
from tests.support.dialogs import button, fill

from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.my_apps.view_models.connection_form import FormState
from patchbay.domain.apps import AppInfo, AuthInfo
from patchbay.domain.base import AppKey, ConnectionId, JsonObject
from patchbay.domain.connections import Connection
from patchbay.domain.fields import CA_CERTIFICATE, CLIENT_KEY, TRUSTED_CERTIFICATE, AuthField
from patchbay.domain.remote_options import SeenCertificate, UntrustedCertificate

WIKI = AppInfo(
    key=AppKey("wiki"),
    name="Wiki",
    supports_connections=True,
    auth=AuthInfo(
        fields=(
            AuthField(key="address", label="Address", required=True),
            AuthField(key="apiKey", label="API key", required=True),
            AuthField(key=CA_CERTIFICATE, label="CA certificate"),
            AuthField(key=TRUSTED_CERTIFICATE, label="Trusted certificate"),
            AuthField(key=CLIENT_KEY, label="Private key"),
        )
    ),
)


def test_a_refused_certificate_is_shown_and_trusted_only_when_that_is_pressed(open_dialog, backend, qtbot):
    backend.apps["wiki"] = WIKI
    certificate = SeenCertificate(fingerprint="ab" * 32, subject="CN=wiki", issuer="CN=wiki")
    backend.failing["add_connection"] = UntrustedCertificate(
        "The certificate of wiki.local isn't trusted.", certificate=certificate, host="wiki.local"
    )
    dialog, form = open_dialog("wiki")
    fill(dialog, address="https://wiki.local", apiKey="key")
    button(dialog, "Test and save").click()
    box = dialog.error_box.certificate
    qtbot.waitUntil(box.isVisible)

    assert box.fingerprint.text() == ":".join(["AB"] * 32)
    assert not dialog.fields[TRUSTED_CERTIFICATE].isVisible()
    assert form.values.get(TRUSTED_CERTIFICATE) is None
    backend.failing.clear()
    buttons = {item.text(): item for item in box.findChildren(Button)}
    buttons["Trust only this certificate"].click()
    qtbot.waitUntil(lambda: form.state is FormState.DONE)

    assert form.values[TRUSTED_CERTIFICATE] == f"wiki.local {'ab' * 32}"


def test_another_address_clears_the_certificates_that_were_trusted(open_dialog, backend):
    backend.apps["wiki"] = WIKI
    values = {"screenName": "W", "address": "https://wiki.local", CA_CERTIFICATE: "mine"}
    pinned: JsonObject = {**values, TRUSTED_CERTIFICATE: f"wiki.local {'ab' * 32}"}
    connection = Connection(id=ConnectionId("w"), app_key=WIKI.key, screen_name="W", formatted_data=pinned)
    dialog, form = open_dialog("wiki", connection)
    assert dialog.fields[TRUSTED_CERTIFICATE].isVisible()

    fill(dialog, address="https://wiki.example")

    assert (form.values[CA_CERTIFICATE], form.values[TRUSTED_CERTIFICATE]) == ("", "")
    assert dialog.fields[CA_CERTIFICATE].editor.edit.text() == ""


def test_the_certificate_of_an_authority_is_read_from_a_file(open_dialog, backend, tmp_path):
    backend.apps["wiki"] = WIKI
    dialog, form = open_dialog("wiki")
    chooser = dialog.fields[CA_CERTIFICATE].editor
    file = tmp_path / "ca.pem"
    file.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")

    chooser.read(str(file))

    assert form.values[CA_CERTIFICATE] == "-----BEGIN CERTIFICATE----- AAAA -----END CERTIFICATE-----"
    file.write_text("hello")
    chooser.read(str(file))
    assert "isn't a PEM file" in form.messages[CA_CERTIFICATE]
    chooser.read(str(tmp_path / "gone.pem"))
    assert "Couldn't read" in form.messages[CA_CERTIFICATE]


def test_a_private_key_is_read_from_a_file_and_stays_masked(open_dialog, backend, tmp_path):
    backend.apps["wiki"] = WIKI
    dialog, form = open_dialog("wiki")
    chooser = dialog.fields[CLIENT_KEY].editor
    file = tmp_path / "client.key"
    file.write_text("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")

    chooser.read(str(file))

    assert form.values[CLIENT_KEY] == "-----BEGIN PRIVATE KEY----- AAAA -----END PRIVATE KEY-----"
    assert chooser.edit.echoMode() is QLineEdit.EchoMode.Password
