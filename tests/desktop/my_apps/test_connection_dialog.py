"""The connection dialog in each of its states."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QLineEdit
from tests.support.dialogs import button, fill
from tests.support.fake_vault import FakeVault

from patchbay.desktop.core.vault import VaultState
from patchbay.desktop.kit.secret_fields import CopyField
from patchbay.desktop.kit.vault_dialogs import CreateVaultDialog
from patchbay.desktop.my_apps.connection_dialog import ConnectionDialog
from patchbay.desktop.my_apps.view_models.connection_form import ConnectionFormViewModel, FormState
from patchbay.domain.apps import AppInfo, AuthInfo
from patchbay.domain.base import AppKey
from patchbay.domain.errors import SecretsUnavailable
from patchbay.domain.fields import AuthField, Option


def test_the_guide_stands_beside_the_form_and_the_dialog_widens(qtbot, open_dialog, backend):
    backend.apps["deepl"] = backend.apps["deepl"].model_copy(
        update={"docs_markdown": "# DeepL\n\nFind the key under [Account](https://deepl.com/account)."}
    )
    dialog, _ = open_dialog("deepl")
    narrow = dialog.width()

    dialog.toggle_guide()
    qtbot.waitUntil(dialog.guide.isVisible)

    left_of_guide = dialog.form.mapTo(dialog, dialog.form.rect().topRight()).x()
    assert dialog.guide.x() > left_of_guide
    assert dialog.width() > narrow
    assert "Find the key" in dialog.guide.text.toPlainText()
    dialog.guide.close_button.click()
    assert dialog.width() == narrow


def test_links_in_the_guide_open_in_the_system_browser(open_dialog, backend, opened):
    backend.apps["deepl"] = backend.apps["deepl"].model_copy(
        update={
            "docs_markdown": "[Account](https://deepl.com/account)",
            "auth_doc_url": "https://docs.example/x",
        }
    )
    dialog, _ = open_dialog("deepl")
    dialog.toggle_guide()

    dialog.guide.text.anchorClicked.emit("https://deepl.com/account")
    dialog.guide.more.click()

    assert opened == ["https://deepl.com/account", "https://docs.example/x"]


def test_a_guide_asked_for_before_the_app_is_read_comes_with_it(qtbot, shared, page, backend):
    backend.apps["deepl"] = backend.apps["deepl"].model_copy(update={"docs_markdown": "# DeepL"})
    form = ConnectionFormViewModel(shared, AppKey("deepl"))
    dialog = ConnectionDialog(form, page)
    qtbot.addWidget(dialog)
    dialog.open()

    dialog.toggle_guide()
    assert not dialog.guide.isVisible()
    form.load()

    qtbot.waitUntil(dialog.guide.isVisible)
    assert dialog.form.fields["screenName"].editor.hasFocus()


def test_reconnecting_starts_at_the_secret_and_passes_fields_that_may_stay_empty(open_dialog, backend):
    fields = (
        AuthField(key="screenName", label="Screen name", required=True),
        AuthField(key="headerPrefix", label="Key prefix"),
        AuthField(key="apiKey", label="API Key", required=True),
    )
    backend.apps["deepl"] = backend.apps["deepl"].model_copy(update={"auth": AuthInfo(fields=fields)})

    dialog, _ = open_dialog("deepl", backend.connections["con-deepl"])

    assert dialog.form.fields["apiKey"].editor.edit.hasFocus()


def test_a_guide_that_is_only_in_the_web_opens_there(open_dialog, backend, opened):
    backend.apps["deepl"] = backend.apps["deepl"].model_copy(
        update={"docs_markdown": "", "auth_doc_url": "https://docs.example/deepl"}
    )
    dialog, _ = open_dialog("deepl")

    dialog.toggle_guide()

    assert opened == ["https://docs.example/deepl"]
    assert not dialog.guide.isVisible()


def test_a_long_form_scrolls_inside_the_window(qtbot, open_dialog, backend, page):
    fields = tuple(AuthField(key=f"field{n}", label=f"Field {n}", required=True) for n in range(14))
    backend.apps["long"] = AppInfo(
        key=AppKey("long"), name="Long", supports_connections=True, auth=AuthInfo(fields=fields)
    )
    dialog, form = open_dialog("long")

    assert dialog.height() <= page.height() - 40
    dialog.form.fields["field13"].editor.setFocus()
    form.submit()

    qtbot.waitUntil(lambda: dialog.form.fields["field0"].editor.hasFocus())
    assert dialog.form.fields["field0"].visibleRegion().boundingRect().height() > 0
    assert dialog.form.fields["field13"].visibleRegion().isEmpty()


def test_presets_placeholders_descriptions_and_copying(qtbot, open_dialog):
    dialog, _ = open_dialog("forge")
    redirect = dialog.form.fields["oAuthRedirectUrl"].editor
    assert isinstance(redirect, CopyField)
    assert redirect.edit.isReadOnly()
    assert redirect.text() == "http://127.0.0.1:8787/oauth/callback"

    redirect.button.click()

    assert redirect.button.text() == "Copied"
    assert QGuiApplication.clipboard().text() == redirect.text()
    assert "Enter this address" in redirect.accessibleDescription()


def test_fields_come_and_go_with_a_choice(qtbot, open_dialog, backend):
    backend.apps["service"] = AppInfo(
        key=AppKey("service"),
        name="Service",
        supports_connections=True,
        auth=AuthInfo(
            uses_browser=True,
            browser_if={"way": "oauth"},
            fields=(
                AuthField(
                    key="way",
                    label="Sign in with",
                    value="key",
                    required=True,
                    options=(Option(label="Key", value="key"), Option(label="OAuth", value="oauth")),
                ),
                AuthField(key="apiKey", label="API Key", required=True, visible_if={"way": "key"}),
                AuthField(key="clientId", label="Client ID", required=True, visible_if={"way": "oauth"}),
            ),
        ),
    )
    dialog, _ = open_dialog("service")
    fields = dialog.form.fields
    assert fields["apiKey"].isVisible()
    assert not fields["clientId"].isVisible()
    assert dialog.primary.text() == "Test and save"

    fields["way"].editor.set_value("oauth")

    assert fields["clientId"].isVisible()
    assert not fields["apiKey"].isVisible()
    assert dialog.primary.text() == "Sign in with browser"


def test_a_revealed_secret_is_copied_with_care(qtbot, open_dialog, monkeypatch):
    dialog, _ = open_dialog("deepl")
    secret = dialog.form.fields["apiKey"].editor
    secret.set_text("s3cr3t")
    asked = []
    monkeypatch.setattr(
        "patchbay.desktop.kit.secret_fields.copy_text", lambda text, secret: asked.append((text, secret))
    )

    secret.eye.click()
    assert secret.edit.echoMode() is QLineEdit.EchoMode.Normal
    secret.edit.selectAll()
    qtbot.keyClick(secret.edit, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    assert asked == [("s3cr3t", True)]
    assert QKeySequence(QKeySequence.StandardKey.Copy).toString() == "Ctrl+C"


def test_checking_shows_what_is_done_and_can_be_stopped(qtbot, open_dialog, backend):
    dialog, form = open_dialog("deepl")
    backend.hold("add_connection")
    fill(dialog, screenName="Mine", apiKey="right")

    dialog.primary.click()

    assert dialog.checking.step_texts() == ["Contacting DeepL, in progress", "Encrypt and save, pending"]
    assert not dialog.form.fields["apiKey"].isEnabled()
    dialog.cancel_button.click()
    qtbot.waitUntil(lambda: form.state is FormState.EDITING)
    assert dialog.isVisible()
    assert not dialog.checking.isVisible()


def test_a_refusal_has_its_answer_behind_details(qtbot, open_dialog):
    dialog, form = open_dialog("deepl")
    fill(dialog, screenName="Mine", apiKey="wrong")

    dialog.primary.click()
    qtbot.waitUntil(lambda: form.state is FormState.REJECTED)

    assert "Invalid API key" in dialog.error_box.box.accessibleName()
    assert dialog.form.fields["apiKey"].error.startswith("DeepL returned “Invalid API key” (401).")
    assert not dialog.error_box.details.isVisible()
    dialog.error_box.more.click()
    assert dialog.error_box.details.isVisible()


def test_a_problem_with_secrets_leads_to_the_settings(qtbot, open_dialog, backend):
    backend.failing["add_connection"] = SecretsUnavailable("The keyring is locked.", reason="locked")
    dialog, form = open_dialog("deepl")
    fill(dialog, screenName="Mine", apiKey="right")
    dialog.primary.click()
    qtbot.waitUntil(lambda: form.state is FormState.REJECTED)

    with qtbot.waitSignal(dialog.settings_requested) as told:
        button(dialog, "Open settings").click()

    assert told.args == ["Secrets"]


def test_a_missing_vault_is_said_at_the_top_at_once_and_created_from_there(
    qtbot, shared, page, backend, monkeypatch
):
    info, problem = backend.info, "This computer has no working system keyring."
    vault = FakeVault(VaultState.MISSING)

    async def info_without_keyring():
        return (await info()).model_copy(
            update={"secrets_problem": problem if vault.now is VaultState.MISSING else None}
        )

    monkeypatch.setattr(backend, "info", info_without_keyring)
    form = ConnectionFormViewModel(replace(shared, vault=vault), AppKey("deepl"))
    dialog = ConnectionDialog(form, page)
    qtbot.addWidget(dialog)
    dialog.open()
    form.load()
    qtbot.waitUntil(lambda: bool(dialog.fields) and dialog.storage_problem.isVisible())
    assert problem in dialog.storage_problem.box.accessibleName()
    assert dialog.storage_problem.y() < dialog.form.y()
    assert not dialog.where.isVisible()
    backend.failing["add_connection"] = SecretsUnavailable(problem, reason="no_keyring")
    fill(dialog, screenName="Mine", apiKey="right")
    dialog.primary.click()
    qtbot.waitUntil(lambda: form.state is FormState.REJECTED)
    assert not dialog.storage_problem.isVisible()

    button(dialog, "Create passphrase vault…").click()
    creating = dialog.findChild(CreateVaultDialog)
    for field in (creating.secret, creating.repeated_secret):
        field.set_text("correct horse")
    creating.submit.click()

    qtbot.waitUntil(lambda: dialog.where.isVisible())
    assert not dialog.error_box.isVisible()
    assert not dialog.storage_problem.isVisible()
    assert form.values["apiKey"] == "right"
