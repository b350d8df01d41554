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
from patchbay.desktop.ui.my_apps.account_question import AccountQuestion
from patchbay.desktop.ui.my_apps.app_parts import AppTile
from patchbay.desktop.ui.my_apps.connection_answer import RefusalBox, WhereBox
from patchbay.desktop.ui.my_apps.connection_fields import ConnectionFields
from patchbay.desktop.ui.my_apps.dialog_words import checking_words, footnote, primary_word, titles
from patchbay.desktop.ui.my_apps.guide_pane import WIDTH as GUIDE
from patchbay.desktop.ui.my_apps.guide_pane import GuidePane, guide_address, has_guide
from patchbay.desktop.ui.my_apps.sign_in_page import SignInPage
from patchbay.desktop.ui.my_apps.wait_parts import WaitSteps

FORM = 560


class ConnectionDialog(Dialog):
    """Nothing is stored before the app accepted what was entered; the footer says so all along.

    `settings_asked` names the page of the settings where the way out is.
    """

    connected = Signal(object)
    settings_asked = Signal(str)

    def __init__(self, model: ConnectionFormViewModel, parent: QWidget | None) -> None:
        super().__init__(parent, "Reconnect" if model.renew else "Add connection", FORM, head=False)
        self._model = model
        model.setParent(self)
        self.refusal = RefusalBox()
        self.form = ConnectionFields(model)
        self.checking = WaitSteps()
        self.sign_in = SignInPage(model.browser)
        self.account = AccountQuestion()
        self.where = WhereBox()
        self.guide = GuidePane(model.open_url)
        self._checked_for = 0
        self._guide_wanted = False
        self._focused_for: FormState | None = None
        self._clock = QTimer(self, interval=1_000)
        self._clock.timeout.connect(self._count_seconds)
        self._build_head()
        self._build_body()
        self._told = Label("", "caption", "text_tertiary")
        self.footer.addWidget(self._told)
        self.primary, self.cancel_button = self.add_buttons("Test and save", self._go_on)
        for changed in (model.changed, self.refusal.folded):
            changed.connect(self._show)
        self.refusal.retry_asked.connect(model.submit)
        self.refusal.trust_asked.connect(model.trust_certificate)
        for box in (self.refusal, self.where):
            box.settings_asked.connect(self.settings_asked)
        self.guide.close_asked.connect(self.toggle_guide)
        model.focus_asked.connect(self._focus_field)
        model.finished.connect(self._finished)
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
        self._guide_wanted = self._model.state is FormState.LOADING
        if app is None or self._guide_wanted or not has_guide(app):
            return
        if not app.docs_markdown:
            self._model.open_url(guide_address(app))
            return
        shown = self.guide.isHidden()
        self.guide.show_app(app)
        self.guide.setVisible(shown)
        self._between.setVisible(shown)
        self._guide_link.setText("Hide the guide" if shown else "Where do I find this?")
        self.setFixedWidth(theme().px(FORM + (GUIDE if shown else 0)))
        self.fit()

    def fit(self) -> None:
        """As tall as the content, up to the window's height; what is longer scrolls."""
        if not hasattr(self, "_scroll"):
            return
        frame = self._pane_head.totalSizeHint().height() + self._foot.sizeHint().height() + 2
        wanted = self._scroll.wanted_height(theme().px(FORM))
        parent = self.parentWidget()
        if parent is not None:
            wanted = min(wanted, parent.window().height() - frame - 2 * theme().px(MARGIN))
        if not self.guide.isHidden():
            wanted = max(wanted, theme().px(300))
        self._scroll.setFixedHeight(max(wanted, theme().px(80)))
        super().fit()

    # How it is built

    def _build_head(self) -> None:
        px = theme().px
        self._tile = AppTile(40, self._model.app)
        self._name, self._about = (
            Label("", "title", wrap=True),
            Label("", "caption", "text_secondary", wrap=True),
        )
        words = QVBoxLayout()
        words.setSpacing(px(2))
        words.addWidget(self._name)
        words.addWidget(self._about)
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
        self._between = line(vertical=True)
        both = QHBoxLayout()
        both.setSpacing(0)
        both.addLayout(pane, 1)
        both.addWidget(self._between)
        both.addWidget(self.guide)
        self._between.hide()
        self.guide.hide()
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.addLayout(both)

    # How it is shown

    def _show(self) -> None:
        model, state = self._model, self._model.state
        if model.fields and not self.form.fields:
            self.form.build()
            if self._guide_wanted:
                self.toggle_guide()
        asking = state is FormState.ASKING
        waiting = state is FormState.WAITING
        title, about = titles(model)
        self.setAccessibleName(title)
        self._name.setText(title)
        self._about.setText(about)
        self._guide_link.setVisible(has_guide(model.app) and not (asking or waiting))
        self.form.setVisible(not asking and not waiting)
        self.form.show_state()
        self._show_check(state is FormState.CHECKING)
        self.sign_in.setVisible(waiting)
        self.sign_in.show_wait()
        self.account.setVisible(asking)
        if model.other_account is not None:
            self.account.ask(model.other_account, uses=model.renew.flow_count if model.renew else 0)
        refused = model.refusal if state is FormState.REFUSED else None
        self.refusal.show_answer(refused, again=model.uses_browser and not model.messages)
        self.where.show_where(model.where if not model.busy and not asking else None)
        self._show_buttons()
        self._told.setText(footnote(model, self._checked_for))
        self._move_focus(state)
        self.fit()

    def _move_focus(self, state: FormState) -> None:
        """What had the focus may be hidden or disabled in this state: give it to what comes next."""
        before, self._focused_for = self._focused_for, state
        focused = self.focusWidget()
        lost = focused is None or not focused.isVisibleTo(self) or not focused.isEnabled()
        back = before in (FormState.WAITING, FormState.ASKING)
        if state is FormState.REFUSED and before is not state and not self._model.messages:
            self.refusal.box.draw_attention()
        if before in (None, state) or not (lost or back):
            return
        if state is FormState.WAITING:
            self.sign_in.open.setFocus(Qt.FocusReason.OtherFocusReason)
        elif state in (FormState.CHECKING, FormState.ASKING):
            self.cancel_button.setFocus(Qt.FocusReason.OtherFocusReason)
        elif state is FormState.EDITING:
            self.form.focus_first()

    def _show_check(self, checking: bool) -> None:
        self.checking.setVisible(checking)
        if not checking:
            self._clock.stop()
            self._checked_for = 0
            return
        if not self._clock.isActive():
            self._clock.start()
        begins = self._model.keyring.words or checking_words(self._model)
        self.checking.set_steps([("active", begins), ("pending", "Save it encrypted")])
        QTimer.singleShot(0, self, lambda: self._scroll.reveal(self.checking))

    def _show_buttons(self) -> None:
        model = self._model
        self.primary.setVisible(model.state is not FormState.WAITING)
        self.primary.set_busy(model.state is FormState.CHECKING, "Checking")
        if not model.busy:
            self.primary.setText(primary_word(model))
        self.primary.set_icon("arrow-up-right" if model.uses_browser and not model.other_account else None)
        set_available(self.primary, None if model.fields else "The fields of this app are still loading.")
        keeps = model.state is FormState.ASKING
        self.cancel_button.setText("Keep it as it was" if keeps else "Cancel")

    def _count_seconds(self) -> None:
        self._checked_for += 1
        self._told.setText(footnote(self._model, self._checked_for))

    def _go_on(self) -> None:
        if self._model.state is FormState.ASKING:
            self._model.accept_other_account()
        else:
            self._model.submit()

    def _focus_field(self, key: str) -> None:
        self.form.focus(key)
        self._scroll.reveal(self.form.fields[key])

    def _finished(self, made: object) -> None:
        self.connected.emit(made)
        self.accept()
