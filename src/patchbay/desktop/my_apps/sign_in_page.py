"""The wait for a browser sign-in, on this computer or with a code on any device."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.inputs import FormField
from patchbay.desktop.kit.layout import Card, FormScroll, line
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.text import Label
from patchbay.desktop.my_apps.view_models.connection_form import BrowserSignIn
from patchbay.desktop.my_apps.wait_steps import CopyButton, ProgressSteps, Step, icon_row

TICK_INTERVAL_MS = 1_000


class SignInPage(QWidget):
    """Progress, remaining time, buttons to open the page again, and manual address entry."""

    def __init__(self, model: BrowserSignIn, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.notice = MessageBox("warning")
        self.code = DeviceCodeCard(model)
        self.steps = ProgressSteps()
        self._time_left_label = Label("", "caption", "text_secondary", wrap=True)
        self.open = Button(tr("Open browser again"))
        self.open.clicked.connect(model.open_browser)
        self.copy = CopyButton(
            tr("Copy sign-in link"), lambda: model.pending_sign_in.url if model.pending_sign_in else ""
        )
        self.manual_address = PastedAddressForm(model)
        self._divider = line()
        vbox(
            self.notice,
            self.code,
            self.steps,
            icon_row("clock", self._time_left_label),
            hbox(self.open, self.copy, Stretch(), spacing=8),
            self._divider,
            self.manual_address,
            parent=self,
            spacing=14,
        )
        self._timer = QTimer(self, interval=TICK_INTERVAL_MS)
        self._timer.timeout.connect(self._show_time)

    def show_wait(self) -> None:
        """Show the state of the sign-in."""
        pending_sign_in = self._model.pending_sign_in
        if pending_sign_in is None:
            self._timer.stop()
            return
        self._timer.start()
        device = pending_sign_in.device is not None
        self.notice.set("warning", tr("Before you continue"), pending_sign_in.notice or "")
        self.notice.setVisible(bool(pending_sign_in.notice))
        self.code.setVisible(device)
        self.code.show_code()
        self.steps.set_steps(_progress_steps(self._model))
        label = tr("Open browser again") if self._model.opened else tr("Open browser")
        self.open.setText(tr("Open the page") if device else label)
        opens_first = not self._model.opened and not self._model.callback_received
        self.open.set_kind("primary" if opens_first else "default")
        self._divider.setVisible(not device)
        self.manual_address.setVisible(not device)
        self.manual_address.show_result()
        self._show_time()

    def _show_time(self) -> None:
        if self._model.pending_sign_in is None:
            return
        seconds_left_now = self._model.seconds_left
        device = self._model.pending_sign_in.device is not None
        note_text = (
            tr("This dialog continues automatically when you're done.")
            if device
            else tr("You can close the browser tab and open it again. This dialog keeps waiting.")
        )
        minutes, seconds = divmod(seconds_left_now, 60)
        time_left = tr("Time left: {time}.", time=f"{minutes}:{seconds:02d}")
        self._time_left_label.setText(f"{time_left} {note_text}")


def _progress_steps(model: BrowserSignIn) -> list[Step]:
    device = model.pending_sign_in is not None and model.pending_sign_in.device is not None
    if device:
        first: Step = ("done", tr("Code ready"))
        second = tr("Waiting for you to enter the code")
    elif model.opened is None:
        first, second = ("pending", tr("Open the browser")), tr("Waiting for you to continue")
    else:
        sent = tr("Opened the sign-in page in your browser")
        first = ("done", sent) if model.opened else ("failed", tr("Couldn't open a browser"))
        second = tr("Waiting for you to allow access")
    has_returned = model.callback_received
    return [
        first,
        ("done", tr("You allowed access")) if has_returned else ("active", second),
        ("active", tr("Verifying the credentials"))
        if has_returned
        else ("pending", tr("Verify the credentials")),
        ("pending", tr("Encrypt and save")),
    ]


class DeviceCodeCard(Card):
    """The code in large letters, and the address to enter it."""

    def __init__(self, model: BrowserSignIn) -> None:
        super().__init__()
        self._model = model
        self.fill_token = "sidebar"
        middle = Qt.AlignmentFlag.AlignHCenter
        self._explanation = Label(
            tr("On any device, open the page below and enter this code:"), "body", "text_secondary"
        )
        self._code = Label("", "display")
        self._code.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._address = Label("", "caption", "text_secondary")
        self._address.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = CopyButton(tr("Copy code"), self._user_code)
        for part in (self._explanation, self._code, self._address, self.copy):
            self.body.addWidget(part, 0, middle)

    def show_code(self) -> None:
        """Show the code of the pending sign-in."""
        device = self._model.pending_sign_in.device if self._model.pending_sign_in else None
        if device is not None:
            self._code.setText(device.user_code)
            self._code.setAccessibleName(tr("Code {code}", code=" ".join(device.user_code)))
            self._address.setText(device.verification_url)

    def _user_code(self) -> str:
        device = self._model.pending_sign_in.device if self._model.pending_sign_in else None
        return device.user_code if device else ""


class PastedAddressForm(QWidget):
    """Accepts the final address of a sign-in in a browser on another computer."""

    def __init__(self, model: BrowserSignIn) -> None:
        super().__init__()
        self._model = model
        self.toggle = Button(
            tr("Browser didn't open? Signing in on another computer?"), "link", "chevron-right"
        )
        self.toggle.clicked.connect(self._toggle_field)
        self.toggle.setAutoDefault(False)
        self.edit = LineEdit("", large=True)
        self.edit.returnPressed.connect(self._send)
        self.send = Button(tr("Continue", "button"), large=True)
        self.send.setAccessibleName(tr("Continue with this address"))
        self.send.clicked.connect(self._send)
        editor = QWidget()
        hbox((self.edit, 1), self.send, parent=editor, spacing=6)
        editor.setFocusProxy(self.edit)
        self.field = FormField(tr("Address of the last page"), editor)
        self.edit.setAccessibleName(tr("Address of the last page"))
        self.edit.textChanged.connect(lambda _: self.field.set_error(None))
        self.field.set_help(
            tr("Sign in there, then paste the address of the last page, even if it shows an error.")
        )
        self.field.hide()
        vbox((self.toggle, 0, Qt.AlignmentFlag.AlignLeft), self.field, parent=self, spacing=8)

    def show_result(self) -> None:
        """Show whether the pasted address was accepted."""
        pending_sign_in = self._model.pending_sign_in
        self.edit.setPlaceholderText(
            f"{pending_sign_in.redirect_url}?…" if pending_sign_in and pending_sign_in.redirect_url else ""
        )
        self.field.set_error(self._model.paste_problem or None)
        self.send.set_busy(self._model.pasting or self._model.callback_received, tr("Checking"))
        self.edit.setEnabled(not self._model.callback_received)

    def _toggle_field(self) -> None:
        hidden = self.field.isHidden()
        self.field.setVisible(hidden)
        self.toggle.set_icon("chevron-down" if hidden else "chevron-right")
        if hidden:
            self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
            QTimer.singleShot(0, self, self._scroll_to_field)

    def _scroll_to_field(self) -> None:
        """Scroll to the field with its help once the dialog has made room."""
        ancestor: QWidget | None = self
        while ancestor is not None and not isinstance(ancestor, FormScroll):
            ancestor = ancestor.parentWidget()
        if isinstance(ancestor, FormScroll):
            ancestor.reveal(self.field)

    def _send(self) -> None:
        self._model.paste(self.edit.text())
