"""Inviting somebody, and the one time the link is shown."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.people import InviteForm
from patchbay.desktop.ui.access.form_dialog import FormDialog
from patchbay.desktop.ui.access.shown_once import OneTimeSecretDialog, MessageSpec
from patchbay.desktop.ui.kit.inputs import FormField, LineEdit
from patchbay.desktop.ui.kit.once_field import OnceField
from patchbay.desktop.ui.kit.radio import RadioGroup
from patchbay.desktop.ui.kit.text import clock_time, day
from patchbay.domain.access import Scope
from patchbay.domain.base import EpochMs
from patchbay.domain.organise import Invitation, Role

_TOKEN = "token="


class InviteDialog(FormDialog):
    """Asks for name, address and role. `again` fills them in for a new link, which ends the old one."""

    def __init__(
        self, parent: QWidget, form: InviteForm, roles: Sequence[Role], again: Invitation | None = None
    ) -> None:
        super().__init__(parent, "Make a new link" if again else "Invite somebody", form)
        self._form = form
        self.name = LineEdit(again.full_name if again else "", "Dana Mori", large=True)
        self.email = LineEdit(again.email if again else "", "dana@example.org", large=True)
        self.email.setReadOnly(again is not None)
        self.role = RadioGroup("Role", [(role.id, role.name, role.description) for role in roles])
        self.role.set_value(again.role.id if again and again.role else _default_role_id(roles))
        self.add_field("fullName", FormField("Name", self.name, True))
        note = "The link they have now ends." if again else ""
        self.add_field("email", FormField("E-mail address", self.email, True, note))
        self.add_field("roleId", FormField("They come in as", self.role))
        self.add_submit_button("Make a link" if again else "Invite", "Inviting", self._submit)
        self.name.setFocus()

    def _submit(self) -> None:
        self._form.submit(self.name.text(), self.email.text(), self.role.value())


def _default_role_id(roles: Sequence[Role]) -> str | None:
    """The role most people come in with: the first that may work but not manage."""
    default = next((role for role in roles if role.scope is Scope.OPERATE), None)
    return (default or roles[-1]).id if roles else None


def one_time_link_dialog(parent: QWidget, invitation: Invitation, now: EpochMs) -> OneTimeSecretDialog:
    """The link of an invitation that was just made, and whether it went out by mail."""
    link = invitation.accept_invitation_url or ""
    expires_at = invitation.expires_at
    expiry = f" It is good until {day(expires_at, now)}, {clock_time(expires_at)}." if expires_at else ""
    return OneTimeSecretDialog(
        parent, f"{invitation.full_name} is invited",
        FormField("Link", OnceField("link", link, link.find(_TOKEN) + len(_TOKEN) if _TOKEN in link else 0)),
        [_delivery_message(invitation)],
        notes=[f"Whoever opens the link first comes in as {invitation.full_name}.{expiry}"],
        close_warning="" if invitation.mailed else "Nobody can show this link again; you can make a new one from the list.",
    )  # fmt: skip


def _delivery_message(invitation: Invitation) -> MessageSpec:
    if invitation.mailed:
        return "success", f"Mailed to {invitation.email}", "You can also give them the link yourself."
    if invitation.notice:
        return (
            "warning",
            "Not mailed",
            f"{invitation.notice} Give them the link yourself; it is shown this once.",
        )
    return "accent", "Copy the link now", f"Give it to {invitation.email} yourself. It is shown this once."
