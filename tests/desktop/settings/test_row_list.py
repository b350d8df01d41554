"""Lists of rows that are made of widgets."""

from PySide6.QtWidgets import QLabel, QPushButton

from patchbay.desktop.settings.list_page import RowList


def test_a_list_without_rows_is_not_there_for_screen_readers(qtbot):
    rows = RowList("Recent changes", QPushButton())
    qtbot.addWidget(rows)

    shown = [not rows.isHidden()]
    for wanted in ([("one", "One", lambda: QLabel("One"))], []):
        rows.show_rows(wanted)
        shown.append(not rows.isHidden())

    assert shown == [False, True, False]
