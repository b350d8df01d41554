"""Connect an app, or renew a connection: the form, the wait, the answers, and the guide beside them."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.state.connection_form import ConnectionFormViewModel, FormState
from patchbay.desktop.ui.kit.availability import set_available
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.dialogs import MARGIN, Dialog, confirm
from patchbay.desktop.ui.kit.form_scroll import FormScroll
from patchbay.desktop.ui.kit.inputs import FormField
from patchbay.desktop.ui.kit.surface import line
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.my_apps.account_question import AccountChangeWarning
from patchbay.desktop.ui.my_apps.app_parts import AppTile
from patchbay.desktop.ui.my_apps.connection_answer import ConnectionErrorBox, SecretsLocationBox
from patchbay.desktop.ui.my_apps.connection_fields import ConnectionFields
from patchbay.desktop.ui.my_apps.dialog_words import checking_text, footer_text, primary_label, titles
from patchbay.desktop.ui.my_apps.guide_pane import WIDTH as GUIDE
from patchbay.desktop.ui.my_apps.guide_pane import GuidePane, guide_url, has_guide
from patchbay.desktop.ui.my_apps.sign_in_page import SignInPage
from patchbay.desktop.ui.my_apps.wait_parts import ProgressSteps

FORM_WIDTH = 560


class ConnectionDialog(Dialog):
    """Nothing is stored before the app accepted what was entered; the footer says so all along.

    `settings_requested` names the page of the settings where the way out is.
    """

    connected = Signal(object)
    settings_requested = Signal(str)

    def __init__(self, model: ConnectionFormViewModel, parent: QWidget | None) -> None:
        super().__init__(parent, "Reconnect" if model.renew else "Add connection", FORM_WIDTH, head=False)
        self._model = model
        model.setParent(self)
        self.refusal = ConnectionErrorBox()
        self.form = ConnectionFields(model)
        self.checking = ProgressSteps()
        self.sign_in = SignInPage(model.browser)
        self.account = AccountChangeWarning()
        self.where = SecretsLocationBox()
        self.guide = GuidePane(model.open_url)
        self._checking_seconds = 0
        self._show_guide_on_load = False
        self._last_state: FormState | None = None
        self._clock = QTimer(self, interval=1_000)
        self._clock.timeout.connect(self._count_seconds)
        self._build_head()
        self._build_body()
        self._footnote = Label("", "caption", "text_tertiary")
        self.footer.addWidget(self._footnote)
        self.primary, self.cancel_button = self.add_buttons("Test and save", self._submit)
        for changed in (model.changed, self.refusal.folded):
            changed.connect(self._show)
        self.refusal.retry_requested.connect(model.submit)
        self.refusal.trust_requested.connect(model.trust_certificate)
        for box in (self.refusal, self.where):
            box.settings_requested.connect(self.settings_requested)
        self.guide.close_requested.connect(self.toggle_guide)
        model.focus_asked.connect(self._focus_field)
        model.finished.connect(self._on_finished)
        self._show()

    @property
    def fields(self) -> dict[str, FormField]:
        """The form's fields by key, once they are there."""
        return self.form.fields

    def reject(self) -> None:
        """Esc and Cancel: first stop what is under way, then close; ask before what was typed is lost."""
        model = self._model
        if model.busy or model.state is FormState.ASKING:
            model.cancel()
        elif model.dirty:
            text = (
                "The stored sign-in stays as it is." if model.renew else "The connection has not been saved."
            )
            confirm(self, "Discard what you entered?", text, "Discard", True, super().reject)
        else:
            super().reject()

    def toggle_guide(self) -> None:
        """Show or hide the app's own guide beside the form; the dialog widens for it.

        A guide that is only in the web opens in the browser. Before the app is read, it is remembered.
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
        self._guide_link.setText("Hide the guide" if shown else "Where do I find this?")
        self.setFixedWidth(theme().px(FORM_WIDTH + (GUIDE if shown else 0)))
        self.fit()

    def fit(self) -> None:
        """As tall as the content, up to the window's height; what is longer scrolls."""
        if not hasattr(self, "_scroll"):
            return
        frame = self._pane_head.totalSizeHint().height() + self._foot.sizeHint().height() + 2
        content_height = self._scroll.wanted_height(theme().px(FORM_WIDTH))
        parent = self.parentWidget()
        if parent is not None:
            content_height = min(content_height, parent.window().height() - frame - 2 * theme().px(MARGIN))
        if not self.guide.isHidden():
            content_height = max(content_height, theme().px(300))
        self._scroll.setFixedHeight(max(content_height, theme().px(80)))
        super().fit()

    # How it is built

    def _build_head(self) -> None:
        px = theme().px
        self._tile = AppTile(40, self._model.app)
        self._name, self._subtitle = (
            Label("", "title", wrap=True),
            Label("", "caption", "text_secondary", wrap=True),
        )
        words = QVBoxLayout()
        words.setSpacing(px(2))
        words.addWidget(self._name)
        words.addWidget(self._subtitle)
        self._guide_link = Button("Where do I find this?", "link", "book-open")
        self._guide_link.setAutoDefault(False)
        self._guide_link.clicked.connect(self.toggle_guide)
        self._pane_head = QHBoxLayout()
        self._pane_head.setContentsMargins(px(20), px(18), px(20), px(8))
        self._pane_head.setSpacing(px(12))
        self._pane_head.addWidget(self._tile, 0, Qt.AlignmentFlag.AlignTop)
        self._pane_head.addLayout(words, 1)
        self._pane_head.addWidget(self._guide_link)

    def _build_body(self) -> None:
        px = theme().px
        self._scroll = FormScroll()
        column = self._scroll.inside.column
        column.setContentsMargins(px(20), px(8), px(20), px(20))
        column.setSpacing(px(14))
        for part in (self.refusal, self.form, self.checking, self.sign_in, self.account, self.where):
            column.addWidget(part)
        column.addStretch(1)
        pane = QVBoxLayout()
        pane.setSpacing(0)
        pane.addLayout(self._pane_head)
        pane.addWidget(self._scroll)
        self._guide_divider = line(vertical=True)
        body_row = QHBoxLayout()
        body_row.setSpacing(0)
        body_row.addLayout(pane, 1)
        body_row.addWidget(self._guide_divider)
        body_row.addWidget(self.guide)
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
        is_asking = state is FormState.ASKING
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
                model.other_account, flow_count=model.renew.flow_count if model.renew else 0
            )
        refused = model.refusal if state is FormState.REFUSED else None
        self.refusal.show_result(refused, retryable=model.uses_browser and not model.messages)
        self.where.show_secrets_location(model.where if not model.busy and not is_asking else None)
        self._show_buttons()
        self._footnote.setText(footer_text(model, self._checking_seconds))
        self._move_focus(state)
        self.fit()

    def _move_focus(self, state: FormState) -> None:
        """What had the focus may be hidden or disabled in this state: give it to what comes next."""
        before, self._last_state = self._last_state, state
        focused = self.focusWidget()
        is_lost = focused is None or not focused.isVisibleTo(self) or not focused.isEnabled()
        was_away = before in (FormState.WAITING, FormState.ASKING)
        if state is FormState.REFUSED and before is not state and not self._model.messages:
            self.refusal.box.draw_attention()
        if before in (None, state) or not (is_lost or was_away):
            return
        if state is FormState.WAITING:
            self.sign_in.open.setFocus(Qt.FocusReason.OtherFocusReason)
        elif state in (FormState.CHECKING, FormState.ASKING):
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
        first_step = self._model.keyring.words or checking_text(self._model)
        self.checking.set_steps([("active", first_step), ("pending", "Save it encrypted")])
        QTimer.singleShot(0, self, lambda: self._scroll.reveal(self.checking))

    def _show_buttons(self) -> None:
        model = self._model
        self.primary.setVisible(model.state is not FormState.WAITING)
        self.primary.set_busy(model.state is FormState.CHECKING, "Checking")
        if not model.busy:
            self.primary.setText(primary_label(model))
        self.primary.set_icon("arrow-up-right" if model.uses_browser and not model.other_account else None)
        set_available(self.primary, None if model.fields else "The fields of this app are still loading.")
        asks_to_keep = model.state is FormState.ASKING
        self.cancel_button.setText("Keep it as it was" if asks_to_keep else "Cancel")

    def _count_seconds(self) -> None:
        self._checking_seconds += 1
        self._footnote.setText(footer_text(self._model, self._checking_seconds))

    def _submit(self) -> None:
        if self._model.state is FormState.ASKING:
            self._model.accept_other_account()
        else:
            self._model.submit()

    def _focus_field(self, key: str) -> None:
        self.form.focus(key)
        self._scroll.reveal(self.form.fields[key])

    def _on_finished(self, connection: object) -> None:
        self.connected.emit(connection)
        self.accept()
