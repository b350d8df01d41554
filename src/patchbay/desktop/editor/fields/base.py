"""Base class of field editors, what they expect from their form, and the editor for unknown types."""

import json
from collections.abc import Mapping
from typing import Protocol

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.view_models.dynamic_options import LoadedChoices
from patchbay.desktop.editor.view_models.variables import ValueCatalog
from patchbay.desktop.kit.boxes import vbox
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey, Json
from patchbay.domain.fields import LoaderScopes, Source

Row = Mapping[str, Json]


class FieldHost(Protocol):
    """What a field editor needs from its form: variables, options, and labels."""

    @property
    def catalog(self) -> ValueCatalog:
        """The variables that the fields of the step can use."""
        ...

    def app(self, key: AppKey | None) -> AppInfo | None:
        """The app with this key; None if it isn't loaded."""
        ...

    def scopes(self, row: Row | None = None, outer: Row | None = None) -> LoaderScopes:
        """The parameters that dynamic lists can depend on, from the step down to the row."""
        ...

    def choices(self, source: Source, scopes: LoaderScopes) -> LoadedChoices:
        """The choices of a dynamic list. Starts loading them if they aren't known."""
        ...

    def retry_choices(self, source: Source, scopes: LoaderScopes) -> None:
        """Load the choices of a dynamic list again, after an error."""
        ...

    def label_of(self, key: str) -> str:
        """The label of another field of the step."""
        ...


class FieldEditor(QWidget):
    """Base class of field editors.

    `changed(value)` while editing; `left` when the focus leaves. `refresh` is called when variables or
    run-time options changed.
    """

    changed = Signal(object)
    focus_left = Signal()

    accepts_values = False
    """Whether `insert_value` opens the variable picker."""

    def value(self) -> Json:
        """Return the value; None or empty if nothing is entered."""
        return None

    def set_value(self, value: Json) -> None:
        """Show a value without emitting `changed`."""

    def set_invalid(self, invalid: bool) -> None:
        """Show the field as invalid."""

    def insert_value(self) -> None:
        """Open the variable picker at the cursor."""

    def refresh(self) -> None:
        """Update after a change of variables or run-time options."""


# Unknown field types


class UnknownField(FieldEditor):
    """Shows the value as read-only JSON."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._value: Json = None
        self._view = QPlainTextEdit()
        self._view.setReadOnly(True)
        self._view.setFont(theme().font("code"))
        self._view.setFixedHeight(theme().px(84))
        self.setFocusProxy(self._view)
        words = tr(
            "This version of Patchbay can't edit fields of type “{kind}”. The value is kept.", kind=kind
        )
        vbox(self._view, Label(words, "caption", "text_tertiary", wrap=True), parent=self)

    def value(self) -> Json:
        return self._value

    def set_value(self, value: Json) -> None:
        self._value = value
        self._view.setPlainText(json.dumps(value, indent=2, ensure_ascii=False))
