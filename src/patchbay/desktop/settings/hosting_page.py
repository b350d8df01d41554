"""Settings → Server: the addresses of the workspace, their test, outgoing addresses, and invitation mail."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.accessibility import AccessibleText
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.browser import open_in_browser
from patchbay.desktop.kit.buttons import Button, set_available
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.inputs import ComboBox, EditRow, FormField
from patchbay.desktop.kit.layout import Card, FormScroll, line
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.mark_painting import paint_mark
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.secret_fields import CopyField
from patchbay.desktop.kit.text import ElidedLabel, Label
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.settings.view_models.hosting import HostingViewModel
from patchbay.domain.errors import AppError
from patchbay.domain.hosting import AddressCheck, AddressTest
from patchbay.domain.outgoing import OutgoingMode

_MODE_HELP = tr(
    "Keeps flows and connections from calling this computer, private and link-local addresses, and cloud "
    "metadata. A flow that an admin published counts as an admin's."
)
_ALLOWED_HELP = tr(
    "Separate entries with commas: nas.example.lan, *.example.lan, 10.1.0.0/16, 10.1.2.3:8080."
)
_MODES = (
    (OutgoingMode.AUTOMATIC, tr("Block for everyone but admins while others can reach this server")),
    (OutgoingMode.MEMBERS, tr("Block for everyone but admins")),
    (OutgoingMode.EVERYBODY, tr("Block for everyone")),
    (OutgoingMode.OFF, tr("Don't block")),
)

_PUBLIC_HELP = tr(
    "The URL others use to reach this workspace, for example through a proxy or tunnel. "
    "Webhook addresses, browser sign-ins, and invitations use it. Leave empty to use the address "
    "above."
)
_REDIRECT_HELP = tr("To set up OAuth sign-in, enter this URL in the app's developer console.")
_MAIL_HELP = tr("You always see the invitation link. With a mail connection, it's also sent by email.")
_NOT_LISTENING = tr(
    "There's no listener while only this window is open. Run “patchbay serve” to start the server."
)


class AddressTestResults(QWidget):
    """The result of the address test; hidden until there is one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[AddressTest | None, AppError | None] = (None, None)
        self._column = vbox(parent=self)
        self.hide()

    def show_test(self, test: AddressTest | None, error: AppError | None) -> None:
        """Show the result of a test, or why it couldn't run."""
        if (test, error) == self._shown:
            return
        self._shown = test, error
        while item := self._column.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        if error is not None:
            words = " ".join(filter(None, (error.meaning, error.todo)))
            self._column.addWidget(MessageBox("failure", error.happened, words))
        elif test is not None:
            self._column.addWidget(_outcome(test))
        self.setVisible(test is not None or error is not None)


def _outcome(test: AddressTest) -> QWidget:
    card = Card(padding=12)
    card.body.setSpacing(theme().px(10))
    card.line_token = "border" if test.ok else "failure_border"
    title = (
        tr("Requests to this address reach Patchbay")
        if test.ok
        else tr("Some requests to this address don't reach Patchbay")
    )
    head = Label(title, "semibold", wrap=True)
    card.body.addWidget(head)
    for check in test.checks:
        card.body.addWidget(_CheckRow(check))
    card.setAccessibleName(f"{test.address}: {title}")
    return card


class _CheckRow(AccessibleText, QWidget):
    """One request of the test: what was requested, where, and the response."""

    def __init__(self, check: AddressCheck) -> None:
        super().__init__()
        self._ok = check.ok
        name = Label(check.name, "medium")
        address = ElidedLabel(check.url, "caption", "text_tertiary")
        words = Label(check.words, "body", "text_secondary" if check.ok else "failure", wrap=True)
        vbox(hbox(name, (address, 1), spacing=8), words, parent=self, margins=(24, 0, 0, 0), spacing=2)
        if check.ok:
            text = tr("{name} reachable: {result}", name=check.name, result=check.words)
        else:
            text = tr("{name} not reachable: {result}", name=check.name, result=check.words)
        self.setAccessibleName(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        px, tokens = theme().px, theme().tokens
        painter = QPainter(self)
        area = QRectF(0, px(1), px(16), px(16))
        if self._ok:
            paint_icon(painter, area, "circle-check", "success")
        else:
            paint_mark(painter, area, "circle-x", tokens.failure, tokens.surface)


class OutgoingSection(QWidget):
    """The setting whose flows can't connect to addresses inside the network, and the exceptions."""

    def __init__(self, model: HostingViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: str | None = None
        self.mode = ComboBox(tr("Outgoing addresses"))
        self.mode.set_options(list(_MODES))
        self.allowed = LineEdit("", "nas.example.lan, 10.1.0.0/16")
        self.allowed.setAccessibleName(tr("Always allowed addresses"))
        self.save = Button(tr("Save"))
        self.mode_field = FormField(tr("Outgoing addresses"), self.mode, help=_MODE_HELP)
        self.allowed_field = FormField(
            tr("Always allowed"), EditRow(self.allowed, self.save), help=_ALLOWED_HELP
        )
        self.allowed_field.label.setBuddy(self.allowed)
        vbox(self.mode_field, self.allowed_field, parent=self, spacing=10)
        self.mode.value_changed.connect(model.set_outgoing_mode)
        self.allowed.textEdited.connect(lambda _: self._show_save())
        self.allowed.returnPressed.connect(self._save)
        self.save.clicked.connect(self._save)
        model.changed.connect(self._show)
        self._show()

    @property
    def _edited(self) -> bool:
        return self._shown is not None and self.allowed.text().strip() != self._shown

    def _save(self) -> None:
        if self._edited:
            self._shown = None
            self._model.set_allowed_addresses(self.allowed.text())

    def _show(self) -> None:
        """Show the current settings, except over a field that is being edited or is invalid."""
        model, settings = self._model, self._model.settings
        if settings is None:
            return
        self.mode.blockSignals(True)
        self.mode.set_value(settings.outgoing_addresses)
        self.mode.blockSignals(False)
        self.mode.setEnabled(not model.busy)
        saved_addresses = ", ".join(settings.allowed_addresses)
        keep_text = bool(model.allowed_addresses_error) or model.error is not None or self._edited
        if not model.busy and not keep_text:
            self.allowed.setText(saved_addresses)
        if not model.busy:
            self._shown = saved_addresses
        self.allowed_field.set_error(model.allowed_addresses_error or None)
        self._show_save()

    def _show_save(self) -> None:
        set_available(self.save, None if self._edited else tr("There are no changes to save."))
        if self._model.busy:
            set_available(self.save, tr("The changes are being saved."))


class ServicePage(QWidget):
    """Adds the server page to the settings dialog. Choices take effect immediately, an address when it is
    saved.
    """

    def __init__(self, model: HostingViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        model.setParent(self)
        self._test_pending = False
        self._shown_address: str | None = None
        self._submitted_address: str | None = None
        """The text of the field when it was saved."""
        self.problem = MessageBox("failure", parent=self)
        self.listen_address = CopyField("", tr("listening address"))
        self.docs, self.openapi = _link(tr("Documentation")), _link(tr("OpenAPI"))
        self.address = LineEdit("", "https://flows.example.org")
        self.save, self.test = Button(tr("Save")), Button(tr("Test", "verb, button"), icon="refresh-cw")
        self.stop = Button(tr("Stop", "button, ends a test"), "link")
        self.checks = AddressTestResults()
        self.redirect = CopyField("", tr("redirect address"))
        self.webhooks = CopyField("", tr("webhook base URL"))
        self.mail = ComboBox(tr("Invitations"))
        self.saved = Label(tr("Saved."), "caption", "text_secondary")
        self.undo = Button(tr("Undo"), "link", small=True)
        self._form = QWidget()
        self._lay_out()
        self._connect()
        self._show()
        model.load()

    def run_test(self) -> None:
        """Test the address in the field, whether it is saved or not."""
        self.model.run_test(self.address.text())

    def test_when_loaded(self) -> None:
        """Test the current address as soon as it is known."""
        self._test_pending = True
        self._show()

    def _lay_out(self) -> None:
        px = theme().px
        scroll = FormScroll(tr("Server", "section of the settings"))
        inside = scroll.inside.column
        inside.setContentsMargins(px(4), px(4), px(14), px(4))
        inside.setSpacing(px(12))
        self.listen_field = FormField(tr("Listening on"), self.listen_address)
        self.listen_field.head.addWidget(self.docs)
        self.listen_field.head.addSpacing(px(8))
        self.listen_field.head.addWidget(self.openapi)
        self.address.setAccessibleName(tr("Public address"))
        public_row = EditRow(self.address, self.stop, self.save, self.test)
        self.public_field = FormField(tr("Public address"), public_row, help=_PUBLIC_HELP)
        self.public_field.label.setBuddy(self.address)
        vbox(self.public_field, self.checks, parent=self._form, spacing=10)
        self.redirect_field = FormField(tr("OAuth redirect URL"), self.redirect, help=_REDIRECT_HELP)
        self.webhooks_field = FormField(tr("Webhook base URL"), self.webhooks)
        self.mail_field = FormField(tr("Invitations"), self.mail, help=_MAIL_HELP)
        self.outgoing = OutgoingSection(self.model)
        self._line, self._second_line = line(), line()
        for widget in (
            self.listen_field,
            self._form,
            self.redirect_field,
            self.webhooks_field,
            self._line,
            self.mail_field,
            self._second_line,
            self.outgoing,
        ):
            inside.addWidget(widget)
        inside.addStretch(1)
        vbox(
            vbox(self.problem, margins=(4, 0, 14, 0)),
            (scroll, 1),
            hbox(self.saved, self.undo, Stretch(), margins=(4, 0, 0, 0)),
            parent=self,
            spacing=8,
        )

    def _connect(self) -> None:
        model = self.model
        self.docs.clicked.connect(lambda: _open(model.docs))
        self.openapi.clicked.connect(lambda: _open(model.openapi))
        self.address.textEdited.connect(lambda _: self._show_buttons())
        self.address.returnPressed.connect(self._save)
        self.save.clicked.connect(self._save)
        self.test.clicked.connect(self.run_test)
        self.stop.clicked.connect(model.stop_test)
        self.undo.clicked.connect(model.undo)
        self.mail.value_changed.connect(model.set_mail_connection)
        model.changed.connect(self._show)

    def _save(self) -> None:
        if self._edited:
            self._submitted_address = self.address.text()
            self.model.save_address(self._submitted_address)

    @property
    def _edited(self) -> bool:
        """Whether the field differs from the current address."""
        return self._shown_address is not None and self.address.text().strip() != self._shown_address

    def _show(self) -> None:
        model, info = self.model, self.model.info
        self._show_problem()
        self._form.setVisible(model.unavailable_reason is None and model.settings is not None)
        self.mail_field.setVisible(model.unavailable_reason is None and model.settings is not None)
        for widget in (self._line, self._second_line, self.outgoing):
            widget.setVisible(model.unavailable_reason is None and model.settings is not None)
        self._show_copy_field(self.listen_field, self.listen_address, info.address if info else None)
        self.listen_field.setVisible(info is not None)
        self.listen_field.set_help("" if info is None or info.address else _NOT_LISTENING)
        for button, address in ((self.docs, model.docs), (self.openapi, model.openapi)):
            button.setVisible(address is not None)
        self._show_copy_field(self.redirect_field, self.redirect, model.redirect_address)
        self._show_copy_field(self.webhooks_field, self.webhooks, model.webhook_base)
        if model.settings is not None:
            self._show_settings()
        self.public_field.set_error(model.address_error or None)
        self.checks.show_test(model.test, model.test_error)
        self._show_buttons()
        if self._test_pending and model.settings is not None:
            self._test_pending = False
            self.test.click()

    def _show_settings(self) -> None:
        """Show the current address, except while it is being edited."""
        model, settings = self.model, self.model.settings
        assert settings is not None
        saved_address = settings.public_address or ""
        rejected = bool(model.address_error) or model.error is not None
        accepted = self._submitted_address == self.address.text() and not rejected
        if not model.busy and (accepted or not self._edited):
            self.address.setText(saved_address)
        if not model.busy:
            self._submitted_address = None
        self._shown_address = saved_address
        chosen = settings.mail_connection_id
        options: list[tuple[str | None, str]] = [(None, tr("Only show the link"))]
        options += [(item.id, tr("Send with “{name}”", name=item.screen_name)) for item in model.mail]
        if chosen is not None and chosen not in {item.id for item in model.mail}:
            options.append((chosen, tr("Send with a deleted connection")))
        self.mail.blockSignals(True)
        self.mail.set_options(options)
        self.mail.set_value(chosen)
        self.mail.blockSignals(False)
        self.mail.setEnabled(not model.busy)
        self.mail_field.set_help(
            _MAIL_HELP if model.mail else f"{_MAIL_HELP} {tr('Connect Mail (SMTP) in My Apps first.')}"
        )

    def _show_buttons(self) -> None:
        model = self.model
        unchanged = None if self._edited else tr("There are no changes to save.")
        set_available(self.save, tr("Wait for the test to end.") if model.testing else unchanged)
        for button, busy, busy_text in (
            (self.save, model.busy, tr("Saving")),
            (self.test, model.testing, tr("Testing")),
        ):
            if button.busy is not busy:
                button.set_busy(busy, busy_text)
        not_listening = model.info is None or model.info.address is None
        set_available(
            self.test,
            tr("This workspace isn't listening for requests, so its address can't be tested.")
            if not_listening
            else None,
        )
        self.stop.setVisible(model.testing)
        self.undo.setVisible(model.previous_settings is not None and not self._edited)
        self.saved.setVisible(self.undo.isVisibleTo(self))

    def _show_problem(self) -> None:
        model = self.model
        error: AppError | None = model.error
        if model.unavailable_reason is not None:
            self.problem.set("neutral", tr("The public address can't be set here"), model.unavailable_reason)
        elif error is not None:
            retry_buttons = [] if model.info else [(tr("Try again"), model.load)]
            self.problem.show_error(error, retry_buttons, takes_focus=False)
        self.problem.setVisible(model.unavailable_reason is not None or error is not None)

    @staticmethod
    def _show_copy_field(field: FormField, copy: CopyField, address: str | None) -> None:
        field.setVisible(address is not None)
        copy.setVisible(address is not None)
        if address is not None and copy.text() != address:
            copy.set_text(address)


def _link(text: str) -> Button:
    button = Button(text, "link", icon="external-link", small=True)
    button.setToolTip(tr("Opens in the browser"))
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


def _open(address: str | None) -> None:
    if address is not None:
        open_in_browser(address)
