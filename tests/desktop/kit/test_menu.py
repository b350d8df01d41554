"""Menus have names, and entries that can't be used say why, also to those who only hear them."""

import gc
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

import patchbay.desktop
from patchbay.desktop.editor.fields.code import CodeField
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.menu import Menu

REASON = "This service does not offer to edit flows; open its web page."


@pytest.fixture
def chosen():
    return []


@pytest.fixture
def host(qtbot):
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def menu(host, chosen):
    made = Menu(host, "Actions for Orders & more")
    made.add("Open", lambda: chosen.append("open"), "pencil", "Return")
    made.addSeparator()
    made.add("Only what “A & B” did", lambda: chosen.append("only"), reason=REASON)
    made.add("Delete…", lambda: chosen.append("delete"))
    made.popup(QPoint(10, 10))
    return made


def test_an_entry_that_cannot_be_used_says_why_in_its_words(menu):
    entry = menu.actions()[2]

    assert menu.accessibleName() == "Actions for Orders & more"
    assert not entry.isEnabled()
    assert entry.text() == "Only what “A && B” did (This service does not offer to edit flows)"
    assert entry.toolTip() == REASON

    entry.set_reason(None)

    assert (entry.isEnabled(), entry.text()) == (True, "Only what “A && B” did")


def test_arrow_keys_stop_at_every_entry_and_enter_chooses_only_what_can_be_used(qtbot, menu, chosen):
    """Down to the second, which is disabled, on to the third, and back up to it."""
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(menu, key)
    assert (chosen, menu.activeAction(), menu.isVisible()) == ([], None, True)

    for key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Return):
        qtbot.keyClick(menu, key)
    assert chosen == ["open"]


@pytest.mark.parametrize("make", [LineEdit, CodeField])
def test_the_menu_of_a_field_has_a_name(qtbot, make):
    made = make()
    qtbot.addWidget(made)
    made.show()
    field = made.edit.viewport() if isinstance(made, CodeField) else made

    at = QPoint(5, 5)
    reason = QContextMenuEvent.Reason.Keyboard
    QApplication.sendEvent(field, QContextMenuEvent(reason, at, field.mapToGlobal(at)))
    gc.collect()

    menus = [menu for menu in made.findChildren(QMenu) if menu.isVisible()]
    assert [menu.accessibleName() for menu in menus] == ["Edit"]
    menus[0].close()


def test_every_menu_of_the_program_is_one_of_these():
    files = Path(patchbay.desktop.__file__).parent.rglob("*.py")

    assert [file.name for file in files if "= QMenu(" in file.read_text("utf-8")] == []
