"""The connection dialog during a sign-in in the browser, and the question about another account."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from tests.support.dialogs import button, fill
from tests.support.fake_workspace import NOW

from patchbay.desktop.my_apps.view_models.connection_form import FormState
from patchbay.domain.connections import DeviceCode
from patchbay.domain.errors import Conflict, ThirdPartyError


def test_waiting_for_the_browser(qtbot, open_dialog, backend, opened):
    dialog, form = open_dialog("forge")
    fill(dialog, clientId="abc")

    dialog.primary.click()
    qtbot.waitUntil(dialog.sign_in.isVisible)

    assert dialog.accessibleName() == "Waiting for Forge"
    assert dialog.sign_in.steps.step_texts()[:2] == [
        "Opened the sign-in page in your browser, done",
        "Waiting for you to allow access, in progress",
    ]
    assert not dialog.primary.isVisible()
    assert "10:00" in dialog.sign_in._time_left_label.text()
    dialog.sign_in.open.click()
    assert len(opened) == 2
    dialog.sign_in.copy.click()
    assert dialog.sign_in.copy.text() == "Copied"
    assert QGuiApplication.clipboard().text() == opened[0]
    dialog.cancel_button.click()
    qtbot.waitUntil(lambda: form.state is FormState.EDITING)
    assert dialog.form.isVisible()


def test_the_address_by_hand(qtbot, open_dialog, backend):
    dialog, form = open_dialog("forge")
    fill(dialog, clientId="abc")
    dialog.primary.click()
    qtbot.waitUntil(dialog.sign_in.isVisible)
    manual_address = dialog.sign_in.manual_address
    manual_address.toggle.click()

    manual_address.edit.setText("http://127.0.0.1/nothing")
    manual_address.send.click()
    qtbot.waitUntil(lambda: manual_address.field.error is not None)
    manual_address.edit.setText(f"http://127.0.0.1/cb?code=1&state={form.browser.pending_sign_in.id}")
    with qtbot.waitSignal(dialog.connected):
        qtbot.keyClick(manual_address.edit, Qt.Key.Key_Return)


def test_a_code_is_shown_large_and_can_be_copied(qtbot, open_dialog, backend, opened):
    backend.device = DeviceCode(user_code="WDJB-MJHT", verification_url="https://forge.example/device")
    dialog, form = open_dialog("forge")
    fill(dialog, clientId="abc")
    dialog.primary.click()
    qtbot.waitUntil(dialog.sign_in.code.isVisible)

    dialog.sign_in.code.copy.click()
    assert QGuiApplication.clipboard().text() == "WDJB-MJHT"
    assert not dialog.sign_in.manual_address.isVisible()
    dialog.sign_in.open.click()
    assert opened == [form.browser.pending_sign_in.url]
    form.cancel()


def test_a_refused_sign_in_offers_to_try_again(qtbot, open_dialog, backend, on_loop):
    dialog, form = open_dialog("forge")
    fill(dialog, clientId="abc")
    dialog.primary.click()
    qtbot.waitUntil(lambda: form.state is FormState.WAITING)
    refusal = ThirdPartyError(app="Forge", said="The person refused access")
    on_loop(lambda: backend.come_back(form.browser.pending_sign_in.id, error=refusal))
    qtbot.waitUntil(dialog.error_box.isVisible)

    button(dialog, "Try again").click()

    qtbot.waitUntil(lambda: form.state is FormState.WAITING)
    form.cancel()


def test_a_taken_port_is_a_warning_not_a_failure(qtbot, open_dialog, backend):
    backend.failing["begin_sign_in"] = Conflict("Port 8787 is in use by another program.")
    dialog, _ = open_dialog("forge")
    fill(dialog, clientId="abc")

    dialog.primary.click()
    qtbot.waitUntil(dialog.error_box.isVisible)

    assert "Port 8787" in dialog.error_box.box.accessibleName()
    assert dialog.error_box.box._tone == "warning"


def test_the_question_about_another_account_names_both(qtbot, open_dialog, backend):
    backend.other_account = "ops@example.org"
    dialog, form = open_dialog("todoist", backend.connections["con-anna"])
    dialog.primary.click()
    qtbot.waitUntil(dialog.account.isVisible)

    assert dialog.account.accessibleName() == "Before: Anna’s Todoist. Now: ops@example.org."
    assert (dialog.primary.text(), dialog.cancel_button.text()) == (
        "Use the new account",
        "Keep the current account",
    )
    dialog.cancel_button.click()
    qtbot.waitUntil(lambda: form.state is FormState.EDITING)
    assert backend.connections["con-anna"].tested_at != NOW
    dialog.primary.click()
    qtbot.waitUntil(dialog.account.isVisible)
    with qtbot.waitSignal(dialog.connected):
        dialog.primary.click()
