"""What people do in their first hour, in the demo, by mouse and keyboard in the real program."""

import re

import pytest
from tests.window.accessible import Node
from tests.window.driver import PatchbayWindow, needs_a_desktop

pytestmark = [needs_a_desktop, pytest.mark.timeout(300)]


def test_a_flow_deleted_after_it_was_edited_can_be_brought_back(demo: PatchbayWindow) -> None:
    _edit_flow(demo, "Review reminder")
    demo.click(demo.see("push button", re.compile("Back to the list.*")))

    _delete_flow(demo, "Review reminder")
    _delete_flow(demo, "Mirror merge events")
    demo.click(demo.see_at_rest("push button", "Undo", within="“Review reminder” deleted"))

    assert _flow_row(demo, "Review reminder")
    demo.click(demo.see_at_rest("push button", "Undo", within="“Mirror merge events” deleted"))
    assert _flow_row(demo, "Mirror merge events")
    assert demo.complaints == []


def _flow_row(window: PatchbayWindow, name: str) -> Node:
    return window.see("list item", re.compile(f"{re.escape(name)}\\. .*"), within="Flows")


def _edit_flow(window: PatchbayWindow, name: str) -> None:
    window.open_tab("Flows")
    window.click(_flow_row(window, name))
    window.press("Return")
    window.see("list", "Steps")


def _delete_flow(window: PatchbayWindow, name: str) -> None:
    window.click(_flow_row(window, name))
    window.press("Delete")
    window.click(window.see_at_rest("push button", "Delete flow"))
    window.see("push button", re.compile("Undo|Dismiss"), within=f"“{name}” deleted")
