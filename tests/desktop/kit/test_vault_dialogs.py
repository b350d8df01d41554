"""Creating and unlocking the passphrase vault are different dialogs with their own words."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from tests.support.fake_vault import FakeVault

from patchbay.desktop.core.vault import VaultState
from patchbay.desktop.kit.vault_dialogs import CreateVaultDialog, UnlockVaultDialog


@pytest.fixture
def window(qtbot):
    made = QWidget()
    made.resize(900, 700)
    qtbot.addWidget(made)
    made.show()
    return made


def texts(dialog):
    return [button.text() for button in dialog.findChildren(QPushButton) if button.text()]


def test_a_new_passphrase_is_asked_twice_and_must_be_long_enough(qtbot, tasks, window):
    vault = FakeVault(VaultState.MISSING)
    dialog = CreateVaultDialog(window, tasks, vault)
    dialog.open()

    dialog.secret.set_text("short")
    dialog.submit.click()
    assert dialog.passphrase.error == "The passphrase is too short."

    dialog.secret.set_text("long enough")
    dialog.repeated_secret.set_text("long enouhg")
    dialog.submit.click()
    assert dialog.repeated.error == "The passphrases don't match."
    assert vault.tried == []

    dialog.repeated_secret.set_text("long enough")
    with qtbot.waitSignal(dialog.unlocked):
        dialog.submit.click()
    assert vault.tried == ["long enough"]


def test_creating_says_that_the_passphrase_can_not_be_recovered(tasks, window):
    dialog = CreateVaultDialog(window, tasks, FakeVault(VaultState.MISSING))

    assert dialog.windowTitle() == "Create a passphrase vault"
    assert "can't be recovered" in dialog.accessibleDescription()
    assert texts(dialog) == ["Cancel", "Create vault"]


def test_unlocking_asks_once_and_a_wrong_passphrase_can_be_corrected(qtbot, tasks, window):
    vault = FakeVault(VaultState.LOCKED)
    dialog = UnlockVaultDialog(window, tasks, vault)
    dialog.open()
    assert dialog.windowTitle() == "Unlock the passphrase vault"
    assert texts(dialog) == ["Cancel", "Unlock"]

    dialog.secret.set_text("wrong")
    dialog.submit.click()
    qtbot.waitUntil(lambda: dialog.passphrase.error == "This passphrase is wrong. Try again.")
    assert dialog.isVisible()

    dialog.secret.set_text("correct horse")
    with qtbot.waitSignal(dialog.unlocked):
        qtbot.keyClick(dialog.secret.edit, Qt.Key.Key_Return)
    assert vault.now is VaultState.UNLOCKED
