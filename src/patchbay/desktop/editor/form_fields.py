"""The generated fields of a step, its connection field, and what field editors ask of their form."""

from functools import partial
from typing import Any

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.app_store import AppStore
from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.fields.base import FieldEditor, Row
from patchbay.desktop.editor.fields.choice import ChoiceButton
from patchbay.desktop.editor.fields.registry import make_editor
from patchbay.desktop.editor.fields.row_fields import RowsField
from patchbay.desktop.editor.view_models.dynamic_options import LoadedChoices, LoadState
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.desktop.editor.view_models.variables import ValueCatalog
from patchbay.desktop.kit.badges import paint_tag, tag_width
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.inputs import FormField
from patchbay.desktop.kit.line_edit import mark_invalid
from patchbay.desktop.kit.mark_painting import Tone
from patchbay.desktop.kit.marks import mark_of
from patchbay.desktop.kit.popups import ChecklistPopup
from patchbay.desktop.kit.text import Label, clock_time, when
from patchbay.desktop.kit.theme import theme
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey, ConnectionId, EpochMs, Json, StepId
from patchbay.domain.clock import HOUR_MS
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.fields import Argument, ArgumentType, LoaderScopes, Source


class FormHost:
    """Implements `FieldHost` for the form of the selected step."""

    def __init__(self, form: StepFormModel, apps: AppStore) -> None:
        self._form, self._apps = form, apps

    @property
    def catalog(self) -> ValueCatalog:
        return self._form.catalog

    def app(self, key: AppKey | None) -> AppInfo | None:
        return self._apps.get(key)

    def scopes(self, row: Row | None = None, outer: Row | None = None) -> LoaderScopes:
        return self._form.scopes(row, outer)

    def choices(self, source: Source, scopes: LoaderScopes) -> LoadedChoices:
        return self._form.choices(source, scopes)

    def retry_choices(self, source: Source, scopes: LoaderScopes) -> None:
        self._form.retry_choices(source, scopes)

    def label_of(self, key: str) -> str:
        return self._form.label_of(key)


# Connection field

ADD_OPTION = "add a connection"
NO_CONNECTION = ""


class _ConnectionButton(ChoiceButton):
    """Shows the connection's name and health."""

    def __init__(self) -> None:
        super().__init__()
        self._tag, self._icon = "", ""
        self._tone: Tone = "neutral"

    def show_health(self, text: str, tone: Tone, icon: str) -> None:
        self._tag = text
        self._tone = tone
        self._icon = icon
        self.update()

    def reserved_width(self) -> int:
        return round(tag_width(self._tag, self._icon)) + theme().px(12) if self._tag else 0

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._tag:
            px = theme().px
            width = tag_width(self._tag, self._icon)
            box = QRectF(self.width() - px(32) - width, (self.height() - px(18)) / 2, width, px(18))
            paint_tag(QPainter(self), box, self._tag, self._tone, self._icon)


class ConnectionField(QWidget):
    """The connection field. `chosen(connection id)`; `add_requested` opens My Apps."""

    chosen = Signal(object)
    add_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.button = _ConnectionButton()
        self.button.setAccessibleName(tr("Connection"))
        self.button.opened.connect(self.open)
        self.setFocusProxy(self.button)
        self._connections: tuple[Connection, ...] = ()
        self._current: ConnectionId | None = None
        self._optional, self._undecided = False, False
        self.popup: ChecklistPopup | None = None
        vbox(self.button, parent=self)

    def show_connections(
        self,
        connections: tuple[Connection, ...],
        current: ConnectionId | None,
        now: EpochMs,
        *,
        optional: bool = False,
        undecided: bool = False,
    ) -> None:
        """Show the connections. `undecided`: the optional connection hasn't been chosen or declined yet."""
        self._connections = connections
        self._current = current
        self._optional = optional
        self._undecided = undecided and current is None
        selected = next((item for item in connections if item.id == current), None)
        if selected is None:
            empty_text = (
                tr("No connection") if optional and not self._undecided else tr("Choose a connection")
            )
            text = tr("This connection was deleted") if current else empty_text
            self.button.show_text(text, placeholder=True)
            self.button.show_health("", "neutral", "")
            return
        mark = mark_of(selected.health)
        text = mark.word
        if selected.health is ConnectionHealth.VALID and selected.tested_at:
            same_day = now - selected.tested_at < 12 * HOUR_MS
            tested_text = clock_time(selected.tested_at) if same_day else when(selected.tested_at, now)
            text = tr("Valid, tested {time}", time=tested_text)
        self.button.show_text(selected.screen_name or tr("Unnamed connection"))
        self.button.show_health(text, mark.tone, mark.icon)
        self.button.setAccessibleDescription(
            f"{selected.screen_name}, {text}. {selected.reason or ''}".strip()
        )

    def set_invalid(self, invalid: bool) -> None:
        """Mark the field as invalid, or remove the mark."""
        mark_invalid(self.button, invalid)

    def open(self) -> None:
        """Open the list of connections."""
        options: list[tuple[Any, str]] = [(item.id, _label(item)) for item in self._connections]
        if self._optional:
            options.insert(0, (NO_CONNECTION, tr("No connection")))
        options.append((ADD_OPTION, tr("Add connection…")))
        chosen = () if self._undecided else (self._current or NO_CONNECTION,)
        popup = ChecklistPopup(self.button, options, chosen, multiple=False)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popup.changed.connect(self._on_popup_changed)
        self.popup = popup
        popup.open_under(self.button, self.button.width())

    def _on_popup_changed(self, values: tuple[str, ...]) -> None:
        self._choose(values[0])

    def _choose(self, value: str) -> None:
        if value == ADD_OPTION:
            self.add_requested.emit()
        elif self._undecided or value != (self._current or NO_CONNECTION):
            self.chosen.emit(value or None)


def _label(connection: Connection) -> str:
    name = connection.screen_name or tr("Unnamed connection")
    return (
        name if connection.health is ConnectionHealth.VALID else f"{name} · {mark_of(connection.health).word}"
    )


# Generated fields

SAVED_IMMEDIATELY = (ArgumentType.DROPDOWN,)
"""Field types whose changes are saved immediately."""


class FormFields(QWidget):
    """Builds and updates the fields of a `StepFormModel`."""

    def __init__(self, form: StepFormModel, host: FormHost) -> None:
        super().__init__()
        self._form, self._host = form, host
        self.editors: dict[str, FieldEditor] = {}
        self.frames: dict[str, FormField] = {}
        self._arguments: dict[str, Argument] = {}
        self._step_id: StepId | None = None
        self._column = vbox(parent=self, spacing=14)
        form.rebuilt.connect(self.build)
        form.value_changed.connect(self._show_value)
        form.errors_changed.connect(self._show_errors)
        form.choices_changed.connect(self._refresh)
        form.available_values_changed.connect(self._refresh)

    def build(self) -> None:
        """Rebuild the form; unchanged fields keep their editor and cursor."""
        arguments = self._form.arguments
        focus = self.window().focusWidget()  # which it stays while the choices of a field are open
        focused = next(
            (key for key, frame in self.frames.items() if focus is not None and frame.isAncestorOf(focus)),
            None,
        )
        unchanged = {key: frame for key, frame in self.frames.items() if self._is_unchanged(key, arguments)}
        editors = {key: self.editors[key] for key in unchanged}
        self._clear(set(unchanged))
        self.editors, self.frames = editors, unchanged
        lines = list(_lines(arguments))
        for line in lines:
            for argument in line:
                if argument.key not in self.frames:
                    self._add_editor(argument)
            self._column.addWidget(self._build_line(line))
            for argument in line:
                self._add_loading_note(argument)
        self._arguments = {item.key: item for item in arguments}
        self._step_id = self._form.step_id
        for key in self.editors:
            self._show_value(key)
        self._show_errors()
        if focused in unchanged and focused is not None:
            self.editors[focused].setFocus(Qt.FocusReason.OtherFocusReason)

    def _is_unchanged(self, key: str, arguments: tuple[Argument, ...]) -> bool:
        known = self._arguments.get(key)
        return self._step_id == self._form.step_id and known is not None and known in arguments

    def _clear(self, unchanged: set[str]) -> None:
        for key, frame in self.frames.items():
            if key in unchanged:
                frame.setParent(self)  # remove it from its row, which is deleted
        while item := self._column.takeAt(0):
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()

    def _add_editor(self, argument: Argument) -> None:
        editor = make_editor(argument, self._host)
        editor.setAccessibleName(argument.label)
        frame = FormField(argument.label, editor, argument.required, argument.description)
        if not argument.required and argument.type is not ArgumentType.CONDITIONS:
            frame.head.insertWidget(
                1, Label(tr("optional", "beside the name of a field"), "caption", "text_tertiary")
            )
        editor.changed.connect(partial(self._edited, argument))
        editor.focus_left.connect(partial(self._form.leave, argument.key))
        if isinstance(editor, RowsField):
            editor.row_removed.connect(partial(self._form.remove_row, argument.key))
        self.editors[argument.key], self.frames[argument.key] = editor, frame

    def _build_line(self, line: list[Argument]) -> QWidget:
        line_widget = QWidget()
        row = hbox(parent=line_widget, spacing=12)
        for argument in line:
            row.addWidget(self.frames[argument.key], 1, Qt.AlignmentFlag.AlignTop)
            self.frames[argument.key].show()
        return line_widget

    def _add_loading_note(self, argument: Argument) -> None:
        """Show the loading state of further fields below their dropdown."""
        loaded = self._form.extra_fields(argument)
        if loaded is not None and loaded.state is LoadState.LOADING:
            self._column.addWidget(Label(tr("Loading more fields"), "caption", "text_tertiary"))
        elif loaded is not None and loaded.error is not None:
            text = tr("Couldn't load more fields. {error}", error=loaded.error.text())
            self._column.addWidget(Label(text, "caption", "failure", wrap=True))

    # Following

    def _edited(self, argument: Argument, value: Json) -> None:
        self._form.set_value(
            argument.key,
            value,
            immediate=argument.type in SAVED_IMMEDIATELY and not (isinstance(value, str) and "{{" in value),
        )

    def _show_value(self, key: str) -> None:
        if editor := self.editors.get(key):
            editor.set_value(self._form.value(key))

    def _show_errors(self) -> None:
        for key, frame in self.frames.items():
            frame.set_error(self._form.error(key) or None)

    def _refresh(self) -> None:
        for editor in self.editors.values():
            editor.refresh()

    def focus(self, key: str) -> bool:
        """Focus a field."""
        editor = self.editors.get(key)
        if editor is None:
            return False
        editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True


def _lines(arguments: tuple[Argument, ...]) -> list[list[Argument]]:
    """Lay out consecutive short dropdowns in pairs."""
    lines: list[list[Argument]] = []
    for argument in arguments:
        is_short = argument.type is ArgumentType.DROPDOWN and not argument.description
        last = lines[-1] if lines else []
        fits_beside = len(last) == 1 and last[0].type is ArgumentType.DROPDOWN and not last[0].description
        if is_short and fits_beside:
            last.append(argument)
        else:
            lines.append([argument])
    return lines
