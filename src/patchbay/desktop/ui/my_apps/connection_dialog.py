"""Connect an app, or renew a connection: the form made from the app's auth fields."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QTextBrowser, QVBoxLayout, QWidget

from patchbay.desktop.state.connection_form import ConnectionFormViewModel, FormState
from patchbay.desktop.ui.kit.buttons import Button
from patchbay.desktop.ui.kit.dialogs import Dialog, confirm
from patchbay.desktop.ui.kit.inputs import ComboBox, CopyField, FormField, LineEdit, SecretField
from patchbay.desktop.ui.kit.json_view import JsonView
from patchbay.desktop.ui.kit.message import MessageBox
from patchbay.desktop.ui.kit.text import Label
from patchbay.desktop.ui.kit.theme import theme
from patchbay.desktop.ui.my_apps.app_parts import AppTile
from patchbay.domain.errors import AppError, ThirdPartyRefused
from patchbay.domain.fields import AuthField


class ConnectionDialog(Dialog):
    """Nothing is stored before the app accepted what was entered; the footer says so all along."""

    connected = Signal(object)

    def __init__(self, model: ConnectionFormViewModel, parent: QWidget | None) -> None:
        super().__init__(parent, "Reconnect" if model.renew else "Add connection", head=False)
        self._model = model
        model.setParent(self)
        self.fields: dict[str, FormField] = {}
        self._build_head()
        self._refusal = MessageBox("failure")
        self._details = JsonView(search=False)
        self._details.setFixedHeight(theme().px(110))
        self._more = Button("Details", "link", "chevron-right")
        self._more.clicked.connect(self._toggle_details)
        self._form = QVBoxLayout()
        self._form.setSpacing(theme().px(14))
        self._where = MessageBox("neutral")
        for part in (self._refusal, self._more, self._details):
            side = Qt.AlignmentFlag.AlignLeft if part is self._more else Qt.AlignmentFlag(0)
            self.body.addWidget(part, 0, side)
            part.hide()
        self.body.addLayout(self._form)
        self.body.addWidget(self._where)
        self._told = Label("Nothing has been saved yet", "caption", "text_tertiary")
        self.footer.addWidget(self._told)
        self.primary, self.cancel_button = self.add_buttons("Test and save", model.submit)
        self.cancel_button.clicked.disconnect()
        self.cancel_button.clicked.connect(self.reject)
        model.changed.connect(self._show)
        model.finished.connect(self._finished)
        self._show()

    def reject(self) -> None:
        """Esc and Cancel: first stop a running check, then close; ask when something typed would be lost."""
        if self._model.state is FormState.CHECKING:
            self._model.cancel()
            return
        if self._model.dirty:
            confirm(
                self,
                "Discard what you entered?",
                "The connection has not been saved.",
                "Discard",
                True,
                super().reject,
            )
            return
        super().reject()

    def _build_head(self) -> None:
        model, px = self._model, theme().px
        name = model.app.name if model.app else model.app_key
        self._tile = AppTile(40, model.app)
        title = f"Reconnect {model.renew.screen_name}" if model.renew else f"Connect {name}"
        self.setAccessibleName(title)
        words = QVBoxLayout()
        words.setSpacing(px(2))
        words.addWidget(Label(title, "title", wrap=True))
        about = (
            f"{name}. The old sign-in keeps working until the new one does." if model.renew else _about(model)
        )
        words.addWidget(Label(about, "caption", "text_secondary", wrap=True))
        self._guide_link = Button("Where do I find this?", "link", "book-open")
        self._guide_link.clicked.connect(self.toggle_guide)
        self.head.setContentsMargins(px(20), px(18), px(20), px(4))
        self.head.addWidget(self._tile)
        self.head.addLayout(words, 1)
        self.head.addWidget(self._guide_link)
        self._guide = QTextBrowser()
        self._guide.setOpenExternalLinks(True)
        self._guide.setFrameShape(QFrame.Shape.NoFrame)
        self._guide.setFixedHeight(px(180))
        self._guide.setAccessibleName(f"How to connect {name}")
        self._guide.hide()
        self.body.addWidget(self._guide)

    def toggle_guide(self) -> None:
        """Show or hide the app's own guide above the form."""
        if self._model.app:
            self._guide.setMarkdown(self._model.app.docs_markdown)
        self._guide.setVisible(self._guide.isHidden())
        self.fit()

    def _toggle_details(self) -> None:
        hidden = self._details.isHidden()
        self._details.setVisible(hidden)
        self._more.set_icon("chevron-down" if hidden else "chevron-right")
        self.fit()

    def _show(self) -> None:
        model = self._model
        if model.fields and not self.fields:
            self._build_fields()
        checking = model.state is FormState.CHECKING
        self.primary.set_busy(checking, "Checking")
        self.primary.setEnabled(checking or bool(model.fields))
        for key, field in self.fields.items():
            field.set_error(model.messages.get(key))
            field.setEnabled(not checking)
        self._guide_link.setVisible(bool(model.app and model.app.docs_markdown))
        self._where.setVisible(bool(model.kept_where))
        self._where.set("neutral", "Where this is kept", model.kept_where)
        self._told.setText(_footnote(model))
        self._show_refusal(model.refusal)
        self.fit()

    def _show_refusal(self, error: AppError | None) -> None:
        self._refusal.setVisible(error is not None)
        raw = error.extra() if isinstance(error, ThirdPartyRefused) else {}
        self._more.setVisible(bool(raw))
        if not raw:
            self._details.hide()
        if error is not None:
            words = " ".join(filter(None, (error.meaning, error.todo)))
            self._refusal.set("failure", error.happened, words)
        if raw:
            self._details.set_value(
                {key: raw[key] for key in ("status", "details", "request") if raw.get(key)}
            )

    def _build_fields(self) -> None:
        for definition in self._model.fields:
            field = FormField(
                definition.label, self._editor(definition), definition.required, definition.description
            )
            self.fields[definition.key] = field
            self._form.addWidget(field)
        first = next((field for field in self.fields.values() if field.editor.isEnabled()), None)
        if first is not None:
            first.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _editor(self, field: AuthField) -> QWidget:
        model, key = self._model, field.key
        value = model.values.get(key)
        if field.read_only:
            return CopyField("" if value is None else str(value), field.label)
        if field.options:
            choice = ComboBox(field.label, large=True)
            choice.set_options([(option.value, option.label) for option in field.options])
            choice.set_value(value)
            choice.value_changed.connect(lambda chosen: model.set_value(key, chosen))
            return choice
        return self._secret_editor(field) if field.is_secret else self._text_editor(field)

    def _secret_editor(self, field: AuthField) -> SecretField:
        model, key = self._model, field.key
        hint = "Leave empty to keep the stored one" if model.renew else field.placeholder or ""
        secret = SecretField(hint, large=True)
        secret.changed.connect(lambda text: model.set_value(key, text))
        secret.edit.editingFinished.connect(lambda: model.check(key))
        return secret

    def _text_editor(self, field: AuthField) -> LineEdit:
        model, key = self._model, field.key
        plain = LineEdit(str(model.values.get(key) or ""), field.placeholder or "", large=True)
        plain.textChanged.connect(lambda text: model.set_value(key, text))
        plain.editingFinished.connect(lambda: model.check(key))
        return plain

    def _finished(self, made: object) -> None:
        self.connected.emit(made)
        self.accept()


def _about(model: ConnectionFormViewModel) -> str:
    return (model.app.description or model.app.category) if model.app else ""


def _footnote(model: ConnectionFormViewModel) -> str:
    if model.state is FormState.CHECKING:
        return "Asking the app. Cancel stops it; nothing is saved."
    if model.renew:
        return "The stored sign-in has not been changed"
    return "Nothing has been saved yet"
