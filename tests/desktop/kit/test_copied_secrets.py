"""A secret that was copied doesn't stay on the clipboard."""

import os
import subprocess
import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from tests.support.virtual_display import needs_a_display, virtual_display

from patchbay.desktop.kit import secret_fields
from patchbay.desktop.kit.clipboard import is_secret
from patchbay.desktop.kit.secret_fields import CopyField, SecretField, copy_text

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
SCRIPT = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from patchbay.desktop.kit.secret_fields import copy_text

app = QApplication([])
clipboard = QApplication.clipboard()
copy_text("hunter2", secret=True)
if sys.argv[1:] == ["replaced"]:
    clipboard.setText("something else")
QTimer.singleShot(0, app.quit)
app.exec()
print(clipboard.text())
"""

SELECTION = """
from PySide6.QtCore import Qt
from PySide6.QtGui import QClipboard
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from patchbay.desktop.kit.secret_fields import CopyField, SecretField

app = QApplication([])
clipboard = QApplication.clipboard()
for field in (QLineEdit(), {kind}):
    edit = field if isinstance(field, QLineEdit) else field.edit
    edit.setText("hunter2")
    edit.setEchoMode(QLineEdit.EchoMode.Normal)
    field.show()
    QTest.keyClick(edit, Qt.Key.Key_Home)
    QTest.keyClick(edit, Qt.Key.Key_End, Qt.KeyboardModifier.ShiftModifier)
    QTest.qWait(50)
    print(clipboard.text(QClipboard.Mode.Selection))
"""
"""Selects an ordinary text and then a secret, and prints the selection clipboard after each."""


@pytest.mark.parametrize(("how", "left"), [("kept", ""), ("replaced", "something else")])
def test_it_is_removed_when_the_program_ends_unless_something_has_replaced_it(how: str, left: str):
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, how],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ended.stdout == f"{left}\n"


@pytest.fixture
def revealed(qtbot: QtBot) -> SecretField:
    field = SecretField()
    qtbot.addWidget(field)
    field.show()
    field.set_text("hunter2")
    QTest.keyClick(field.edit, Qt.Key.Key_F8)
    QGuiApplication.clipboard().setText("before")
    return field


@pytest.mark.parametrize(
    ("key", "modifier", "left"),
    [
        (Qt.Key.Key_C, CONTROL, "hunter2"),
        (Qt.Key.Key_Insert, CONTROL, "hunter2"),
        (Qt.Key.Key_X, CONTROL, "er2"),
        (Qt.Key.Key_Delete, SHIFT, "er2"),
    ],
)
def test_a_shown_secret_that_is_copied_or_cut_is_marked_and_removed(
    qtbot: QtBot, monkeypatch, revealed: SecretField, key: Qt.Key, modifier: Qt.KeyboardModifier, left: str
):
    monkeypatch.setattr(secret_fields, "CLIPBOARD_MS", 1)
    clipboard = QGuiApplication.clipboard()
    revealed.edit.setSelection(0, 4)

    QTest.keyClick(revealed.edit, key, modifier)

    assert (clipboard.text(), is_secret(clipboard.mimeData())) == ("hunt", True)
    assert revealed.text() == left
    qtbot.waitUntil(lambda: clipboard.text() == "", timeout=30_000)


@pytest.mark.parametrize("hidden", [False, True])
def test_an_empty_or_hidden_secret_neither_is_copied_nor_vanishes(revealed: SecretField, hidden: bool):
    if hidden:
        revealed.hide_secret()
        revealed.edit.selectAll()
    else:
        revealed.set_text("")

    for key in (Qt.Key.Key_C, Qt.Key.Key_X):
        QTest.keyClick(revealed.edit, key, CONTROL)

    assert (revealed.text(), QGuiApplication.clipboard().text()) == ("hunter2" if hidden else "", "before")


@needs_a_display
@pytest.mark.parametrize("kind", ["SecretField()", "CopyField('', 'key', secret=True)"])
def test_a_selected_secret_is_not_pasted_with_the_middle_button(kind: str):
    with virtual_display() as display:
        ended = subprocess.run(
            [sys.executable, "-c", SELECTION.format(kind=kind)],
            env={**os.environ, "QT_QPA_PLATFORM": "xcb", "DISPLAY": display},
            capture_output=True,
            text=True,
            check=True,
        )

    assert ended.stdout == "hunter2\n\n"


def test_cutting_without_a_selection_changes_nothing(revealed: SecretField):
    revealed.edit.setCursorPosition(0)

    QTest.keyClick(revealed.edit, Qt.Key.Key_X, CONTROL)

    assert (revealed.text(), QGuiApplication.clipboard().text()) == ("hunter2", "before")


@pytest.mark.parametrize(
    ("standard", "left"),
    [(QKeySequence.StandardKey.DeleteEndOfLine, "hunt"), (QKeySequence.StandardKey.DeleteCompleteLine, "")],
)
def test_keys_that_delete_a_line_do_not_copy_a_secret(
    revealed: SecretField, standard: QKeySequence.StandardKey, left: str
):
    bound = QKeySequence.keyBindings(standard)
    if not bound:
        pytest.skip("this desktop has no such key")
    revealed.edit.setCursorPosition(4)

    QTest.keySequence(revealed.edit, bound[0])

    assert (revealed.text(), QGuiApplication.clipboard().text()) == (left, "before")


def test_a_read_only_secret_is_marked_when_it_is_copied_by_keys(qtbot: QtBot):
    field = CopyField("hunter2", "key", secret=True)
    qtbot.addWidget(field)
    field.show()
    field.edit.selectAll()

    QTest.keyClick(field.edit, Qt.Key.Key_C, CONTROL)

    clipboard = QGuiApplication.clipboard()
    assert (clipboard.text(), is_secret(clipboard.mimeData())) == ("hunter2", True)


def test_copying_the_same_secret_again_restarts_its_time(qtbot: QtBot, monkeypatch):
    monkeypatch.setattr(secret_fields, "CLIPBOARD_MS", 1)
    copy_text("hunter2", secret=True)
    monkeypatch.setattr(secret_fields, "CLIPBOARD_MS", 30_000)
    copy_text("hunter2", secret=True)

    qtbot.wait(100)

    assert QGuiApplication.clipboard().text() == "hunter2"
