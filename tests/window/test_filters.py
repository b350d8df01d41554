"""Filters of the executions list, picked with the mouse and with the keyboard in the real program."""

import re
import time

import pytest
from tests.window.accessible import Node
from tests.window.driver import PATIENCE, PatchbayWindow, needs_a_desktop

pytestmark = [needs_a_desktop, pytest.mark.timeout(300)]

STATES = ("Queued", "Running", "Waiting", "Success", "Failure", "Filtered", "Cancelled")
IN_PASSING = ("Queued", "Running")
IN_SHORT = ("Failure", "Cancelled")


@pytest.mark.parametrize(
    "state",
    [pytest.param(state, marks=[] if state in IN_SHORT else pytest.mark.acceptance) for state in STATES],
)
def test_a_picked_status_leaves_only_its_rows(demo: PatchbayWindow, state: str) -> None:
    demo.open_tab("Executions")
    if _chip(demo).name != "Filter by Status":  # left behind by a test that failed
        demo.click(_chip(demo))
        demo.press("Escape", "Delete")
    demo.see("push button", "Filter by Status", within="Executions")

    _pick_with_the_mouse(demo, state)
    _wait_until_all_rows_say(demo, state)

    _pick_with_the_keyboard(demo, state)  # a second time takes it away again
    assert demo.complaints == []


def _chip(window: PatchbayWindow) -> Node:
    return window.see("push button", re.compile("Filter by Status|Status: .*"), within="Executions")


def _pick_with_the_mouse(window: PatchbayWindow, choice: str) -> None:
    window.click(_chip(window))
    window.click(window.see_at_rest("list item", choice, within="Choices"))
    window.see("push button", f"Status: {choice}", within="Executions")
    window.press("Escape")


def _pick_with_the_keyboard(window: PatchbayWindow, choice: str) -> None:
    window.click(_chip(window))
    window.see_at_rest("list item", choice, within="Choices")
    window.press(*["Down"] * STATES.index(choice), "space")
    window.see("push button", "Filter by Status", within="Executions")
    window.press("Escape")


def _wait_until_all_rows_say(window: PatchbayWindow, state: str) -> None:
    """An empty table counts only for states the demo may not have, if the page says that nothing matches."""
    end = time.monotonic() + PATIENCE
    while (seen := set(_first_column(window))) != {state} and time.monotonic() < end:
        if not seen and state in IN_PASSING and _says(window, "No execution matches"):
            return
        time.sleep(0.1)
    assert seen == {state}


def _says(window: PatchbayWindow, text: str) -> bool:
    return any(node.name == text for node in window.all("label", within="Executions"))


def _first_column(window: PatchbayWindow) -> list[str]:
    cells = window.all("cell", within="Executions")
    left = min((cell.place.x for cell in cells), default=0)
    return [cell.name for cell in cells if cell.place.x == left]
