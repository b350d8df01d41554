"""Every shortcut that the shortcut sheet names does something where the sheet says that it works."""

import pytest
from tests.support.forms import in_forms, long_form
from tests.window.accessible import Node
from tests.window.driver import PatchbayWindow, needs_a_desktop

pytestmark = needs_a_desktop

GROUPS = ("Everywhere", "In lists", "In the flow editor")
KEYS = {
    "Ctrl": "ctrl",
    "Shift": "shift",
    "Alt": "alt",
    "Enter": "Return",
    "Del": "Delete",
    "Esc": "Escape",
    "Space": "space",
    "↑": "Up",
    "↓": "Down",
    "←": "Left",
    "→": "Right",
    "/": "slash",
    ",": "comma",
    "?": "question",
    ".": "period",
}
ALTERNATIVES = frozenset({"J+K", "←+→"})
"""Two keys that stand side by side on the sheet and are pressed one at a time."""
LEAVES = ("Quit", "Close the window", "Work on this computer", "Open the demo")
"""What ends the window or opens another workspace has its own tests."""


@pytest.fixture(scope="module")
def shortcuts(demo: PatchbayWindow) -> dict[str, list[tuple[str, str]]]:
    """What the sheet says, by group: titles and keys, as they stand side by side."""
    demo.press("ctrl+slash")
    sheet = demo.see("dialog", "Keyboard shortcuts")
    nodes = list(sheet.walk())
    heads = {node.name: node for node in nodes if node.role == "label" and node.name in GROUPS}
    assert set(heads) == set(GROUPS), sheet.outline()
    labels = [node for node in nodes if node.role == "label" and node.name not in GROUPS]
    edges = [head.place.x for head in heads.values()]
    titles = [label for label in labels if any(abs(label.place.x - edge) < 8 for edge in edges)]
    said: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
    for keys in labels:
        before = [label for label in titles if label.place.x < keys.place.x and _on_one_line(label, keys)]
        if keys in titles or not before:
            continue
        title = max(before, key=lambda label: label.place.x)
        above = [
            head
            for head in heads.values()
            if head.place.y < title.place.y and abs(head.place.x - title.place.x) < 8
        ]
        said[max(above, key=lambda head: head.place.y).name].append((title.name, keys.name))
    demo.press("Escape")
    demo.rest()
    return said


def _on_one_line(label: Node, keys: Node) -> bool:
    return abs(label.place.middle[1] - keys.place.middle[1]) <= 6


@long_form
@pytest.mark.parametrize("every", in_forms([1, 4], short=[4]))
def test_every_shortcut_that_works_everywhere_does_something(
    demo: PatchbayWindow, shortcuts: dict[str, list[tuple[str, str]]], every: int
) -> None:
    assert len(shortcuts["Everywhere"]) >= 8
    silent = []
    for title, keys in shortcuts["Everywhere"][::every]:
        if title.startswith(LEAVES):
            continue
        demo.open_tab("Folders" if "Folders" not in title else "Flows")
        demo.rest()
        silent += [] if _does_something(demo, keys) else [f"{title}: {keys}"]
        _close_what_is_open(demo)
    assert silent == []


@pytest.mark.acceptance
def test_every_shortcut_of_lists_does_something(
    demo: PatchbayWindow, shortcuts: dict[str, list[tuple[str, str]]]
) -> None:
    silent = []
    for title, keys in shortcuts["In lists"]:
        of_executions = "xecution" in title or "timeline" in title
        _open_list(demo, "Executions" if of_executions else "Flows")
        _choose_a_row(demo, of_executions)
        silent += [] if _does_something(demo, keys) else [f"{title}: {keys}"]
        _close_what_is_open(demo)
    assert len(shortcuts["In lists"]) >= 8
    assert silent == []


@pytest.mark.acceptance
def test_every_shortcut_of_the_editor_does_something(
    demo: PatchbayWindow, shortcuts: dict[str, list[tuple[str, str]]]
) -> None:
    silent = []
    for title, keys in shortcuts["In the flow editor"]:
        _open_list(demo, "Flows")
        _choose_a_row(demo, False)
        demo.press("Return")
        steps = demo.see("list", "Steps")
        demo.click(next(node for node in steps.walk() if "Custom request" in node.name))
        if "value" in title or "stands for it" in title:
            _enter_address(demo, with_value="stands for it" in title)
        if title in ("Undo", "Redo"):
            demo.press("ctrl+d")
            demo.rest()
        if title == "Redo":
            demo.press("ctrl+z")
            demo.rest()
        silent += [] if _does_something(demo, keys) else [f"{title}: {keys}"]
        _close_what_is_open(demo)
    assert len(shortcuts["In the flow editor"]) >= 8
    assert silent == []


def _close_what_is_open(window: PatchbayWindow) -> None:
    """Close popups and dialogs, also one that is just opening."""
    window.rest(2)
    for _ in range(5):
        window.press("Escape")
        window.rest()
        if len(window.bus.tree().children) == 1:
            break


def _open_list(window: PatchbayWindow, tab: str) -> None:
    """The list of a tab, whatever of it was open before."""
    window.open_tab(tab)
    window.rest()
    if any(node.name.startswith("Back to the list") for node in window.all("push button")):
        window.press("alt+Left")
        window.see("list", "Flows")


def _enter_address(window: PatchbayWindow, with_value: bool) -> None:
    """Put the caret into a field that takes values, behind one of an earlier step if asked."""
    window.click(window.see_at_rest("text", "URL"))
    window.press("ctrl+a")
    if with_value:
        window.press("ctrl+space")
        window.see("text", "Search variables from earlier steps")
        window.rest()
        window.press("Return")
        window.rest()


def _choose_a_row(window: PatchbayWindow, of_executions: bool) -> None:
    if of_executions:
        row = window.wait(
            lambda tree: next((n for n in tree.walk() if n.role == "cell" and n.name == "Failure"), None),
            "failed execution",
        )
    else:
        row = next(
            node
            for node in window.see("list", "Flows").walk()
            if node.role == "list item" and node.name.startswith("Inventory check")
        )
    window.click(row)
    window.rest()


def _does_something(window: PatchbayWindow, keys: str) -> bool:
    """Whether the picture changes after each of the keys."""
    pressed = keys.split("+") if keys in ALTERNATIVES else [keys]
    return all(_changes(window, _x_keys(words)) for words in pressed)


def _x_keys(words: str) -> str:
    names = [KEYS.get(word, word.lower() if len(word) == 1 else word) for word in words.split("+")]
    return "+".join(names)


def _changes(window: PatchbayWindow, keys: str) -> bool:
    window.rest(3)
    before, copies = window.picture(), window.copies
    window.press(keys)
    for _ in range(80):
        if window.picture() != before or window.copies != copies or window.exit_code is not None:
            return True
        window.rest(0.1)
    return False
