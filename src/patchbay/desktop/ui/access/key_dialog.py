"""Creating an API key, and the one time its value is shown."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from patchbay.desktop.state.access_keys import HEADER, SCOPES, NewKeyForm, narrowed
from patchbay.desktop.ui.access.form_dialog import FormDialog
from patchbay.desktop.ui.access.shown_once import ShownOnceDialog
from patchbay.desktop.ui.kit.inputs import ComboBox, FormField, LineEdit
from patchbay.desktop.ui.kit.once_field import OnceField
from patchbay.desktop.ui.kit.radio import RadioGroup
from patchbay.domain.access import NewApiKey, Scope
from patchbay.domain.organise import User

_NOBODY = "The key reaches what belongs to anybody."
_SHOWN = 4
"""How many characters of a value are shown before its dots."""


class NewKeyDialog(FormDialog):
    """Asks for a name, how far the key reaches, and for whom it is."""

    def __init__(self, parent: QWidget, form: NewKeyForm, people: Sequence[User]) -> None:
        super().__init__(parent, "Create an API key", form)
        self._form, self._people = form, {person.id: person for person in people}
        self.name = LineEdit("", "Nightly export", large=True)
        self.scope = RadioGroup("May", [(scope, *words) for scope, words in SCOPES.items()])
        self.person = ComboBox("For", large=True)
        self.person.set_options([(None, "Nobody in particular"), *((p.id, p.full_name) for p in people)])
        self.scope.set_value(Scope.OPERATE)
        self.add_field("name", FormField("Name", self.name, True))
        self.add_field("scope", FormField("It may", self.scope))
        self.add_field("userId", FormField("For", self.person))
        self.scope.value_changed.connect(self._tell_reach)
        self.person.value_changed.connect(self._tell_reach)
        self._tell_reach()
        self.ends_with("Create key", "Creating", self._take)
        self.name.setFocus()

    def _tell_reach(self) -> None:
        person = self._people.get(self.person.value() or "")
        words = narrowed(self.scope.value(), person) if person else _NOBODY
        self.fields["userId"].set_help(
            words or f"The key may what {person.full_name} may." if person else words
        )

    def _take(self) -> None:
        self._form.submit(self.name.text(), self.scope.value(), self.person.value())


def key_shown_once(parent: QWidget, made: NewApiKey, address: str | None) -> ShownOnceDialog:
    """The value of a key that was just made."""
    return ShownOnceDialog(
        parent, f"Key “{made.key.name}”",
        FormField("API key", OnceField("API key", made.value, _SHOWN)),
        [("accent", "Copy it now", "It is shown this once. Patchbay keeps only a fingerprint of it.")],
        notes=[f"Programs send it in the header {HEADER}{f' to {address}' if address else ''}."],
        loss="Nobody can show this key again. Without a copy it is of no use; revoke it then.",
    )  # fmt: skip
