"""The accessibility walk: everything that takes the focus has a name, and Tab follows the reading order."""

import re
from functools import partial

import pytest
from tests.support.forms import long_form
from tests.window.accessible import Node
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.lookup import focused
from tests.window.walk import Walk

pytestmark = [needs_a_desktop, pytest.mark.timeout(300)]


@long_form
def test_the_controls_of_a_tab_have_names_and_are_in_order(demo: PatchbayWindow) -> None:
    walk = Walk(demo)

    walk.tab("My Apps")

    assert walk.problems == []
    assert demo.complaints == []


@long_form
def test_the_controls_of_the_settings_have_names_and_are_in_order(demo: PatchbayWindow) -> None:
    walk = Walk(demo)

    walk.settings(buttons=False)

    assert walk.problems == []
    assert demo.complaints == []


@long_form
def test_the_fields_of_a_connection_have_names_and_are_in_order(demo: PatchbayWindow) -> None:
    walk = Walk(demo)
    demo.open_tab("My Apps")

    demo.click(demo.see_at_rest("push button", "Add connection"))
    demo.see_at_rest("push button", "Cancel")
    walk.look("Add connection")
    walk.leave(walk.home)

    assert walk.problems == []


def _colours(window: PatchbayWindow) -> Node:
    """The select for colours, in the settings."""
    window.click(window.see("push button", "Settings"))
    window.click(window.see_at_rest("list item", "Appearance", within="Settings"))
    return window.see_at_rest("combo box", "Colours", within="Settings")


@long_form
def test_the_selection_is_announced_beside_the_name(demo: PatchbayWindow) -> None:
    demo.open_tab("My Apps")
    assert "selected" in demo.see("page tab", re.compile("Connections, .*")).states
    assert "selected" not in demo.see("page tab", re.compile("Flows, .*")).states
    assert demo.see("push button", "Filter by Category").description == "Any"
    colours = _colours(demo)
    assert colours.description.startswith("Follow system")
    demo.press("Escape")


@long_form
def test_a_select_unfolds_with_one_click_and_folds_with_the_next(demo: PatchbayWindow) -> None:
    colours = _colours(demo)
    demo.click(colours)
    demo.see("list", "Choices")
    demo.click(colours)
    demo.rest(2)
    assert not [node for node in demo.all("list") if node.name == "Choices"]

    demo.click(colours)
    demo.click(demo.see_at_rest("list item", "Dark"))
    demo.rest(2)
    assert demo.see("combo box", "Colours", within="Settings").description == "Dark"
    demo.press("Escape")


@long_form
def test_the_focus_stays_on_what_was_clicked(demo: PatchbayWindow) -> None:
    """Also while a control is disabled until its work is done."""
    for tab, role, name in (
        ("My Apps", "push button", "Test Ops team"),
        ("Executions", "check box", "Live updates"),
    ):
        demo.open_tab(tab)
        demo.rest(3)
        demo.click(demo.see_at_rest(role, name))
        demo.wait(partial(focused, name=name), f"focus on {name}")
        demo.rest(3)
        assert focused(demo.bus.tree(), name)
