"""Secrets and values to copy: masked, revealed for a while, and removed from the clipboard after a while."""

from collections.abc import Callable
from typing import TypeGuard

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QClipboard, QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.boxes import hbox
from patchbay.desktop.kit.buttons import Button, IconButton
from patchbay.desktop.kit.clipboard import secret_content
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.shortcuts import REVEAL
from patchbay.desktop.kit.text import plain_tip

REVEAL_MS = 10_000
CLIPBOARD_MS = 30_000
COPIED_MS = 1_500
_REMOVAL_TIMER = "secret removal"
_DOTS = "••••••••"
_REVEAL_HELP = tr("Press {key} to show it for 10 seconds.", key=REVEAL.keys[0])
_SHOW, _HIDE = tr("Show for 10 seconds"), tr("Hide")
_COPY, _COPIED = tr("Copy"), tr("Copied")


class SecretField(QWidget):
    """A masked field with its own eye button. The text is hidden again after ten seconds or when the focus
    leaves.

    Tab goes from the field to the next one: the eye is for the mouse, and the key `REVEAL` does the same.
    """

    changed = Signal(str)

    def __init__(self, placeholder: str = "", parent: QWidget | None = None, *, large: bool = False) -> None:
        super().__init__(parent)
        self.edit = LineEdit("", placeholder, large=large)
        self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.edit.setInputMethodHints(
            Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhNoPredictiveText
        )
        self.edit.textChanged.connect(self.changed)
        self.eye = IconButton("eye", _SHOW, outlined=True)
        self.eye.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._name_eye(_SHOW)
        self.eye.clicked.connect(self._toggle)
        self.setFocusProxy(self.edit)
        self.setAccessibleDescription("")
        self._hide_timer = QTimer(self)
        self._hide_timer.setSingleShot(True)
        self._hide_timer.setInterval(REVEAL_MS)
        self._hide_timer.timeout.connect(self.hide_secret)
        self.edit.installEventFilter(self)
        _NoSelectionClipboard(self.edit)
        self.edit.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        hbox((self.edit, 1), self.eye, parent=self, spacing=6)

    def text(self) -> str:
        """The secret as entered."""
        return self.edit.text()

    def set_text(self, text: str) -> None:
        """Set the secret."""
        self.edit.setText(text)

    def set_invalid(self, invalid: bool) -> None:
        """Mark the field as invalid, or remove the mark."""
        self.edit.set_invalid(invalid)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)

    def setAccessibleDescription(self, description: str) -> None:
        super().setAccessibleDescription(description)
        sentence = f"{description.removesuffix('.')}. " if description else ""
        self.edit.setAccessibleDescription(sentence + _REVEAL_HELP)

    @property
    def revealed(self) -> bool:
        """Whether the secret is shown in plain text."""
        return self.edit.echoMode() is QLineEdit.EchoMode.Normal

    def hide_secret(self) -> None:
        """Hide the secret."""
        self._hide_timer.stop()
        self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.eye.set_icon("eye")
        self._name_eye(_SHOW)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent) and event.lostFocus() and not self.eye.underMouse():
            self.hide_secret()
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and REVEAL.matches(event):
            self._toggle()
            return True
        if self.revealed:
            return _handles_secret(self.edit, event)
        # Qt would delete a hidden secret without copying it.
        return _is_key(event) and event.matches(QKeySequence.StandardKey.Cut)

    def _name_eye(self, name: str) -> None:
        self.eye.set_name(name)
        self.eye.setToolTip(plain_tip(f"{name} ({REVEAL.keys[0]})"))

    def _toggle(self) -> None:
        if self.revealed:
            self.hide_secret()
            return
        self.edit.setEchoMode(QLineEdit.EchoMode.Normal)
        self.eye.set_icon("eye-off")
        self._name_eye(_HIDE)
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self._hide_timer.start()


def _copy_text(name: str) -> str:
    return tr("Copy {name}", name=name) if name else _COPY


def _handles_secret(edit: QLineEdit, event: QEvent) -> bool:
    """Handle keys that copy from a field with a secret, which Qt wouldn't mark. False for other events.

    Without a selection, Copy copies all of it. The keys that delete to the end of the line, or all of it,
    only delete; in Qt, they copy too.
    """
    if not _is_key(event):
        return False
    keys = QKeySequence.StandardKey
    if event.matches(keys.Copy):
        if edit.text():
            copy_text(edit.selectedText() or edit.text(), secret=True)
        return True
    if edit.isReadOnly():
        return False
    if event.matches(keys.DeleteEndOfLine):
        edit.end(True)
    elif event.matches(keys.DeleteCompleteLine):
        edit.selectAll()
    elif not event.matches(keys.Cut):
        return False
    elif edit.hasSelectedText():
        copy_text(edit.selectedText(), secret=True)
    if edit.hasSelectedText():
        edit.del_()
    return True


def _is_key(event: QEvent) -> TypeGuard[QKeyEvent]:
    return isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress


class _NoSelectionClipboard(QObject):
    """Keeps the selected text of a field with a secret out of the selection clipboard, where there is one.

    X11 and Wayland paste it with the middle button; it can't be marked as secret there.
    """

    def __init__(self, edit: QLineEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        clipboard = QGuiApplication.clipboard()
        if clipboard.supportsSelection():
            clipboard.selectionChanged.connect(self._on_selection_changed)

    def _on_selection_changed(self) -> None:
        clipboard, mode = QGuiApplication.clipboard(), QClipboard.Mode.Selection
        selected = self._edit.selectedText()
        if selected and clipboard.ownsSelection() and clipboard.text(mode) == selected:
            clipboard.clear(mode)


class CopyField(QWidget):
    """A value to read and to copy. `secret` clears the clipboard after 30 s if it still holds the value."""

    def __init__(
        self,
        text: str = "",
        accessible_name: str = "",
        parent: QWidget | None = None,
        *,
        secret: bool = False,
        large: bool = False,
    ) -> None:
        super().__init__(parent)
        self._secret = secret
        self.edit = LineEdit(text, large=large)
        self.edit.setReadOnly(True)
        self.edit.setCursorPosition(0)
        self.edit.setAccessibleName(accessible_name)
        if secret:
            self.edit.installEventFilter(self)
            _NoSelectionClipboard(self.edit)
            self.edit.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.setFocusProxy(self.edit)
        self.button = Button(_COPY, icon="copy", large=large)
        self.button.setAccessibleName(_copy_text(accessible_name))
        self.button.clicked.connect(self._copy)
        self._reset_timer = QTimer(self)
        self._reset_timer.setSingleShot(True)
        self._reset_timer.setInterval(COPIED_MS)
        self._reset_timer.timeout.connect(lambda: self._set_button(_COPY, "copy"))
        self._row = hbox((self.edit, 1), self.button, parent=self, spacing=8)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        return _handles_secret(self.edit, event)

    def add_button(self, button: QWidget) -> None:
        """Add a button after Copy."""
        self._row.addWidget(button)

    def text(self) -> str:
        """The text that is shown."""
        return self.edit.text()

    def set_text(self, text: str) -> None:
        """Set the text, shown from its beginning."""
        self.edit.setText(text)
        self.edit.setCursorPosition(0)

    def _copy(self) -> None:
        copy_text(self.text(), secret=self._secret)
        self.button.setMinimumWidth(self.button.width())
        self._set_button(_COPIED, "check")
        self._reset_timer.start()

    def _set_button(self, word: str, icon: str) -> None:
        self.button.setText(word)
        self.button.set_icon(icon)


def copy_text(text: str, *, secret: bool = False) -> None:
    """Copy a text to the clipboard.

    A secret is marked as one, and removed after 30 s, or when the program ends before, unless something else
    has replaced it.
    """
    clipboard = QGuiApplication.clipboard()
    if secret:
        clipboard.setMimeData(secret_content(text))
        for earlier in clipboard.findChildren(QTimer, _REMOVAL_TIMER):
            earlier.stop()  # it would remove the same secret too early
            earlier.deleteLater()
        removal = QTimer(clipboard, singleShot=True, interval=CLIPBOARD_MS)
        removal.setObjectName(_REMOVAL_TIMER)
        removal.timeout.connect(lambda: clipboard.clear() if clipboard.text() == text else None)
        removal.timeout.connect(removal.deleteLater)
        if (app := QGuiApplication.instance()) is not None:
            app.aboutToQuit.connect(removal.timeout)
        removal.start()
    else:
        clipboard.setText(text)


class OneTimeSecretField(QWidget):
    """Shows `value` with dots from its character `visible_prefix` on, until the eye is pressed.

    Copying, by button or by keys, copies all of it, and it is removed from the clipboard after 30 s.
    """

    copied = Signal()

    def __init__(self, name: str, value: str, visible_prefix: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value, self._visible_prefix = value, visible_prefix
        self.edit = _SecretLineEdit(self.copy, large=True)
        self.eye = IconButton("eye", _SHOW, outlined=True)
        self.button = Button(_COPY, "primary", icon="copy", large=True)
        self.setFocusProxy(self.button)
        self.setAccessibleName(name)
        self.edit.setReadOnly(True)
        self.eye.clicked.connect(self._toggle)
        self.button.clicked.connect(self.copy)
        self._hide_timer = _timer(self, REVEAL_MS)
        self._hide_timer.timeout.connect(self.hide_secret)
        self._reset_timer = _timer(self, COPIED_MS)
        self._reset_timer.timeout.connect(self._reset_button)
        hbox((self.edit, 1), self.eye, self.button, parent=self, spacing=6)
        self.hide_secret()

    @property
    def revealed(self) -> bool:
        """Whether the secret is shown in plain text."""
        return self._hide_timer.isActive()

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)
        self.button.setAccessibleName(_copy_text(name))

    def copy(self) -> None:
        """Copy the secret to the clipboard, marked as secret."""
        copy_text(self._value, secret=True)
        self.button.setMinimumWidth(self.button.width())
        self.button.setText(_COPIED)
        self.button.set_icon("check")
        self._reset_timer.start()
        self.copied.emit()

    def hide_secret(self) -> None:
        """Hide the secret except for its prefix."""
        self._hide_timer.stop()
        self._show(self._value[: self._visible_prefix] + (_DOTS if self._value else ""))
        self.eye.set_icon("eye")
        self.eye.set_name(_SHOW)

    def clear_secret(self) -> None:
        """Clear the field, because the secret isn't needed here any more."""
        self._value = ""
        self.hide_secret()

    def _toggle(self) -> None:
        if self.revealed:
            self.hide_secret()
            return
        self._show(self._value)
        self.eye.set_icon("eye-off")
        self.eye.set_name(_HIDE)
        self._hide_timer.start()

    def _show(self, text: str) -> None:
        self.edit.setText(text)
        self.edit.setCursorPosition(0)

    def _reset_button(self) -> None:
        self.button.setText(_COPY)
        self.button.set_icon("copy")


class _SecretLineEdit(LineEdit):
    """Copy the whole secret, even if only part of it is visible."""

    def __init__(self, copy: Callable[[], None], *, large: bool) -> None:
        super().__init__(large=large)
        self._copy = copy
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.setDragEnabled(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        else:
            super().keyPressEvent(event)


def _timer(owner: QWidget, milliseconds: int) -> QTimer:
    made = QTimer(owner, singleShot=True)
    made.setInterval(milliseconds)
    return made
