"""The dialog that creates or reconnects a connection."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from patchbay.desktop.core.language import number_text, tr, tr_count
from patchbay.desktop.core.secret_stores import place_text
from patchbay.desktop.core.vault import VaultState
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, set_available
from patchbay.desktop.kit.certificate_box import CertificateBox
from patchbay.desktop.kit.dialogs import MARGIN, Dialog, confirm
from patchbay.desktop.kit.inputs import FormField
from patchbay.desktop.kit.json_view import JsonView
from patchbay.desktop.kit.layout import Card, FormScroll, line
from patchbay.desktop.kit.mark_painting import Tone
from patchbay.desktop.kit.messages import MessageAction, MessageBox
from patchbay.desktop.kit.text import ElidedLabel, Label
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.my_apps.app_page import AppTile
from patchbay.desktop.my_apps.connection_fields import ConnectionFields
from patchbay.desktop.my_apps.setup_guide import WIDTH as GUIDE
from patchbay.desktop.my_apps.setup_guide import GuidePane, guide_url, has_guide
from patchbay.desktop.my_apps.sign_in_page import SignInPage
from patchbay.desktop.my_apps.view_models.connection_form import ConnectionFormViewModel, FormState
from patchbay.desktop.my_apps.wait_steps import ProgressSteps
from patchbay.domain.backend import WorkspaceInfo
from patchbay.domain.errors import (
    AppError,
    DifferentAccount,
    SecretsUnavailable,
    ThirdPartyError,
    ValidationFailed,
)
from patchbay.domain.remote_options import UntrustedCertificate


def titles(model: ConnectionFormViewModel) -> tuple[str, str]:
    """Return title and subtitle for the current state."""
    if model.state is FormState.WAITING:
        device = (
            model.browser.pending_sign_in is not None and model.browser.pending_sign_in.device is not None
        )
        where = tr("Continue on the app's page") if device else tr("Continue in your browser")
        return tr("Waiting for {app}", app=model.name), where
    if model.state is FormState.CONFIRMING_ACCOUNT:
        return tr("This is a different account"), tr("Signed in to {app}", app=model.name)
    if model.existing:
        return (
            tr("Reconnect “{name}”", name=model.existing.screen_name),
            tr("{app}. The saved credentials are kept until the new ones are verified.", app=model.name),
        )
    subtitle = (model.app.description or model.app.category) if model.app else ""
    return tr("Connect {app}", app=model.name), subtitle


def primary_label(model: ConnectionFormViewModel) -> str:
    """The label of the main button for the state of the form."""
    if model.state is FormState.CONFIRMING_ACCOUNT:
        return tr("Use the new account")
    return tr("Sign in with browser") if model.uses_browser else tr("Test and save")


def checking_text(model: ConnectionFormViewModel) -> str:
    """Return the first progress step after submitting the form."""
    return tr("Preparing the sign-in") if model.uses_browser else tr("Contacting {app}", app=model.name)


def footer_text(model: ConnectionFormViewModel, seconds: int) -> str:
    """Return the footer, which says that nothing is saved yet."""
    if model.state is FormState.CHECKING and seconds:
        return tr("{n} s. Nothing has been saved yet", n=number_text(seconds))
    if model.state is FormState.CONFIRMING_ACCOUNT:
        return ""
    if model.state in (FormState.CHECKING, FormState.WAITING):
        return tr("Credentials are saved only after they're verified")
    return tr("The saved credentials haven't changed") if model.existing else tr("Nothing has been saved yet")


# Account change


class AccountChangeWarning(QWidget):
    """Warns that the credentials belong to a different account than before."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._previous_account, self._new_account = (
            Label("", "semibold", wrap=True),
            Label("", "semibold", wrap=True),
        )
        self._message = MessageBox("warning")
        card = Card()
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme().px(16))
        grid.setVerticalSpacing(theme().px(8))
        grid.setColumnStretch(1, 1)
        rows = ((tr("Current account"), self._previous_account), (tr("New account"), self._new_account))
        for number, (label, value) in enumerate(rows):
            grid.addWidget(Label(label, "body", "text_tertiary"), number, 0)
            grid.addWidget(value, number, 1)
        card.body.addLayout(grid)
        vbox(card, self._message, parent=self, spacing=14)

    def show_accounts(self, accounts: DifferentAccount, *, flow_count: int) -> None:
        """Show the previous and the new account, and how many flows would use the new one."""
        self._previous_account.setText(accounts.before)
        self._new_account.setText(accounts.now)
        if flow_count:
            effect = tr_count(
                flow_count,
                "{n} flow would use “{account}”, with its data and permissions.",
                "{n} flows would use “{account}”, with its data and permissions.",
                account=accounts.now,
            )
        else:
            effect = tr(
                "Every flow that uses this connection would use “{account}”, with its data and permissions.",
                account=accounts.now,
            )
        self._message.set("warning", tr("Nothing has changed yet"), effect)
        self.setAccessibleName(tr("Before: {before}. Now: {now}.", before=accounts.before, now=accounts.now))


# Result and storage location

SECRETS_PAGE = "Secrets"
_VAULT_VERBS = {
    VaultState.MISSING: tr("Create passphrase vault…"),
    VaultState.OPTIONAL: tr("Use a passphrase instead…"),
    VaultState.LOCKED: tr("Unlock…"),
}
_DETAIL_KEYS = ("status", "details", "request")


class StorageActions(QWidget):
    """A box with buttons that solve a problem with storing credentials.

    `vault_requested` opens the dialog of the passphrase vault, `settings_requested` a page of the settings.
    """

    settings_requested = Signal(str)
    vault_requested = Signal()

    def storage_actions(self, vault: VaultState) -> list[MessageAction]:
        """The buttons: the vault if that helps, then the settings."""
        actions: list[MessageAction] = [
            (tr("Open settings"), lambda: self.settings_requested.emit(SECRETS_PAGE))
        ]
        if verb := _VAULT_VERBS.get(vault):
            actions.insert(0, (verb, self.vault_requested.emit))
        return actions


class ConnectionErrorBox(StorageActions):
    """Shows an error, with the response under "Details"."""

    retry_requested = Signal()
    trust_requested = Signal()
    folded = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = MessageBox("failure", first_kind="link")
        self.more = Button(tr("Details"), "link", "chevron-right")
        self.more.setAutoDefault(False)
        self.more.clicked.connect(self._toggle_details)
        self.details = JsonView(search=False)
        self.details.setFixedHeight(theme().px(110))
        self.certificate = CertificateBox()
        vbox(
            self.box,
            self.certificate,
            hbox(self.more, Stretch(), margins=(2, 0, 0, 0)),
            self.details,
            parent=self,
            spacing=6,
        )
        self.details.hide()
        self.hide()

    def show_result(
        self,
        error: AppError | None,
        *,
        retryable: bool = False,
        vault: VaultState = VaultState.NOT_NEEDED,
    ) -> None:
        """Show an error; None hides the box. `retryable`: trying again may help."""
        self.setVisible(error is not None)
        untrusted = isinstance(error, UntrustedCertificate)
        self.box.setVisible(not untrusted)
        self.certificate.setVisible(untrusted)
        if error is None or untrusted:
            self.details.hide()
        if error is None:
            return
        if isinstance(error, UntrustedCertificate):
            self.certificate.ask(error, self.trust_requested.emit)
            self.more.hide()
            return
        text = " ".join(filter(None, (error.meaning, error.todo)))
        tone: Tone = "failure" if isinstance(error, ThirdPartyError | ValidationFailed) else "warning"
        self.box.set(tone, error.happened, text, self._error_actions(error, retryable, vault))
        raw = error.extra() if isinstance(error, ThirdPartyError) else {}
        details_shown = {key: raw[key] for key in _DETAIL_KEYS if raw.get(key)}
        self.more.setVisible(bool(details_shown))
        if details_shown:
            self.details.set_value(details_shown)

    def _error_actions(self, error: AppError, retryable: bool, vault: VaultState) -> list[MessageAction]:
        if isinstance(error, SecretsUnavailable):
            return self.storage_actions(vault)
        if isinstance(error, ThirdPartyError | ValidationFailed) and not retryable:
            return []
        return [(tr("Try again"), self.retry_requested.emit)]

    def _toggle_details(self) -> None:
        hidden = self.details.isHidden()
        self.details.setVisible(hidden)
        self.more.set_icon("chevron-down" if hidden else "chevron-right")
        self.folded.emit()


class SecretsLocationBox(StorageActions):
    """Shows where credentials are stored, or a problem with links to fix it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = MessageBox("neutral", first_kind="link")
        vbox(self.box, parent=self)
        self.hide()

    def show_secrets_location(
        self, info: WorkspaceInfo | None, vault: VaultState = VaultState.NOT_NEEDED
    ) -> None:
        """Show the location; None hides the box."""
        self.setVisible(info is not None and bool(info.secrets_problem or info.secrets_kept))
        if info is None:
            return
        if info.secrets_problem:
            text, actions = info.secrets_problem, self.storage_actions(vault)
            self.box.set("warning", tr("Credentials can't be stored right now"), text, actions)
        else:
            self.box.set("neutral", _LOCATION_TITLES[info.kind], place_text(info))


_LOCATION_TITLES = {
    "local": tr("Stored on this computer"),
    "remote": tr("Stored on the server"),
    "demo": tr("Stored in the demo only"),
}

# Dialog

FORM_WIDTH = 560


class ConnectionDialog(Dialog):
    """Creates or reconnects a connection; nothing is stored before the credentials are verified.

    `settings_requested` carries the settings page that fixes a storage problem.
    """

    connected = Signal(object)
    settings_requested = Signal(str)

    def __init__(self, model: ConnectionFormViewModel, parent: QWidget | None) -> None:
        super().__init__(
            parent, tr("Reconnect") if model.existing else tr("Add connection"), FORM_WIDTH, head=False
        )
        self._model = model
        model.setParent(self)
        self.error_box = ConnectionErrorBox()
        self.form = ConnectionFields(model)
        self.checking = ProgressSteps()
        self.sign_in = SignInPage(model.browser)
        self.account = AccountChangeWarning()
        self.storage_problem, self.where = SecretsLocationBox(), SecretsLocationBox()
        self.guide = GuidePane(model.open_url)
        self._checking_seconds = 0
        self._show_guide_on_load = False
        self._last_state: FormState | None = None
        self._clock = QTimer(self, interval=1_000)
        self._clock.timeout.connect(self._count_seconds)
        self._build_head()
        self._build_body()
        self._footnote = ElidedLabel("", "caption", "text_tertiary")
        self.footer.addWidget(self._footnote)
        self.primary, self.cancel_button = self.add_buttons(tr("Test and save"), self._submit)
        for changed in (model.changed, self.error_box.folded):
            changed.connect(self._show)
        self.error_box.retry_requested.connect(model.submit)
        self.error_box.trust_requested.connect(model.trust_certificate)
        for box in (self.error_box, self.storage_problem):
            box.settings_requested.connect(self.settings_requested)
            box.vault_requested.connect(self._open_vault_dialog)
        self.guide.close_requested.connect(self.toggle_guide)
        model.focus_requested.connect(self._focus_field)
        model.finished.connect(self._on_finished)
        self._show()

    @property
    def fields(self) -> dict[str, FormField]:
        """The form's fields by key, once loaded."""
        return self.form.fields

    def reject(self) -> None:
        """Stop a running check, else close; confirm before discarding input (Esc and Cancel)."""
        model = self._model
        if model.busy or model.state is FormState.CONFIRMING_ACCOUNT:
            model.cancel()
        elif model.dirty:
            text = (
                tr("The saved credentials stay unchanged.")
                if model.existing
                else tr("The connection hasn't been saved.")
            )
            confirm(self, tr("Discard what you entered?"), text, tr("Discard"), True, super().reject)
        else:
            super().reject()

    def toggle_guide(self) -> None:
        """Show or hide the set-up guide beside the form.

        A guide that exists only on the web opens in the browser. Before the app is loaded,
        the request is stored.
        """
        app = self._model.app
        self._show_guide_on_load = self._model.state is FormState.LOADING
        if app is None or self._show_guide_on_load or not has_guide(app):
            return
        if not app.docs_markdown:
            self._model.open_url(guide_url(app))
            return
        shown = self.guide.isHidden()
        self.guide.show_app(app)
        self.guide.setVisible(shown)
        self._guide_divider.setVisible(shown)
        self._guide_link.setText(tr("Hide guide") if shown else tr("Show guide"))
        self.setFixedWidth(theme().px(FORM_WIDTH + (GUIDE if shown else 0)))
        self.fit()

    def fit(self) -> None:
        """Fit the height to the content, up to the window's height."""
        if not hasattr(self, "_scroll"):
            return
        frame = self._pane_head.totalSizeHint().height() + self._footer_frame.sizeHint().height() + 2
        content_height = self._scroll.needed_height(theme().px(FORM_WIDTH))
        parent = self.parentWidget()
        if parent is not None:
            content_height = min(content_height, parent.window().height() - frame - 2 * theme().px(MARGIN))
        if not self.guide.isHidden():
            content_height = max(content_height, theme().px(300))
        self._scroll.setFixedHeight(max(content_height, theme().px(80)))
        super().fit()

    # How it is built

    def _build_head(self) -> None:
        self._tile = AppTile(40, self._model.app)
        self._name, self._subtitle = (
            Label("", "title", wrap=True),
            Label("", "caption", "text_secondary", wrap=True),
        )
        self._guide_link = Button(tr("Show guide"), "link", "book-open")
        self._guide_link.setAutoDefault(False)
        self._guide_link.clicked.connect(self.toggle_guide)
        self._pane_head = hbox(
            (self._tile, 0, Qt.AlignmentFlag.AlignTop),
            (vbox(self._name, self._subtitle, spacing=2), 1),
            self._guide_link,
            margins=(20, 18, 20, 8),
            spacing=12,
        )

    def _build_body(self) -> None:
        px = theme().px
        self._scroll = FormScroll()
        column = self._scroll.inside.column
        column.setContentsMargins(px(20), px(8), px(20), px(20))
        column.setSpacing(px(14))
        top = (self.storage_problem, self.error_box)
        for part in (*top, self.form, self.checking, self.sign_in, self.account, self.where):
            column.addWidget(part)
        column.addStretch(1)
        self._guide_divider = line(vertical=True)
        body_row = hbox(
            (vbox(self._pane_head, self._scroll, spacing=0), 1), self._guide_divider, self.guide, spacing=0
        )
        self._guide_divider.hide()
        self.guide.hide()
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.addLayout(body_row)

    # How it is shown

    def _show(self) -> None:
        model, state = self._model, self._model.state
        if model.fields and not self.form.fields:
            self.form.build()
            if self._show_guide_on_load:
                self.toggle_guide()
        is_asking = state is FormState.CONFIRMING_ACCOUNT
        waiting = state is FormState.WAITING
        title, subtitle = titles(model)
        self.setAccessibleName(title)
        self._name.setText(title)
        self._subtitle.setText(subtitle)
        self._guide_link.setVisible(has_guide(model.app) and not (is_asking or waiting))
        self.form.setVisible(not is_asking and not waiting)
        self.form.show_state()
        self._show_checking(state is FormState.CHECKING)
        self.sign_in.setVisible(waiting)
        self.sign_in.show_wait()
        self.account.setVisible(is_asking)
        if model.other_account is not None:
            self.account.show_accounts(
                model.other_account, flow_count=model.existing.flow_count if model.existing else 0
            )
        rejected = model.error if state is FormState.REJECTED else None
        is_retryable = model.uses_browser and not model.messages
        self.error_box.show_result(rejected, retryable=is_retryable, vault=model.vault)
        self._show_storage(model.where if not model.busy and not is_asking else None, rejected)
        self._show_buttons()
        self._footnote.setText(footer_text(model, self._checking_seconds))
        self._move_focus(state)
        self.fit()

    def _show_storage(self, info: WorkspaceInfo | None, rejected: AppError | None) -> None:
        """Show at the end where credentials are stored, or at the top why they can't be."""
        has_problem = info is not None and info.secrets_problem is not None
        is_said = isinstance(rejected, SecretsUnavailable)
        self.storage_problem.show_secrets_location(
            info if has_problem and not is_said else None, self._model.vault
        )
        self.where.show_secrets_location(None if has_problem else info)

    def _open_vault_dialog(self) -> None:
        from patchbay.desktop.kit.vault_dialogs import CreateVaultDialog, UnlockVaultDialog

        services = self._model.services
        if services.vault is None:
            return
        kind = UnlockVaultDialog if self._model.vault is VaultState.LOCKED else CreateVaultDialog
        dialog = kind(self, services.tasks, services.vault)
        dialog.unlocked.connect(self._model.load_storage)
        dialog.open()

    def _move_focus(self, state: FormState) -> None:
        """Move the focus on if its widget was hidden or disabled."""
        before, self._last_state = self._last_state, state
        focused = self.focusWidget()
        is_lost = focused is None or not focused.isVisibleTo(self) or not focused.isEnabled()
        was_away = before in (FormState.WAITING, FormState.CONFIRMING_ACCOUNT)
        if state is FormState.REJECTED and before is not state and not self._model.messages:
            self.error_box.box.draw_attention()
        if before in (None, state) or not (is_lost or was_away):
            return
        if state is FormState.WAITING:
            self.sign_in.open.setFocus(Qt.FocusReason.OtherFocusReason)
        elif state in (FormState.CHECKING, FormState.CONFIRMING_ACCOUNT):
            self.cancel_button.setFocus(Qt.FocusReason.OtherFocusReason)
        elif state is FormState.EDITING:
            self.form.focus_first()

    def _show_checking(self, checking: bool) -> None:
        self.checking.setVisible(checking)
        if not checking:
            self._clock.stop()
            self._checking_seconds = 0
            return
        if not self._clock.isActive():
            self._clock.start()
        first_step = self._model.keyring.message or checking_text(self._model)
        self.checking.set_steps([("active", first_step), ("pending", tr("Encrypt and save"))])
        QTimer.singleShot(0, self, lambda: self._scroll.reveal(self.checking))

    def _show_buttons(self) -> None:
        model = self._model
        self.primary.setVisible(model.state is not FormState.WAITING)
        self.primary.set_busy(model.state is FormState.CHECKING, tr("Checking"))
        if not model.busy:
            self.primary.setText(primary_label(model))
        self.primary.set_icon("arrow-up-right" if model.uses_browser and not model.other_account else None)
        set_available(self.primary, None if model.fields else tr("The fields of this app are still loading."))
        asks_to_keep = model.state is FormState.CONFIRMING_ACCOUNT
        self.cancel_button.setText(tr("Keep the current account") if asks_to_keep else tr("Cancel"))

    def _count_seconds(self) -> None:
        self._checking_seconds += 1
        self._footnote.setText(footer_text(self._model, self._checking_seconds))

    def _submit(self) -> None:
        if self._model.state is FormState.CONFIRMING_ACCOUNT:
            self._model.accept_other_account()
        else:
            self._model.submit()

    def _focus_field(self, key: str) -> None:
        self.form.focus(key)
        self._scroll.reveal(self.form.fields[key])

    def _on_finished(self, connection: object) -> None:
        self.connected.emit(connection)
        self.accept()
