"""Settings → API keys: the keys and their permissions, creating one, and revoking one."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import date_text, tr
from patchbay.desktop.core.times import age
from patchbay.desktop.kit.badges import Tag
from patchbay.desktop.kit.browser import open_in_browser
from patchbay.desktop.kit.buttons import Button, set_available
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.list_states import StateButton
from patchbay.desktop.kit.mark_painting import Tone
from patchbay.desktop.kit.secret_fields import CopyField, OneTimeSecretField
from patchbay.desktop.kit.text import plain_tip
from patchbay.desktop.kit.toggles import RadioGroup
from patchbay.desktop.settings.form_dialog import FormDialog, OneTimeSecretDialog
from patchbay.desktop.settings.list_page import RowList, RowSpec, SettingsListPage, TwoLineRow, is_just_now
from patchbay.desktop.settings.view_models.api_keys import (
    HEADER,
    SCOPE_PHRASES,
    SCOPES,
    ApiKeysViewModel,
    NewKeyForm,
    curl_command,
    scope_limit_text,
)
from patchbay.domain.access import ApiKey, NewApiKey, Scope
from patchbay.domain.base import EpochMs
from patchbay.domain.clock import local_datetime
from patchbay.domain.people import User

_NO_OWNER = tr("Has access to everyone's data.")
_VISIBLE_CHARS = 4
"""How many characters of a key are shown before the dots."""
_ABOUT = tr(
    "Scripts and other Patchbay windows sign in with an API key. "
    "Use one key per client so you can revoke it on its own."
)
_EMPTY = tr(
    "With a key, scripts can use the HTTP API, and Patchbay on another computer can open this workspace."
)
_TONES: dict[Scope, Tone] = {Scope.READ: "neutral", Scope.OPERATE: "accent", Scope.ADMIN: "warning"}


class NewKeyDialog(FormDialog):
    """Asks for the name, scope, and owner of a new key."""

    def __init__(self, parent: QWidget, form: NewKeyForm, people: Sequence[User]) -> None:
        super().__init__(parent, tr("Create an API key"), form)
        self._form, self._people = form, {person.id: person for person in people}
        self.name = LineEdit("", tr("Nightly export"), large=True)
        self.scope = RadioGroup(tr("Scope"), [(scope, *text) for scope, text in SCOPES.items()])
        self.person = ComboBox(tr("Owner"), large=True)
        self.person.set_options([(None, tr("No owner")), *((p.id, p.full_name) for p in people)])
        self.scope.set_value(Scope.OPERATE)
        self.add_field("name", FormField(tr("Name"), self.name, True))
        self.add_field("scope", FormField(tr("Scope"), self.scope))
        self.add_field("userId", FormField(tr("Owner"), self.person))
        self.scope.value_changed.connect(self._show_permissions)
        self.person.value_changed.connect(self._show_permissions)
        self._show_permissions()
        self.add_submit_button(tr("Create key"), tr("Creating"), self._submit)
        self.name.setFocus()

    def _show_permissions(self) -> None:
        person = self._people.get(self.person.value())
        text = scope_limit_text(self.scope.value(), person) if person else _NO_OWNER
        self.fields["userId"].set_help(
            text or tr("Has the same permissions as {name}.", name=person.full_name) if person else text
        )

    def _submit(self) -> None:
        self._form.submit(self.name.text(), self.scope.value(), self.person.value())


def one_time_key_dialog(parent: QWidget, created: NewApiKey, address: str | None) -> OneTimeSecretDialog:
    """Shows the value of a new key."""
    if address:
        note = tr("Clients send it in the {header} header to {address}.", header=HEADER, address=address)
    else:
        note = tr("Clients send it in the {header} header.", header=HEADER)
    return OneTimeSecretDialog(
        parent,
        tr("API key “{name}” created", name=created.key.name),
        FormField(tr("API key"), OneTimeSecretField(tr("API key"), created.value, _VISIBLE_CHARS)),
        [("accent", tr("Copy it now"), tr("You won't see it again. Patchbay stores only a hash of it."))],
        notes=[note],
        close_warning=(
            tr("You won't be able to see this key again. If you lose it, revoke it and create a new one.")
        ),
    )


class KeysPage(SettingsListPage):
    """Adds the API keys page to the settings dialog."""

    def __init__(self, model: ApiKeysViewModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("API keys"), _ABOUT, tr("Create key…"), parent)
        self.model = model
        model.setParent(self)
        self._empty_page_address: str | None = None
        """The URL of the API for which the buttons of the empty page were created."""
        self.docs = Button(tr("How to use API keys"), "link", icon="external-link")
        self.docs.clicked.connect(self._open_docs)
        self.head.addWidget(self.docs)
        self.rows = RowList(tr("API keys"), self.command)
        self.content.addWidget(self.rows)
        self.content.addStretch(1)
        self.line = CopyField("", tr("example request"))
        self.call = FormField(tr("Example request for a terminal"), self.line)
        self.foot.addWidget(self.call)
        self.command.clicked.connect(self.open_new_dialog)
        model.changed.connect(self._show)
        self._show()
        model.load()

    def open_new_dialog(self) -> Dialog | None:
        """Open the dialog for a new key. Its value is shown once after it was created."""
        if self.model.unavailable_reason is not None:
            return None
        form = NewKeyForm(self.model.services)
        dialog = NewKeyDialog(self, form, self.model.people)
        form.done.connect(self._show_created)
        return self.open_dialog(dialog)

    def show_created_key(self, created: NewApiKey) -> OneTimeSecretDialog:
        """Show the value of a new key, the only time it is visible."""
        dialog = one_time_key_dialog(self, created, self.model.address)
        self.open_dialog(dialog)
        return dialog

    def _revoke_effect(self, key: ApiKey) -> str:
        if key.last_used_at is None:
            return tr("This key has never been used.")
        used = self._last_used_text(key)
        if self.model.is_remote:
            return tr(
                "Clients that use this key ({used}) stop working immediately, including this window if it "
                "uses this key.",
                used=used,
            )
        return tr("Clients that use this key ({used}) stop working immediately.", used=used)

    def confirm_revoke(self, key: ApiKey) -> None:
        """Ask for confirmation, because revoking can't be undone."""
        self.ask(
            tr("Revoke “{name}”?", name=key.name),
            " ".join((self._revoke_effect(key), tr("Revoking can't be undone."))),
            tr("Revoke", "button"),
            partial(self.model.revoke, key),
        )

    def _show(self) -> None:
        model = self.model
        self.show_problem(model.unavailable_reason, tr("API keys can't be managed here"), model.command_error)
        can_manage = model.unavailable_reason is None
        loading = None if model.keys is not None else tr("API keys are still loading.")
        set_available(self.command, model.unavailable_reason or loading)
        self.set_list_hidden(not can_manage)
        self.call.setVisible(can_manage and model.address is not None)
        self.docs.setVisible(can_manage and model.address is not None and model.keys != ())
        self.line.set_text(curl_command(model.address or ""))
        self.show_success(model.success_message)
        if model.keys is None:
            self.show_state(model.error, model.load, tr("Loading API keys…"))
        elif not model.keys:
            self._show_empty()
        else:
            self.rows.show_rows([self._row_spec(key) for key in model.keys])
            self.list.show_rows()
        self.command.setVisible(can_manage and model.keys != ())
        if model.keys is not None:
            self.on_list_loaded()

    def _show_empty(self) -> None:
        """Show that there are no keys yet; the buttons are reused, so that they keep the focus."""
        address = self.model.address
        if self.list.page.kind != "empty" or self._empty_page_address != address:
            self._empty_page_address = address
            buttons: list[StateButton] = [(tr("Create key…"), self.open_new_dialog, "plus")]
            if address is not None:
                buttons.append((tr("How to use API keys"), self._open_docs, "external-link"))
            self.list.show_page().show_empty("key-round", tr("No API keys yet"), _EMPTY, buttons)

    def _row_spec(self, key: ApiKey) -> RowSpec:
        busy = key.id in self.model.revoking
        owner, used = self.model.owner(key), self._last_used_text(key)
        content = (key.name, key.scope, self.model.reach(key), key.hint, owner, used, busy)
        return key.id, content, partial(self._row, key, owner, used, busy)

    def _row(self, key: ApiKey, owner: str, used: str, busy: bool) -> TwoLineRow:
        now = self.model.services.clock()
        details = (
            key.hint.replace("...", "…"),
            used,
            tr("created {date}", date=_day_text(key.created_at, now)),
            owner,  # at the end, where a long name is cut off
        )
        reach = self.model.reach(key)
        tag = Tag(SCOPES[reach][0], _TONES[reach])
        if reach is not key.scope:
            limit = tr(
                "Scope: {scope}, limited by {name}'s role.", scope=SCOPE_PHRASES[key.scope], name=owner
            )
            tag.setToolTip(plain_tip(limit))
        row = TwoLineRow(key.name, " · ".join(filter(None, details)), tag)
        revoke = Button(tr("Revoke…"), small=True)
        revoke.setAccessibleName(tr("Revoke {name}", name=key.name))
        revoke.clicked.connect(partial(self.confirm_revoke, key))
        revoke.set_busy(busy, tr("Revoking"))
        row.tail.addWidget(revoke)
        return row

    def _last_used_text(self, key: ApiKey) -> str:
        if key.last_used_at is None:
            return tr("never used")
        now = self.model.services.clock()
        if is_just_now(key.last_used_at, now):
            return tr("used just now")
        return tr("used {age} ago", age=age(key.last_used_at, now))

    def _show_created(self, created: NewApiKey) -> None:
        if self.dialog is not None:
            self.dialog.accept()
        self.show_created_key(created)

    def _open_docs(self) -> None:
        open_in_browser(f"{(self.model.address or '').rstrip('/')}/docs")


def _day_text(at: EpochMs, now: EpochMs) -> str:
    """The day, with its year if that isn't this one."""
    then = local_datetime(at)
    return date_text(then, year=then.year != local_datetime(now).year)
