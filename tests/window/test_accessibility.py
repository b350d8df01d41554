"""The accessibility walk: what takes the focus can be told, and Tab follows the reading order."""

import re

import pytest
from tests.window.accessibility import out_of_order, unreached, unreadable
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.surface import Surface

pytestmark = [needs_a_desktop, pytest.mark.timeout(300)]


@pytest.mark.parametrize(
    "tab",
    [
        "My Apps",
        *(
            pytest.param(tab, marks=pytest.mark.acceptance)
            for tab in ("Flows", "Executions", "Folders", "Templates")
        ),
    ],
)
def test_tab_follows_the_reading_order(demo: PatchbayWindow, tab: str) -> None:
    demo.open_tab(tab)
    demo.rest()

    _walk(demo, first="Workspace: Demo", last="Secrets in memory of this session")


def test_tab_follows_the_reading_order_in_the_editor(demo: PatchbayWindow) -> None:
    demo.open_tab("Flows")
    row = demo.see("list item", re.compile("New GitHub issue.*"), within="Flows")
    demo.click_at(*row.place.middle, times=2)
    demo.see("push button", "Back to the list (Alt+Left)")
    demo.rest()

    _walk(demo, first="Workspace: Demo", last="Secrets in memory of this session")
    demo.click(demo.see("push button", "Back to the list (Alt+Left)"))


@pytest.mark.acceptance
def test_tab_follows_the_reading_order_in_dialogs(demo: PatchbayWindow) -> None:
    demo.press("ctrl+comma")
    demo.see("dialog", "Settings")
    for name in [node.name for node in demo.all("list item", within="Settings")]:
        demo.click(demo.see("list item", name, within="Settings"))
        demo.rest()
        _walk(demo)
    demo.press("Escape")


def test_what_is_chosen_is_told_beside_the_name(demo: PatchbayWindow) -> None:
    demo.press("ctrl+comma")

    colours = demo.see("combo box", "Colours", within="Settings")
    assert colours.description.startswith("As the system")
    demo.press("Escape")
    demo.open_tab("My Apps")
    assert "selected" in demo.see("page tab", re.compile("Connections, .*")).states
    assert "selected" not in demo.see("page tab", re.compile("Flows, .*")).states


def _walk(window: PatchbayWindow, first: str = "", last: str = "") -> None:
    top = Surface(window.bus.tree()).front
    assert top is not None
    stops = window.tab_round()

    words = "\n".join(f"{node.role} “{node.name}” {node.place}" for node in stops)
    assert unreadable(top) == []
    assert [node.role for node in stops if not node.name] == [], words
    assert out_of_order(stops) == [], words
    assert unreached(top, stops) == [], words
    if first:
        names = [node.name for node in stops]
        start = names.index(first)
        assert [*names[start:], *names[:start]][-1] == last, words
