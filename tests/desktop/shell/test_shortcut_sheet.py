"""The sheet of all shortcuts in a small window."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.kit.shortcuts import EDITOR_SHORTCUTS, LIST_SHORTCUTS, Shortcut
from patchbay.desktop.kit.text import Label
from patchbay.desktop.shell.shortcut_sheet import ShortcutSheet


@pytest.fixture
def sheet(qtbot):
    page = QWidget()
    qtbot.addWidget(page)
    page.resize(1024, 640)
    page.show()
    made = ShortcutSheet(page, ())
    made.open()
    return made


def test_it_stays_inside_the_window_and_scrolls(qtbot, sheet):
    bar = sheet.area.verticalScrollBar()
    assert sheet.height() <= 640 - 40
    assert bar.maximum() > 0

    qtbot.keyClick(sheet, Qt.Key.Key_End)
    assert bar.value() == bar.maximum()
    qtbot.keyClick(sheet, Qt.Key.Key_PageUp)
    assert bar.value() < bar.maximum()


def test_no_words_are_cut_off(sheet):
    labels = {label.text(): label for label in sheet.findChildren(Label)}

    for shortcut in (*LIST_SHORTCUTS, *EDITOR_SHORTCUTS):
        label = labels[shortcut.title]
        assert label.height() >= label.heightForWidth(label.width()), shortcut.title


@pytest.mark.parametrize(
    ("keys", "caps"),
    [
        (("F2",), ("F2",)),
        (("Ctrl+Shift+R",), ("Ctrl", "Shift", "R")),
        (("J", "K"), ("J", "K")),
        (("Alt+Up", "Alt+Down"), ("Alt", "↑", "↓")),
    ],
)
def test_key_caps_name_modifiers_once(keys, caps):
    assert Shortcut("A command", keys).caps() == caps


@pytest.mark.parametrize(
    ("key", "modifiers", "position"),
    [
        (Qt.Key.Key_J, Qt.KeyboardModifier.NoModifier, 0),
        (Qt.Key.Key_K, Qt.KeyboardModifier.NoModifier, 1),
        (Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier, 0),
        (Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier, -1),
        (Qt.Key.Key_L, Qt.KeyboardModifier.NoModifier, -1),
    ],
)
def test_a_shortcut_knows_which_of_its_keys_was_pressed(key, modifiers, position):
    event = QKeyEvent(QEvent.Type.KeyPress, key, modifiers)

    assert Shortcut("Next and previous", ("J", "K"), ("Enter",)).position(event) == position
