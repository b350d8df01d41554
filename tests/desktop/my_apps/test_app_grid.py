"""The apps as tiles: three columns, all of it by the arrow keys, the same apps as in the list."""

import pytest
from PySide6.QtCore import Qt

from patchbay.desktop.my_apps.app_list import AppList
from patchbay.desktop.my_apps.view_models.app_list import SortOrder, app_rows, sections
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey


@pytest.fixture
def grid(qtbot):
    names = ("Amber", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo")
    apps = [AppInfo(key=AppKey(name.lower()), name=name, supports_connections=True) for name in names]
    view = AppList()
    qtbot.addWidget(view)
    view.resize(424, 500)
    view.show()
    view.set_grid(True)
    view.set_sections(sections(app_rows(apps, ()), SortOrder.HEALTH), AppKey("amber"))
    view.setFocus()
    return view


def _chosen(view):
    return view.currentIndex().data()


def test_tiles_stand_in_three_columns_below_a_heading_across(qtbot, grid):
    qtbot.waitUntil(lambda: grid.visualRect(grid.rows.index(4)).y() > 0)
    heading = grid.visualRect(grid.rows.index(0))
    tops = [grid.visualRect(grid.rows.index(row)).y() for row in range(1, 8)]

    assert heading.width() == grid.viewport().width()
    assert tops[0] == tops[1] == tops[2] < tops[3] == tops[4] == tops[5] < tops[6]


def test_the_arrow_keys_reach_every_tile(qtbot, grid):
    qtbot.waitUntil(lambda: grid.visualRect(grid.rows.index(4)).y() > 0)
    seen = [_chosen(grid)]
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Up):
        qtbot.keyClick(grid, key)
        seen.append(_chosen(grid))

    assert seen == ["Amber", "Birch", "Elm", "Dogwood", "Amber"]


def test_right_at_the_end_of_a_line_continues_with_the_next(qtbot, grid):
    grid.select("cedar")

    qtbot.keyClick(grid, Qt.Key.Key_Right)

    assert _chosen(grid) == "Dogwood"


def test_going_back_to_the_list_keeps_what_is_selected(qtbot, grid):
    grid.select("elm")

    grid.set_grid(False)

    assert _chosen(grid) == "Elm"
    qtbot.keyClick(grid, Qt.Key.Key_Down)
    assert _chosen(grid) == "Fir"


def test_an_update_of_the_same_apps_keeps_selection_and_place(grid):
    grid.select("fir")
    apps = [AppInfo(key=AppKey(name), name=name.title(), description="New") for name in ("fir",)]

    rebuilt = grid.rows.set_sections(sections(app_rows(apps, ()), SortOrder.NAME))

    assert rebuilt
    assert not grid.rows.set_sections(sections(app_rows(apps, ()), SortOrder.NAME))
