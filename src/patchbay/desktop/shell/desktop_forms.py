"""Forms that steps show to the person at this computer, one after another."""

import logging
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QCursor, QGuiApplication, QKeyEvent, QScreen
from PySide6.QtWidgets import QApplication, QWidget

from patchbay.desktop.core.language import formats, tr, tr_count
from patchbay.desktop.kit.dialogs import ScrollDialog
from patchbay.desktop.kit.inputs import ComboBox, FormField
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.text import Label, literal
from patchbay.desktop.kit.toggles import CheckBox, CheckRow
from patchbay.domain.base import Json
from patchbay.domain.desktop import MAX_ENTERED_LENGTH, DesktopForm, DesktopFormField, FieldKind

log = logging.getLogger("desktop")

Values = dict[str, Json]
RETURN_MS = 1_500
"""Delay after which a form comes back that was closed for the end of the program."""
PAUSE_MS = 500
"""Delay between two forms, so that a second click doesn't go to the next one."""
ARMING_MS = 700
"""How long a form is shown before its buttons, Enter, and Escape work."""
_WIDTH = 440
_MAX_SCREEN_SHARE = 0.8
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,300}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(\.[0-9]{0,300})?")
_WITH_EXPONENT = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?[eE][+-]?[0-9]{1,3}")
"""A very large or small number, as variables are inserted."""
_GROUPED = re.compile(r"[+-]?[0-9]{1,300}([.,'’٬\s][0-9]{1,300})+")
"""A number with separators that the formats of the window don't explain."""
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")
"""A number whose point separates thousands where a comma precedes decimals."""


@dataclass(frozen=True)
class _Waiting:
    number: int
    form: DesktopForm
    on_response: Callable[[Values | None], object]
    on_failure: Callable[[], object]


class DesktopFormQueue(QObject):
    """Shows one form at a time, in the order in which steps requested them."""

    def __init__(self, parent: QObject | None = None, window: QWidget | None = None) -> None:
        """`window` is the one on whose screen forms appear."""
        super().__init__(parent)
        self._window = window
        self._waiting: list[_Waiting] = []
        self.dialog: DesktopFormDialog | None = None
        self._shown: _Waiting | None = None
        self.pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self.pause.timeout.connect(self._end_pause)

    def show(
        self,
        number: int,
        form: DesktopForm,
        on_response: Callable[[Values | None], object],
        on_failure: Callable[[], object] = lambda: None,
    ) -> None:
        """Show a form, after those before it. `number` identifies it for `withdraw`.

        `on_response` gets the values, or None if it is closed. `on_failure` is called if it can't be shown.
        """
        self._waiting.append(_Waiting(number, form, on_response, on_failure))
        self._show_next()
        self._show_count()

    def withdraw(self, number: int) -> None:
        """Close a form for which no step waits any more."""
        self._waiting = [one for one in self._waiting if one.number != number]
        if self._shown is not None and self._shown.number == number:
            self._shown = None
            if self.dialog is not None:
                self.dialog.reject()
        self._show_count()

    def close(self) -> None:
        """Close all forms without a response."""
        self._waiting.clear()
        if self._shown is not None:
            self.withdraw(self._shown.number)

    def _end_pause(self) -> None:
        self.pause.stop()
        self._show_next()

    def _show_count(self) -> None:
        if self.dialog is not None:
            self.dialog.show_count(len(self._waiting))

    def _show_next(self) -> None:
        while self.dialog is None and self._waiting and not self.pause.isActive():
            shown = self._waiting.pop(0)
            try:
                dialog = DesktopFormDialog(shown.form)
            except Exception:
                log.exception("a form can't be shown")  # a bug; its step must not wait
                shown.on_failure()
                continue
            self.dialog, self._shown = dialog, shown
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.finished.connect(self._on_finished)
            self._show_count()
            dialog.show_without_focus(_screen_of(self._window))

    def _on_finished(self) -> None:
        dialog, shown = self.dialog, self._shown
        self.dialog = self._shown = None
        if shown is not None and dialog is not None and dialog.closed_by_program:
            # No response of a person: if the program doesn't end after all, the form comes back.
            self._waiting.insert(0, shown)
            QTimer.singleShot(RETURN_MS, self, self._show_next)
            return
        if shown is not None and dialog is not None:
            shown.on_response(dialog.values)
        self.pause.start()


class DesktopFormDialog(ScrollDialog):
    """A form in a window of its own. `values` is None until it is sent."""

    def __init__(self, form: DesktopForm, parent: QWidget | None = None) -> None:
        super().__init__(parent, form.title, _WIDTH)
        self.setModal(False)
        # It appears while the person types elsewhere: those keys must not fill it in, or send it.
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint)
        self.values: Values | None = None
        self.closed_by_program = False
        self._form = form
        if form.text:
            self.column.addWidget(Label(form.text, "body", "text_secondary", wrap=True))
        self.fields = {field.key: _FieldRow(field) for field in form.fields}
        for row in self.fields.values():
            self.column.addWidget(row.widget)
        self.note = Label(_note(form.flow_name), "caption", "text_secondary", wrap=True)
        self.add_note(self.note)  # below what scrolls, so that no text of a flow can displace it
        label = literal(form.submit_label) or tr("Send", "button of a form of a flow")
        self.send, self.cancel = self.add_buttons(label, self._submit)
        self._set_armed(False)
        self.arming = QTimer(self, singleShot=True, interval=ARMING_MS)
        self.arming.timeout.connect(lambda: self._set_armed(True))

    def show_count(self, waiting: int) -> None:
        """Add to the note how many forms are shown after this one."""
        note = _note(self._form.flow_name)
        if waiting:
            note += " " + tr_count(waiting, "{n} more form is waiting.", "{n} more forms are waiting.")
        self.note.setText(note)

    def show_without_focus(self, screen: QScreen | None = None) -> None:
        """Show the window above others on this screen, without taking the keyboard from them."""
        if screen is not None:
            self.setScreen(screen)
        self.fit()
        # Not left to the window manager: some put such a window into a corner, with its title off the screen.
        self.move(self._first_corner())
        self.show()
        self.fit()
        self.arming.start()
        QApplication.alert(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_response = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
        if not is_response or (self._is_armed and not event.isAutoRepeat()):
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close the form, and note whether the end of the program closed it, which is no response."""
        if event.spontaneous() and not self._is_armed:
            event.ignore()
            return
        self.closed_by_program = not event.spontaneous()
        super().closeEvent(event)

    def fit(self) -> None:
        """The height of the content, up to most of the screen."""
        super().fit()
        most = round(self.screen().availableGeometry().height() * _MAX_SCREEN_SHARE)
        if (excess := self.height() - most) > 0:
            self.area.setFixedHeight(max(self.area.height() - excess, 1))
            self.resize(self.width(), most)
        if self.isVisible():
            self._keep_on_screen()

    def _first_corner(self) -> QPoint:
        """The top left corner at first: in the middle, a bit above the centre."""
        free = self.screen().availableGeometry()
        left = free.left() + (free.width() - self.width()) // 2
        return QPoint(left, free.top() + (free.height() - self.height()) // 3)

    def _keep_on_screen(self) -> None:
        """Move it so that all of it is visible, as after an error that made it higher."""
        free, frame = self.screen().availableGeometry(), self.frameGeometry()
        left = max(free.left(), min(frame.left(), free.right() + 1 - frame.width()))
        top = max(free.top(), min(frame.top(), free.bottom() + 1 - frame.height()))
        if QPoint(left, top) != frame.topLeft():
            self.move(left, top)

    def _set_armed(self, armed: bool) -> None:
        self._is_armed = armed
        self.send.setEnabled(armed)
        self.cancel.setEnabled(armed)

    def _submit(self) -> None:
        values: Values = {}
        wrong: list[_FieldRow] = []
        for key, row in self.fields.items():
            try:
                values[key] = read_entered(row.field, row.entered())
                row.set_error(None)
            except ValueError as error:
                row.set_error(str(error))
                wrong.append(row)
        if wrong:
            wrong[0].editor.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.values = values
        self.accept()


class _FieldRow:
    """A field with its label, and what is entered in it."""

    def __init__(self, field: DesktopFormField) -> None:
        self.field = field
        self.editor: LineEdit | ComboBox | CheckBox
        shown: QWidget | None = None
        if field.kind is FieldKind.YES_NO:
            shown = CheckRow(field.label)
            self.editor = shown.box
            self.editor.setChecked(field.value == "yes")
        elif field.kind is FieldKind.CHOICE:
            is_chosen = field.is_required and field.value in field.options
            empty = () if is_chosen else (("", tr("Choose…")),)
            self.editor = ComboBox(field.label)
            self.editor.set_options((*empty, *((option, option) for option in field.options)))
            self.editor.set_value(field.value)
        else:
            self.editor = LineEdit("")
            self.editor.setText(_shown_value(field))
            self.editor.setMaxLength(MAX_ENTERED_LENGTH)
        label = "" if field.kind is FieldKind.YES_NO else field.label
        self._form_field = FormField(label, shown or self.editor, required=field.is_required, help=field.help)
        if not label:
            self._form_field.label.hide()
        self.editor.setAccessibleName(field.label)

    @property
    def widget(self) -> QWidget:
        return self._form_field

    def entered(self) -> str | bool:
        """What is entered now."""
        if isinstance(self.editor, CheckBox):
            return self.editor.isChecked()
        return str(self.editor.value() or "") if isinstance(self.editor, ComboBox) else self.editor.text()

    def set_error(self, text: str | None) -> None:
        self._form_field.set_error(text)


def _screen_of(window: QWidget | None) -> QScreen | None:
    """The screen of a window; that of the pointer while the window is hidden."""
    if window is not None and window.isVisible() and not window.isMinimized():
        return window.screen()
    return QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()


def _note(flow_name: str) -> str:
    if not flow_name:
        return tr("A flow asks for this. Your input is stored with the execution, so don't enter passwords.")
    return tr(
        "The flow “{name}” asks for this. Your input is stored with the execution, so don't enter passwords.",
        name=flow_name,
    )


def read_entered(field: DesktopFormField, entered: str | bool) -> Json:
    """The value that was entered in a field. Raises `ValueError` with what to show below it."""
    if isinstance(entered, bool):
        return entered
    text = entered.strip()
    if not text:
        if field.is_required:
            is_choice = field.kind is FieldKind.CHOICE
            raise ValueError(tr("Choose one.") if is_choice else tr("Enter a value."))
        return None if field.kind is FieldKind.NUMBER else ""
    return _read_number(text) if field.kind is FieldKind.NUMBER else entered


def _read_number(text: str) -> int | float:
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)  # exact, which a float isn't beyond 15 digits
    point = formats().decimalPoint()
    plain = text if "." in text else text.replace(point, ".")
    is_ambiguous = point not in text and point != "." and _THOUSANDS.fullmatch(text)
    if is_ambiguous or (_GROUPED.fullmatch(text) and not _NUMBER.fullmatch(plain)):
        example = f"1234{point}5"
        raise ValueError(
            tr("Enter the number without thousands separators, such as {example}.", example=example)
        )
    if not _NUMBER.fullmatch(plain) or not math.isfinite(value := float(plain)):
        raise ValueError(tr("Enter a number, such as 12 or 3.5."))
    if Decimal(repr(value)) != Decimal(plain):
        raise ValueError(tr("The number has too many digits. With decimals, use at most 15 digits."))
    return value


def _shown_value(field: DesktopFormField) -> str:
    """What is entered at first. Flows write numbers with a point, people as the window shows them."""
    plain = format(Decimal(field.value), "f") if _WITH_EXPONENT.fullmatch(field.value) else field.value
    is_number = field.kind is FieldKind.NUMBER and _NUMBER.fullmatch(plain)
    return plain.replace(".", formats().decimalPoint()) if is_number else field.value
