"""Settings, General: what closing the window does, and starting at login."""

import pytest
from tests.support.shell import window

from patchbay.desktop.settings.general_page import GeneralPage
from patchbay.desktop.settings.view_models.start_at_login import StartAtLogin
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.domain.errors import StorageFault


class Item:
    """The entry of a system, in memory."""

    def __init__(self, *, enabled: bool = False, writable: bool = True) -> None:
        self.enabled, self.writable = enabled, writable

    def is_enabled(self) -> bool:
        return self.enabled

    def set_enabled(self, enabled: bool) -> None:
        if not self.writable:
            raise StorageFault("The file couldn't be changed (Permission denied).")
        self.enabled = enabled


@pytest.fixture
def page_of(qtbot, tasks):
    def build(item: Item, on_close="ask") -> GeneralPage:
        page = GeneralPage(on_close, StartAtLogin(item, tasks))
        qtbot.addWidget(page)
        page.show()
        qtbot.waitUntil(page.start.isEnabled)
        return page

    return build


def test_the_choice_for_closing_is_saved_and_shown_again(qtbot, tasks):
    main = window(tasks, ShellOptions(workspace="local", on_close="ask"))
    qtbot.addWidget(main)
    main.show()
    dialog = main.open_settings("General")

    with qtbot.waitSignal(main.on_close_changed) as told:
        dialog.page("General").on_close.set_value("quit")

    assert told.args == ["quit"]
    dialog.close()
    assert main.open_settings("General").page("General").on_close.value() == "quit"


def test_the_switch_adds_and_removes_the_entry(qtbot, page_of):
    item = Item()
    page = page_of(item)
    assert not page.start.isChecked()

    page.start.click()
    qtbot.waitUntil(lambda: item.enabled)
    page.start.click()
    qtbot.waitUntil(lambda: not item.enabled)


def test_an_entry_that_exists_is_shown(page_of):
    assert page_of(Item(enabled=True)).start.isChecked()


def test_a_failed_change_is_explained_and_the_switch_shows_what_is(qtbot, page_of):
    page = page_of(Item(writable=False))

    page.start.click()

    qtbot.waitUntil(page.problem.isVisible)
    assert not page.start.isChecked()


def test_reset_page_restores_the_defaults(qtbot, page_of):
    item = Item(enabled=True)
    page = page_of(item, "quit")
    chosen: list[str] = []
    page.on_close_changed.connect(chosen.append)

    page.reset.button.click()

    qtbot.waitUntil(lambda: not item.enabled)
    assert chosen == ["ask"]
    assert page.on_close.value() == "ask"
    qtbot.waitUntil(lambda: not page.start.isChecked())


def test_undo_restores_what_was_reset(qtbot, page_of):
    item = Item(enabled=True)
    page = page_of(item, "quit")
    page.reset.button.click()
    qtbot.waitUntil(lambda: not item.enabled)

    page.reset.undo.click()

    qtbot.waitUntil(lambda: item.enabled)
    assert page.on_close.value() == "quit"
    assert not page.reset.undo.isVisible()


def test_reset_page_is_available_only_if_something_was_changed(page_of):
    page = page_of(Item())
    assert page.reset.button.toolTip() == "This page has its defaults."

    page.on_close.set_value("background")

    assert page.reset.button.toolTip() == ""


def test_where_nothing_can_be_installed_the_switch_is_off_and_disabled(qtbot):
    page = GeneralPage("ask", None)
    qtbot.addWidget(page)

    assert not page.start.isEnabled()
