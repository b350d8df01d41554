"""Settings → People: members and their roles, invitations, and removing someone."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.kit.buttons import Button, IconButton, set_available
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.line_edit import LineEdit, SearchField
from patchbay.desktop.kit.secret_fields import OneTimeSecretField
from patchbay.desktop.kit.text import Label, clock_time, day, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.toggles import RadioGroup
from patchbay.desktop.settings.form_dialog import FormDialog, MessageSpec, OneTimeSecretDialog
from patchbay.desktop.settings.list_page import RowList, RowSpec, SettingsListPage, TwoLineRow
from patchbay.desktop.settings.view_models.people import InviteForm, PeopleViewModel, expiry_text
from patchbay.desktop.settings.view_models.role_labels import role_description, role_label
from patchbay.domain.access import Scope
from patchbay.domain.base import EpochMs
from patchbay.domain.errors import Forbidden, NotSupported
from patchbay.domain.people import Invitation, Role, User

_TOKEN = "token="
MIN_PEOPLE_FOR_SEARCH = 9
MAX_SHOWN_PEOPLE = 30
_ABOUT = tr("Everyone has their own flows, folders, and connections. Only admins can see other people's.")
_LAST_ADMIN = tr("A workspace needs at least one admin.")
_ONLY_YOU = tr(
    "You're the only one here. People you invite get a link that's valid for 72 hours and "
    "gives them their own API key, so they can open this workspace from their computer "
    "or a script."
)


class InviteDialog(FormDialog):
    """Asks for name, email address, and role. `again` fills them in for a new link, which revokes the old
    one.
    """

    def __init__(
        self, parent: QWidget, form: InviteForm, roles: Sequence[Role], again: Invitation | None = None
    ) -> None:
        super().__init__(parent, tr("Create new link") if again else tr("Invite someone"), form)
        self._form = form
        self.name = LineEdit(again.full_name if again else "", "Dana Mori", large=True)
        self.email = LineEdit(again.email if again else "", "dana@example.org", large=True)
        self.email.setReadOnly(again is not None)
        self.role = RadioGroup(
            tr("Role"), [(role.id, role_label(role), role_description(role)) for role in roles]
        )
        self.role.set_value(again.role.id if again and again.role else _default_role_id(roles))
        self.add_field("fullName", FormField(tr("Name"), self.name, True))
        note = tr("The current link stops working.") if again else ""
        self.add_field("email", FormField(tr("Email address"), self.email, True, note))
        self.add_field("roleId", FormField(tr("Role"), self.role))
        self.add_submit_button(
            tr("Create link") if again else tr("Invite", "button"), tr("Inviting"), self._submit
        )
        self.name.setFocus()

    def _submit(self) -> None:
        self._form.submit(self.name.text(), self.email.text(), self.role.value())


def _default_role_id(roles: Sequence[Role]) -> str | None:
    """The default role of invitations: the first that can edit, but not manage the workspace."""
    default = next((role for role in roles if role.scope is Scope.OPERATE), None)
    return (default or roles[-1]).id if roles else None


def one_time_link_dialog(parent: QWidget, invitation: Invitation, now: EpochMs) -> OneTimeSecretDialog:
    """Shows the link of a new invitation, and whether it was sent by email."""
    link = invitation.accept_invitation_url or ""
    expires_at = invitation.expires_at
    note = tr("Anyone with this link can join as {name}. It works once.", name=invitation.full_name)
    if expires_at:
        expiry = tr("Expires {date}, {time}.", date=day(expires_at, now), time=clock_time(expires_at))
        note = f"{note} {expiry}"
    return OneTimeSecretDialog(
        parent,
        tr("Invitation for {name} created", name=invitation.full_name),
        FormField(
            tr("Link", "of an invitation"),
            OneTimeSecretField(
                tr("link", "of an invitation"), link, link.find(_TOKEN) + len(_TOKEN) if _TOKEN in link else 0
            ),
        ),
        [_delivery_message(invitation)],
        notes=[note],
        close_warning=""
        if invitation.mailed
        else (tr("You won't be able to see this link again. You can create a new one from the list.")),
    )


def _delivery_message(invitation: Invitation) -> MessageSpec:
    if invitation.mailed:
        sent = tr("Sent to {email}", email=invitation.email)
        return "success", sent, tr("You can also share the link yourself.")
    if invitation.notice:
        advice = tr("Share the link yourself. You won't see it again.")
        return "warning", tr("Email not sent"), f"{invitation.notice} {advice}"
    advice = tr("Share it with {email} yourself. You won't see it again.", email=invitation.email)
    return "accent", tr("Copy the link now"), advice


class PeoplePage(SettingsListPage):
    """Adds the people page to the settings dialog."""

    def __init__(self, model: PeopleViewModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("People", "section of the settings"), _ABOUT, tr("Invite…"), parent)
        self.model = model
        model.setParent(self)
        self.search = SearchField(tr("Filter people"))
        self.search.setFixedWidth(theme().px(190))
        self.head.addWidget(self.search)
        self.people = RowList(tr("People", "section of the settings"), self.command)
        self.more = Label("", "caption", "text_tertiary")
        self.invited_title = Label(tr("Invited", "heading"), "medium")
        self.invited = RowList(tr("Invited", "heading"), self.command)
        self.alone = Label(_ONLY_YOU, "body", "text_secondary", wrap=True)
        for widget in (self.people, self.more, self.alone, self.invited_title, self.invited):
            self.content.addWidget(widget)
        self.content.addStretch(1)
        self.search.text_changed.connect(lambda _: self._show())
        self.command.clicked.connect(lambda: self.invite())
        model.changed.connect(self._show)
        self._show()
        model.load()

    def invite(self, existing: Invitation | None = None) -> Dialog | None:
        """Open the invitation dialog. The link is shown once. `existing` creates a new link for someone."""
        if not self.model.can_manage:
            return None
        form = InviteForm(self.model.services)
        dialog = InviteDialog(self, form, self.model.roles, existing)
        form.done.connect(self._show_invited)
        return self.open_dialog(dialog)

    def show_link(self, invitation: Invitation) -> OneTimeSecretDialog:
        """Show the link of an invitation, the only time it is visible."""
        dialog = one_time_link_dialog(self, invitation, self.model.services.clock())
        self.open_dialog(dialog)
        return dialog

    def confirm_remove(self, person: User) -> None:
        """Ask for confirmation, with the effects of removing someone, which can't be undone."""
        revoked_keys = _revoked_keys_text([key.name for key in self.model.keys_of(person)])
        self.ask(
            tr("Remove {name}?", name=person.full_name),
            f"{revoked_keys} {self.model.removal_note}".lstrip(),
            tr("Remove", "button"),
            partial(self.model.remove, person),
        )

    def confirm_revoke_invitation(self, invitation: Invitation) -> None:
        """Ask before revoking an invitation."""
        effect = tr("The link sent to {email} stops working.", email=invitation.email)
        self.ask(
            tr("Revoke the invitation for {name}?", name=invitation.full_name),
            f"{effect} {self.model.withdrawal_note}",
            tr("Revoke", "button"),
            partial(self.model.revoke_invitation, invitation),
        )

    def _show(self) -> None:
        model = self.model
        title = (
            tr("Some actions aren't available here")
            if model.can_manage
            else tr("People can't be managed here")
        )
        self.show_problem(
            None if model.people is None else model.unavailable_reason, title, model.command_error
        )
        self.command.setVisible(model.can_manage or model.unavailable_reason is None)
        set_available(self.command, None if model.can_manage else model.unavailable_reason)
        self.show_success(model.success_message)
        if model.people is None:
            self.search.hide()
            if isinstance(model.error, NotSupported | Forbidden):  # retrying wouldn't help
                self.show_problem(model.error.text(), tr("People aren't available here"), None)
                self.command.hide()
                self.set_list_hidden(True)
                return
            self.set_list_hidden(False)
            self.show_state(model.error, model.load, tr("Loading people…"))
            return
        self.set_list_hidden(False)
        self.search.setVisible(len(model.people) + len(model.invitations) >= MIN_PEOPLE_FOR_SEARCH)
        people = [person for person in model.people if self._matches_search(person)]
        self.people.show_rows([self._row_spec(person) for person in people[:MAX_SHOWN_PEOPLE]])
        invited = [item for item in model.invitations if self._matches_search(item)]
        self.more.setText(_more_text(len(people), len(invited)))
        self.more.setVisible(bool(self.more.text()))
        self.alone.setVisible(model.is_alone and model.can_manage)
        self.invited.show_rows([self._invitation_spec(item) for item in invited[:MAX_SHOWN_PEOPLE]])
        self.invited_title.setVisible(bool(invited))
        self.list.show_rows()
        self.on_list_loaded()

    def _matches_search(self, person: User) -> bool:
        text = self.search.text().strip().casefold()
        return text in person.full_name.casefold() or text in person.email.casefold()

    def _row_spec(self, person: User) -> RowSpec:
        content = (
            person.full_name,
            person.email,
            person.role,
            person.id in self.model.busy,
            self.model.is_last_admin(person),
            *self._permissions(),
        )
        return person.id, content, partial(self._row, person)

    def _permissions(self) -> tuple[bool, bool, tuple[Role, ...]]:
        """Whether roles can be changed and people removed, and the available roles."""
        model = self.model
        return model.unavailable_reason is None and model.can_manage, model.can_manage, model.roles

    def _row(self, person: User) -> TwoLineRow:
        row = TwoLineRow(person.full_name, person.email)
        changes, removes, _ = self._permissions()
        is_last_admin = self.model.is_last_admin(person)
        if changes:
            row.tail.addWidget(self._role_box(person, is_last_admin))
        elif person.role is not None:
            row.tail.addWidget(Label(role_label(person.role), "body", "text_secondary"))
        if removes:
            remove = IconButton("trash-2", tr("Remove {name}", name=person.full_name))
            remove.clicked.connect(partial(self.confirm_remove, person))
            remove.setEnabled(person.id not in self.model.busy and not is_last_admin)
            remove.setToolTip(plain_tip(_LAST_ADMIN if is_last_admin else remove.toolTip()))
            row.tail.addWidget(remove)
        return row

    def _role_box(self, person: User, is_last_admin: bool) -> ComboBox:
        box = ComboBox(tr("Role of {name}", name=person.full_name))
        known = {role.id: role for role in (*self.model.roles, *filter(None, [person.role]))}
        box.set_options([(role.id, role_label(role)) for role in known.values()])
        if person.role is not None:
            box.set_value(person.role.id)
            box.setToolTip(plain_tip(_LAST_ADMIN if is_last_admin else role_description(person.role)))
        box.setEnabled(person.id not in self.model.busy and not is_last_admin)
        box.value_changed.connect(lambda key: self.model.change_role(person, known[key]))
        return box

    def _invitation_spec(self, item: Invitation) -> RowSpec:
        text = expiry_text(item, self.model.services.clock())
        role = role_label(item.role) if item.role else ""
        about = " · ".join(filter(None, (item.email, role, text)))
        content = (item.full_name, about, item.id in self.model.busy, self.model.can_manage)
        return item.id, content, partial(self._invited_row, item, about)

    def _invited_row(self, item: Invitation, about: str) -> TwoLineRow:
        row = TwoLineRow(item.full_name, about)
        if not self.model.can_manage:
            return row
        existing = Button(tr("New link…"), small=True)
        existing.setAccessibleName(tr("New link for {name}", name=item.full_name))
        existing.clicked.connect(lambda: self.invite(item))
        revoke_invitation = IconButton("x", tr("Revoke the invitation for {name}", name=item.full_name))
        revoke_invitation.clicked.connect(partial(self.confirm_revoke_invitation, item))
        for part in (existing, revoke_invitation):
            part.setEnabled(item.id not in self.model.busy)
            row.tail.addWidget(part)
        return row

    def _show_invited(self, invitation: Invitation) -> None:
        if self.dialog is not None:
            self.dialog.accept()
        self.show_link(invitation)


def _revoked_keys_text(keys: list[str]) -> str:
    """Which keys are revoked, by name."""
    if not keys:
        return ""
    names = ", ".join(tr("“{name}”", "a name in quotes", name=name) for name in keys[:3])
    if len(keys) > 3:
        names = tr("{names} and others", names=names)
    return tr_count(
        len(keys),
        "Their API key {names} stops working immediately.",
        "Their {n} API keys ({names}) stop working immediately.",
        names=names,
    )


def _more_text(found: int, invited: int) -> str:
    """The text below the list of people if it is incomplete or empty."""
    if found > MAX_SHOWN_PEOPLE:
        return tr_count(
            found - MAX_SHOWN_PEOPLE,
            "And {n} more. Type part of a name above.",
            "And {n} more. Type part of a name above.",
        )
    return "" if found or invited else tr("No one's name or email matches.")
