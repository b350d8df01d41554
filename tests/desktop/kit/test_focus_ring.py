"""The focus ring stays around its control."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from patchbay.desktop.kit.line_edit import LineEdit


def test_the_ring_moves_along_when_what_holds_the_control_moves(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    page.resize(400, 300)
    holder = QWidget(page)
    holder.setGeometry(20, 40, 120, 30)
    edit = LineEdit("", "", holder)
    edit.setGeometry(0, 0, 120, 30)
    page.show()
    page.activateWindow()
    edit.show_ring()
    ring = edit._ring
    assert ring is not None
    assert ring.parentWidget() is page
    before = ring.pos()

    holder.move(20, 90)

    qtbot.waitUntil(lambda: ring.pos() == before + QPoint(0, 50))
