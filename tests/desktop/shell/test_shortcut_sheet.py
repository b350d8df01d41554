"""The sheet of all shortcuts in a small window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from patchbay.desktop.kit.text import Label
from patchbay.desktop.shell.shortcut_sheet import EDITOR_SHORTCUTS, LIST_SHORTCUTS, ShortcutSheet


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

    for words, _ in (*LIST_SHORTCUTS, *EDITOR_SHORTCUTS):
        label = labels[words]
        assert label.height() >= label.heightForWidth(label.width()), words
