"""Filling in and finding parts of dialogs."""

from typing import Any

from PySide6.QtWidgets import QAbstractButton, QWidget


def fill(dialog: Any, **values: str) -> None:
    """Type into the fields of a connection form."""
    for key, text in values.items():
        editor = dialog.form.fields[key].editor
        (getattr(editor, "edit", None) or editor).setText(text)


def button(dialog: QWidget, word: str) -> QAbstractButton:
    """The visible button with this word."""
    every = dialog.findChildren(QAbstractButton)
    return next(item for item in every if item.text() == word and not item.isHidden())
