"""Creating an API key, and the one time its value is shown."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.access_keys import HEADER, SCOPES, NewKeyForm, narrowed
from patchbay.desktop.ui.access.form_dialog import FormDialog
from patchbay.desktop.ui.access.shown_once import OneTimeSecretDialog
from patchbay.desktop.ui.kit.inputs import ComboBox, FormField, LineEdit
from patchbay.desktop.ui.kit.once_field import OnceField
from patchbay.desktop.ui.kit.radio import RadioGroup
from patchbay.domain.access import NewApiKey, Scope
from patchbay.domain.organise import User

_NO_OWNER = "The key reaches what belongs to anybody."
_VISIBLE_CHARS = 4
"""How many characters of a value are shown before its dots."""


class NewKeyDialog(FormDialog):
    """Asks for a name, how far the key reaches, and for whom it is."""

    def __init__(self, parent: QWidget, form: NewKeyForm, people: Sequence[User]) -> None:
        super().__init__(parent, "Create an API key", form)
        self._form, self._people = form, {person.id: person for person in people}
        self.name = LineEdit("", "Nightly export", large=True)
        self.scope = RadioGroup("May", [(scope, *text) for scope, text in SCOPES.items()])
        self.person = ComboBox("For", large=True)
        self.person.set_options([(None, "Nobody in particular"), *((p.id, p.full_name) for p in people)])
        self.scope.set_value(Scope.OPERATE)
        self.add_field("name", FormField("Name", self.name, True))
        self.add_field("scope", FormField("It may", self.scope))
        self.add_field("userId", FormField("For", self.person))
        self.scope.value_changed.connect(self._show_permissions)
        self.person.value_changed.connect(self._show_permissions)
        self._show_permissions()
        self.add_submit_button("Create key", "Creating", self._submit)
        self.name.setFocus()

    def _show_permissions(self) -> None:
        person = self._people.get(self.person.value() or "")
        text = narrowed(self.scope.value(), person) if person else _NO_OWNER
        self.fields["userId"].set_help(
            text or f"The key may what {person.full_name} may." if person else text
        )

    def _submit(self) -> None:
        self._form.submit(self.name.text(), self.scope.value(), self.person.value())


def one_time_key_dialog(parent: QWidget, created: NewApiKey, address: str | None) -> OneTimeSecretDialog:
    """The value of a key that was just made."""
    return OneTimeSecretDialog(
        parent, f"Key “{created.key.name}”",
        FormField("API key", OnceField("API key", created.value, _VISIBLE_CHARS)),
        [("accent", "Copy it now", "It is shown this once. Patchbay keeps only a fingerprint of it.")],
        notes=[f"Programs send it in the header {HEADER}{f' to {address}' if address else ''}."],
        close_warning="Nobody can show this key again. Without a copy it is of no use; revoke it then.",
    )  # fmt: skip
