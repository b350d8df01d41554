"""What is shown once and never again: the value of a new key, the link of an invitation."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from patchbay.desktop.ui.kit.dialogs import Dialog
from patchbay.desktop.ui.kit.inputs import FormField
from patchbay.desktop.ui.kit.marks import Tone
from patchbay.desktop.ui.kit.message import MessageBox
from patchbay.desktop.ui.kit.once_field import OnceField
from patchbay.desktop.ui.kit.text import Label

MessageSpec = tuple[Tone, str, str]
"""Tone, title and text of a message."""


class OneTimeSecretDialog(Dialog):
    """Has the secret while it is open and forgets it when it closes.

    `messages` are messages above it; with `close_warning`, closing without having copied it asks first, in these words.
    """

    def __init__(
        self,
        parent: QWidget,
        title: str,
        field: FormField,
        messages: Sequence[MessageSpec],
        *,
        notes: Sequence[str] = (),
        close_warning: str = "",
    ) -> None:
        super().__init__(parent, title, 520)
        assert isinstance(field.editor, OnceField)
        self.secret = field.editor
        self._close_warning = close_warning
        self.warning = MessageBox("warning", parent=self)
        self.warning.hide()
        for tone, head, text in messages:
            self.body.addWidget(MessageBox(tone, head, text))
        self.body.addWidget(field)
        for note in notes:
            self.body.addWidget(Label(note, "body", "text_secondary", wrap=True))
        self.body.addWidget(self.warning)
        self.secret.copied.connect(self._copied)
        self.finished.connect(self.secret.forget)
        self.end, cancel = self.add_buttons("Done", self.reject)
        cancel.hide()
        self._set_primary(to_copy=bool(close_warning))
        self.secret.setFocus()

    def reject(self) -> None:
        """Closing: what was not copied is lost, so that is said first."""
        if self._close_warning and self.warning.isHidden():
            self.warning.set(
                "warning", "Not copied yet", self._close_warning, [("Close without it", self._close)]
            )
            self.warning.show()
            self.secret.setFocus()
        else:
            super().reject()

    def _close(self) -> None:
        super().reject()

    def _copied(self) -> None:
        self._close_warning = ""
        self.warning.hide()
        self._set_primary(to_copy=False)

    def _set_primary(self, *, to_copy: bool) -> None:
        """One button leads: Copy as long as that matters, then Done."""
        self.secret.button.set_kind("primary" if to_copy else "default")
        self.end.set_kind("default" if to_copy else "primary")
