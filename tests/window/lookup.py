"""Ways to places that several tests of the window take, and what is read there."""

import re
import time
from pathlib import Path

from tests.window.accessible import Node
from tests.window.driver import PATIENCE, PatchbayWindow

SEARCH_EVENTS = "Search apps and events"
EVENTS = "Apps and events"


def close_popups(window: PatchbayWindow) -> None:
    """Close what a failed test may have left open, so that it isn't in the way of the next one."""
    if window.exit_code is None:
        window.press("Escape", "Escape")


# Flows


def flow_row(window: PatchbayWindow, name: str) -> Node:
    return window.see("list item", re.compile(f"{re.escape(name)}\\. .*"), within="Flows")


def open_flow(window: PatchbayWindow, name: str) -> None:
    """Open a flow in the editor that the list may have out of sight."""
    window.press("ctrl+k")
    window.see("text", "Search or run a command")
    window.paste(name)
    window.rest()
    window.click(window.see_at_rest("list item", re.compile(f"{re.escape(name)}.*"), within="Results"))
    window.see("label", name)
    window.see("list", "Steps")
    window.rest()


def filter_flows(window: PatchbayWindow, words: str) -> None:
    window.click(window.see("text", "Filter flows"))
    window.press("ctrl+a")
    window.paste(words)
    window.rest()


def enter_file(window: PatchbayWindow, file: Path) -> None:
    """Answer the file dialog that has just been opened."""
    window.see("text", "File name:")
    window.rest()
    window.press("ctrl+a")
    window.paste(str(file))
    window.press("Return")


def delete_flow(window: PatchbayWindow, name: str) -> None:
    window.click(flow_row(window, name))
    window.press("Delete")
    window.click(window.see_at_rest("push button", "Delete flow"))


def back_to_the_list(window: PatchbayWindow) -> None:
    """With the mouse, whichever keys work."""
    window.open_tab("Flows")
    way = window.see("push button", re.compile("New flow|Back to the list.*"))
    if way.name != "New flow":
        window.click(way)
    window.see("push button", "New flow")
    window.rest()


# Steps of a flow


def add_step(window: PatchbayWindow, words: str, event: str) -> None:
    window.click(window.see("push button", "Add step"))
    window.see("text", SEARCH_EVENTS)
    window.rest()
    choose_event(window, words, event)


def choose_event(window: PatchbayWindow, words: str, event: str) -> None:
    """Find an event by these words and click on it, whatever is focused or highlighted."""
    window.click(window.see_at_rest("text", SEARCH_EVENTS))
    window.type(words)
    window.rest()
    window.click(window.see_at_rest("list item", re.compile(f"{re.escape(event)}\\..*"), within=EVENTS))
    window.see("push button", "Change…")
    window.rest()


def select_step(window: PatchbayWindow, position: int) -> None:
    window.click(window.see("list item", re.compile(rf"{position}\. .*"), within="Steps"))
    window.rest()


def open_select(window: PatchbayWindow, name: str) -> None:
    """Unfold a field of fixed choices with the mouse."""
    field = window.wait(lambda tree: find(tree, ("combo box", "push button"), name), f"field {name}")
    window.click(field)
    window.wait(lambda tree: find(tree, ("list",), "Choices"), "choices")
    window.rest()


# Executions


def show_executions(window: PatchbayWindow, flow: str) -> None:
    """The executions of one flow, with no other filter."""
    window.open_tab("Executions")
    window.rest()
    filters = [button for button in window.all("push button", within="Executions") if button.name == "Clear"]
    for clear in filters[-1:]:
        window.click(clear)
    window.click(window.see("text", "Filter executions"))
    window.press("ctrl+a")
    window.type(flow)
    window.wait(lambda tree: _only_of(tree, flow), f"executions of {flow} alone")


def _only_of(tree: Node, flow: str) -> Node | None:
    rows = execution_rows(tree)
    return tree if rows and all(cells[1].name.startswith(flow) for cells in rows) else None


def execution_rows(tree: Node) -> list[list[Node]]:
    """The rows of the list of executions that are showing, each from left to right."""
    lines: dict[int, list[Node]] = {}
    for page in tree.walk():
        if page.role == "table" and page.name == "Executions":
            for cell in page.walk():
                if cell.role == "cell":
                    lines.setdefault(cell.place.y, []).append(cell)
    return [sorted(line, key=lambda cell: cell.place.x) for _, line in sorted(lines.items()) if len(line) > 1]


# Reading


def find(tree: Node, roles: tuple[str, ...], name: str) -> Node | None:
    return next((node for node in tree.walk() if node.role in roles and node.name == name), None)


def saying(tree: Node, text: str) -> Node | None:
    """The first control whose name holds this text."""
    return next((node for node in tree.walk() if text in node.name), None)


def focused(tree: Node, name: str) -> Node | None:
    return next((node for node in tree.walk() if "focused" in node.states and node.name == name), None)


def highlighted(tree: Node, chooser: str) -> str | None:
    """The name of the highlighted entry of a chooser."""
    entries = (item for top in tree.walk() if top.name == chooser for item in top.walk())
    return next(
        (n.name for n in entries if n.role in ("list item", "tree item") and "selected" in n.states), None
    )


def see_highlighted(window: PatchbayWindow, chooser: str, start: str) -> None:
    """Wait until the highlighted entry begins with these words; tells which one is, if it isn't."""
    end = time.monotonic() + PATIENCE
    while not (entry := str(highlighted(window.bus.tree(), chooser))).startswith(start):
        assert time.monotonic() < end, f"highlighted is {entry!r}, not {start!r}"


def labels(window: PatchbayWindow) -> list[str]:
    return [node.name for node in window.all("label")]


def steps(tree: Node) -> list[str]:
    """The names of the steps in the editor or in an execution."""
    lists = (node for node in tree.walk() if node.role == "list" and node.name == "Steps")
    return [item.name for top in lists for item in top.walk() if item.role == "list item"]
