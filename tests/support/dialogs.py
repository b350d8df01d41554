"""Filling in and finding parts of dialogs."""

from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QAbstractButton, QWidget
from tests.support.processes import until


def fill(dialog: Any, **values: str) -> None:
    """Type into the fields of a connection form."""
    for key, text in values.items():
        editor = dialog.form.fields[key].editor
        (getattr(editor, "edit", None) or editor).setText(text)


def button(dialog: QWidget, word: str) -> QAbstractButton:
    """The visible button with this word, once it is there: some come a few turns of the event loop later."""

    def shown() -> QAbstractButton | None:
        QCoreApplication.processEvents()
        every = dialog.findChildren(QAbstractButton)
        return next((item for item in every if item.text() == word and not item.isHidden()), None)

    found = until(shown)
    assert found is not None
    return found
