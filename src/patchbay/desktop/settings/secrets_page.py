"""Settings → Secrets: where credentials are stored, moving them, and solving problems with them."""

import sys

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.vault import VaultState
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import confirm
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.vault_dialogs import CreateVaultDialog, UnlockVaultDialog
from patchbay.desktop.settings.view_models.secrets import LOCATION_LABELS, SecretsViewModel
from patchbay.domain.connections import SecretsState, SecretsStorage

_SECRETS_NOTE = tr("Credentials never appear in executions, logs, exports, or crash reports.")
_LOCKED_NOTE = tr("Connections wait until you enter its passphrase. Flows without connections run.")
_RESTART_NOTE = tr("Another program runs the flows. Restart it with --passphrase-file to unlock the vault.")

_PROMPT_EXPLANATION = (
    tr(
        "macOS may ask in a separate window whether Patchbay can use the keychain. Enter your password there "
        "and click Always Allow. Patchbay waits for 2 minutes."
    )
    if sys.platform == "darwin"
    else tr("The keyring may ask for its password in a separate window. Patchbay waits for 30 seconds.")
)


class SecretsPage(QWidget):
    """Where credentials are stored, and what to do while they can't be used."""

    def __init__(self, model: SecretsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        model.setParent(self)
        self.state = MessageBox("neutral", tr("Checking where credentials are stored"))
        self.home = ComboBox(tr("Store credentials"), large=True)
        self.home.set_options([(home, words) for home, words in LOCATION_LABELS.items()])
        self.home.value_changed.connect(self._move_secrets)
        self.field = FormField(tr("Store credentials"), self.home)
        self.create_vault = Button(tr("Create passphrase vault…"), icon="key-round")
        self.create_vault.clicked.connect(lambda: self._open_vault_dialog(CreateVaultDialog))
        self.replace_keyring = Button(tr("Use a passphrase instead…"), icon="key-round")
        self.replace_keyring.clicked.connect(lambda: self._open_vault_dialog(CreateVaultDialog))
        self.unlock_vault = Button(tr("Unlock…"), "primary", icon="lock")
        self.unlock_vault.clicked.connect(lambda: self._open_vault_dialog(UnlockVaultDialog))
        self.again = Button(tr("Try again"), icon="refresh-cw")
        self.again.clicked.connect(model.check_again)
        self.stop = Button(tr("Cancel"))
        self.stop.clicked.connect(model.cancel)
        self.change_key = Button(tr("Change encryption key…"), icon="refresh-cw")
        self.change_key.clicked.connect(self._confirm_change_key)
        self.discard = Button(tr("Discard lost credentials…"), "danger")
        self.discard.clicked.connect(self._confirm_discard)
        column = vbox(self.state, self.field, parent=self)
        vault = (self.unlock_vault, self.create_vault)
        again = hbox(self.again, self.replace_keyring, Stretch(), spacing=8)
        for part in (self.stop, *vault, again, self.change_key, self.discard):
            if isinstance(part, Button):
                column.addWidget(part, 0, Qt.AlignmentFlag.AlignLeft)
            else:
                column.addLayout(part)
        column.addWidget(Label(_SECRETS_NOTE, "caption", "text_tertiary", wrap=True))
        column.addStretch(1)
        model.changed.connect(self._show)
        self._show()
        model.load()

    def _open_vault_dialog(self, kind: type[CreateVaultDialog] | type[UnlockVaultDialog]) -> None:
        services = self._model.services
        if services.vault is not None:
            dialog = kind(self, services.tasks, services.vault)
            dialog.unlocked.connect(self._model.load)
            dialog.open()

    def _show(self) -> None:
        model, state = self._model, self._model.state
        self.field.setVisible(state is not None and state.problem is None and not state.barred)
        self.stop.setVisible(model.busy and (model.moving or bool(model.keyring.message)))
        can_ask_again = state is None or state.problem is not None
        self.again.setVisible(not model.busy and can_ask_again and model.unavailable_reason is None)
        self.create_vault.setVisible(model.vault is VaultState.MISSING)
        self.replace_keyring.setVisible(model.vault is VaultState.OPTIONAL and not model.busy)
        self.unlock_vault.setVisible(model.vault is VaultState.LOCKED)
        self.discard.setVisible(state is not None and state.lost and not model.busy)
        self.change_key.setVisible(model.can_change_key and not model.busy)
        self.home.setEnabled(not model.busy)
        if state is not None and not model.busy:  # while secrets are moved, the chosen place stays
            self.home.blockSignals(True)
            self.home.set_value(state.home)
            self.home.blockSignals(False)
        if model.unavailable_reason is not None:
            self.state.set("neutral", tr("The server stores the credentials"), model.unavailable_reason)
        elif model.busy:
            self._show_progress()
        elif model.error is not None:
            words = " ".join(filter(None, (model.error.meaning, model.error.todo)))
            self.state.set("failure", model.error.happened, words)
        elif state is not None:
            self._show_storage(state)
        elif model.cancelled:
            self.state.set("neutral", tr("Stopped waiting for the keyring"), tr("Nothing was changed."))

    def _show_storage(self, state: SecretsState) -> None:
        if state.problem is None:
            text = state.kept
            if state.stored:
                number = tr_count(state.stored, "{n} connection stored.", "{n} connections stored.")
                text = f"{number} {text}"
            self.state.set("success", tr("Credentials are stored securely"), text)
        elif self._model.vault is VaultState.LOCKED:
            self.state.set("warning", tr("The passphrase vault is locked"), _LOCKED_NOTE)
        elif self._model.vault is VaultState.LOCKED_ELSEWHERE:
            self.state.set("warning", tr("The passphrase vault is locked"), _RESTART_NOTE)
        elif self._model.vault is VaultState.MISSING:
            self.state.set("warning", tr("Credentials can't be stored yet"), state.problem)
        else:
            self.state.set("warning", tr("Credentials aren't available"), state.problem)

    def _show_progress(self) -> None:
        model = self._model
        if model.keyring.message:
            self.state.set("neutral", model.keyring.message, _PROMPT_EXPLANATION)
        elif model.moving:
            self.state.set(
                "neutral",
                tr("Moving", "credentials"),
                tr("Each one is verified before the old copy is deleted."),
            )
        elif model.state is None:
            self.state.set("neutral", tr("Checking where credentials are stored"))

    def _move_secrets(self, home: SecretsStorage) -> None:
        self._model.move(home)

    def _confirm_change_key(self) -> None:
        confirm(
            self,
            tr("Change the encryption key?"),
            tr(
                "All credentials are re-encrypted in one step and the old key is deleted. Do this if "
                "someone may have seen the key. Earlier copies of the data folder still need the old key."
            ),
            tr("Change key"),
            False,
            self._model.change_key,
        )

    def _confirm_discard(self) -> None:
        stored = self._model.state.stored if self._model.state else 0
        confirm(
            self,
            tr_count(
                stored,
                "Discard the credentials of {n} connection?",
                "Discard the credentials of {n} connections?",
            ),
            tr(
                "The encryption key is missing, so saved credentials can't be decrypted. You'll have to "
                "reconnect each connection. Wait if you might still find the key (on another computer, "
                "in a backup)."
            ),
            tr("Discard"),
            True,
            self._model.discard_lost,
        )
