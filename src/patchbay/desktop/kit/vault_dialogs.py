"""Dialogs that create and unlock the passphrase vault."""

from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.vault import VaultAccess
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.inputs import FormField
from patchbay.desktop.kit.secret_fields import SecretField
from patchbay.desktop.kit.text import Label
from patchbay.desktop.tasks import Tasks
from patchbay.domain.errors import AppError, SecretsUnavailable

MIN_PASSPHRASE_LENGTH = 8
"""The least number of characters of a new passphrase."""


class VaultDialog(Dialog):
    """A form that stays open until the vault is unlocked, and shows why it isn't below the passphrase."""

    unlocked = Signal()

    def __init__(self, parent: QWidget, tasks: Tasks, vault: VaultAccess, title: str, text: str) -> None:
        super().__init__(parent, title, 480)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._tasks, self._vault = tasks, vault
        self.setAccessibleDescription(text)
        self.body.addWidget(Label(text, "body", "text_secondary", wrap=True))
        self.secret = SecretField(large=True)
        self.passphrase = FormField(tr("Passphrase"), self.secret, required=True)
        self.body.addWidget(self.passphrase)

    def _run(self, work: Coroutine[Any, Any, None], progress: str) -> None:
        self.submit.set_busy(True, progress)
        self._tasks.run(self, work, done=self._on_done, failed=self._on_failed)

    def _add_buttons(self, verb: str, submit: Callable[[], None]) -> None:
        self.submit, self.cancel = self.add_buttons(verb, submit)
        self.secret.setFocus()

    def _on_done(self, _: object) -> None:
        self.unlocked.emit()
        self.accept()

    def _on_failed(self, error: AppError) -> None:
        self.submit.set_busy(False)
        is_wrong = isinstance(error, SecretsUnavailable) and error.reason == "locked"
        self.passphrase.set_error(tr("This passphrase is wrong. Try again.") if is_wrong else error.text())
        self.secret.setFocus()
        self.secret.edit.selectAll()


class CreateVaultDialog(VaultDialog):
    """Asks for a new passphrase twice, so that a typo doesn't make the vault inaccessible."""

    def __init__(self, parent: QWidget, tasks: Tasks, vault: VaultAccess) -> None:
        text = tr(
            "Credentials are encrypted with a passphrase that you choose now. Patchbay asks for it at every "
            "start. It can't be recovered: if you forget it, you have to reconnect every connection."
        )
        super().__init__(parent, tasks, vault, tr("Create a passphrase vault"), text)
        self.passphrase.set_help(
            tr_count(MIN_PASSPHRASE_LENGTH, "At least {n} character.", "At least {n} characters.")
        )
        self.repeated_secret = SecretField(large=True)
        self.repeated = FormField(tr("Repeat passphrase"), self.repeated_secret, required=True)
        self.body.addWidget(self.repeated)
        self._add_buttons(tr("Create vault"), self._submit)

    def _submit(self) -> None:
        passphrase = self.secret.text()
        is_short = len(passphrase) < MIN_PASSPHRASE_LENGTH
        self.passphrase.set_error(tr("The passphrase is too short.") if is_short else None)
        is_different = passphrase != self.repeated_secret.text()
        self.repeated.set_error(tr("The passphrases don't match.") if is_different else None)
        if not (is_short or is_different):
            self._run(self._vault.create(passphrase), tr("Creating"))


class UnlockVaultDialog(VaultDialog):
    """Asks for the passphrase of the vault."""

    def __init__(self, parent: QWidget, tasks: Tasks, vault: VaultAccess) -> None:
        text = tr(
            "Connections wait until you enter the passphrase of the vault that stores their credentials. "
            "Flows without connections run meanwhile."
        )
        super().__init__(parent, tasks, vault, tr("Unlock the passphrase vault"), text)
        self._add_buttons(tr("Unlock"), self._submit)

    def _submit(self) -> None:
        passphrase = self.secret.text()
        self.passphrase.set_error(None if passphrase else tr("Enter the passphrase."))
        if passphrase:
            self._run(self._vault.unlock(passphrase), tr("Unlocking"))
