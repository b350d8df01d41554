"""The dropdown editor: fixed or loaded options, or a typed value where allowed."""

import json
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.fields.base import FieldEditor, FieldHost, Row
from patchbay.desktop.editor.fields.variable_text import InsertButton, ValueTextField
from patchbay.desktop.editor.view_models.dynamic_options import LoadedChoices, LoadState
from patchbay.desktop.kit.accessibility import AccessibleMixin
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton, paint_box
from patchbay.desktop.kit.focus import FocusRinged
from patchbay.desktop.kit.icons import paint_icon
from patchbay.desktop.kit.line_edit import mark_invalid
from patchbay.desktop.kit.mark_painting import paint_spinner
from patchbay.desktop.kit.popups import ChecklistPopup
from patchbay.desktop.kit.row_text import paint_text
from patchbay.desktop.kit.text import Label, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import Json
from patchbay.domain.fields import Argument, Option, is_empty
from patchbay.domain.variables import as_text

_TYPE = "type it yourself"
_RELOAD = "load again"
_NO_CHOICE = "nothing"


class ChoiceButton(AccessibleMixin, FocusRinged, QToolButton):
    """A button that looks like a field and opens options. Also used for connections."""

    accessible_role = QAccessible.Role.ComboBox
    ring_halo = True
    opened = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._words, self._placeholder = "", True
        self.busy = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(self.opened)

    def show_text(self, words: str, *, placeholder: bool = False, busy: bool = False) -> None:
        """Show the chosen value; a placeholder is dimmed, and `busy` adds a spinner."""
        self._words = words
        self._placeholder = placeholder
        self.busy = busy
        self.setToolTip(plain_tip("" if placeholder else words))
        self.announce_value()
        self.update()

    def words(self) -> str:
        """The text that is shown."""
        return self._words

    def accessible_value(self) -> str:
        return self._words

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down, Qt.Key.Key_Space)
        if event.key() in keys and not control:
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(160), theme().px(32))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(80), theme().px(32))

    def paintEvent(self, event: QPaintEvent) -> None:
        px, tokens = theme().px, theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = tokens.border_control if self.isEnabled() else tokens.border_button
        if self.property("invalid"):
            line = tokens.failure_graphic
        elif self.hasFocus():
            line = tokens.focus
        fill = tokens.surface if self.isEnabled() else tokens.window
        paint_box(painter, QRectF(self.rect()), fill, line)
        area = QRectF(self.rect()).adjusted(px(11), 0, -px(30) - self.reserved_width(), 0)
        token = "text_disabled" if not self.isEnabled() else "text_tertiary" if self._placeholder else "text"
        paint_text(painter, area, self._words, "body", token)
        arrow = QRectF(self.width() - px(27), 0, px(20), self.height())
        if self.busy:
            paint_spinner(painter, arrow, tokens.accent_text)
        else:
            paint_icon(painter, arrow, "chevron-down", "text_secondary", 14)

    def reserved_width(self) -> int:
        """Width kept free before the arrow."""
        return 0


class ChoiceField(FieldEditor):
    """A dropdown. Loaded options show their state; a value can be typed where allowed."""

    def __init__(self, argument: Argument, host: FieldHost, row: Row | None = None) -> None:
        super().__init__()
        self._argument = argument
        self._host = host
        self._row = row
        self._value: Json = None
        self._typing = False
        self.button = ChoiceButton()
        self.button.opened.connect(self.open)
        self.typed = ValueTextField(host, values=argument.variables)
        self.typed.changed.connect(self._on_text_changed)
        self.typed.focus_left.connect(self.focus_left.emit)
        self.accepts_values = argument.variables
        self.insert = InsertButton()
        self.insert.clicked.connect(self.insert_value)
        self._list_button = IconButton("list", tr("Choose from the list"), small=True)
        self._list_button.clicked.connect(self._switch_to_list)
        self._problem = Label("", "caption", "failure", wrap=True)
        self._retry = Button(tr("Try again"), "link")
        self._retry.clicked.connect(self._load_again)
        self.popup: ChecklistPopup | None = None
        self.setFocusProxy(self.button)
        vbox(
            hbox((self.button, 1), self.insert, (self.typed, 1), self._list_button, spacing=4),
            hbox((self._problem, 1), self._retry),
            parent=self,
            spacing=4,
        )
        self.refresh()

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.button.setAccessibleName(name)
        self.insert.set_field(name)
        self.typed.setAccessibleName(name)

    def setAccessibleDescription(self, description: str) -> None:
        super().setAccessibleDescription(description)
        self.button.setAccessibleDescription(description)

    # Value

    def value(self) -> Json:
        return self._value

    def set_value(self, value: Json) -> None:
        self._value = value
        text = as_text(value)
        if "{{" in text and self._argument.variables:
            self._typing = True
        self.typed.set_value(text)
        self.refresh()

    def set_row(self, row: Row) -> None:
        """The other values of its dynamic row."""
        self._row = row
        self.refresh()

    def set_invalid(self, invalid: bool) -> None:
        mark_invalid(self.button, invalid)
        self.typed.set_invalid(invalid)

    def insert_value(self) -> None:
        self._switch_to_text()
        self.typed.insert_value()

    def _set(self, value: Json) -> None:
        self._value = value
        self.refresh()
        self.changed.emit(value)
        self.focus_left.emit()

    def _on_text_changed(self, text: str) -> None:
        self._value = text
        self.changed.emit(text)

    # Choices

    def _loaded(self) -> LoadedChoices:
        if self._argument.source is None:
            return LoadedChoices(LoadState.READY, options=self._argument.options)
        return self._host.choices(self._argument.source, self._host.scopes(self._row))

    @property
    def is_loading(self) -> bool:
        """Whether the options are being loaded."""
        return self._loaded().state is LoadState.LOADING

    def refresh(self) -> None:
        loaded = self._loaded()
        self.button.setVisible(not self._typing)
        self.insert.setVisible(self.accepts_values and not self._typing)
        self.typed.setVisible(self._typing)
        self._list_button.setVisible(self._typing)
        self.setFocusProxy(self.typed if self._typing else self.button)
        self.typed.refresh()
        failed = loaded.state is LoadState.FAILED
        self._problem.setVisible(failed)
        self._retry.setVisible(failed)
        if loaded.error is not None:
            self._problem.setText(loaded.error.text())
        label = next((item.label for item in loaded.options if item.value == self._value), None)
        busy = loaded.state is LoadState.LOADING
        if label is None and not is_empty(self._value):
            label = as_text(self._value)
        if label is not None:
            self.button.show_text(label, busy=busy)
        else:
            self.button.show_text(self._placeholder(loaded), placeholder=True, busy=busy)

    def _placeholder(self, loaded: LoadedChoices) -> str:
        if loaded.state is LoadState.WAITING:
            name = loaded.required_field
            if name == "connection":
                return tr("Choose a connection first")
            return tr("Choose {field} first", field=self._host.label_of(name))
        if loaded.state is LoadState.LOADING:
            return tr("Loading options")
        if loaded.state is LoadState.FAILED:
            return tr("Couldn't load the options")
        if not loaded.options:
            return tr("No options available")
        return self._argument.placeholder or tr("Choose", "placeholder of a list of options")

    def open(self) -> None:
        """Open the options, with entries to type a value or reload."""
        loaded = self._loaded()
        options: list[tuple[Any, str]] = [(_key(item), item.label) for item in loaded.options]
        if not self._argument.required and not is_empty(self._value):
            options.insert(0, (_NO_CHOICE, tr("No selection")))
        if self._argument.variables or loaded.state is LoadState.FAILED:
            options.append((_TYPE, tr("Enter a value…")))
        if self._argument.source is not None and loaded.state in (LoadState.READY, LoadState.FAILED):
            options.append((_RELOAD, tr("Reload options")))
        if not options:
            return
        popup = ChecklistPopup(
            self.button, options, (_key(Option(label="", value=self._value)),), multiple=False
        )
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popup.changed.connect(self._on_picked)
        popup.closed.connect(self._on_popup_closed)
        self.popup = popup
        popup.open_under(self.button, self.button.width())

    def _on_picked(self, chosen: tuple[str, ...]) -> None:
        self._apply_choice(chosen[0])

    def _on_popup_closed(self) -> None:
        self.popup = None

    def _apply_choice(self, chosen: str) -> None:
        if chosen == _TYPE:
            self._switch_to_text()
            self.typed.setFocus(Qt.FocusReason.OtherFocusReason)
        elif chosen == _RELOAD:
            self._load_again()
        elif chosen == _NO_CHOICE:
            self._set(None)
        else:
            self._set(json.loads(chosen))

    def _switch_to_text(self) -> None:
        self._typing = True
        self.typed.set_value(self._value)
        self.refresh()

    def _switch_to_list(self) -> None:
        self._typing = False
        if "{{" in as_text(self._value):
            self._set(None)
        self.refresh()
        self.button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _load_again(self) -> None:
        if self._argument.source is not None:
            self._host.retry_choices(self._argument.source, self._host.scopes(self._row))


def _key(option: Option) -> str:
    """Return a comparable form of an option value of any type."""
    return json.dumps(option.value, sort_keys=True)
