"""What must hold of everything that a screen reader reads, and of the way of the Tab key."""

from collections.abc import Sequence
from itertools import pairwise

from tests.window.accessible import Node

NO_CONTROLS = frozenset({"filler", "panel", "layered pane", "unknown", "gone", "viewport"})
"""Roles that tell nothing about what can be done."""
WITH_VALUE = frozenset({"combo box"})
ROWS = frozenset({"list item", "cell", "tree item", "page tab", "menu item", "check menu item"})
"""Tab stops at what holds them; arrow keys move between them."""


def unreadable(top: Node | None) -> list[str]:
    """What takes the focus and lacks a name, a role or a value."""
    problems = []
    for node in top.walk() if top is not None else ():
        words = f"{node.role} “{node.name}” at {node.place.x},{node.place.y}"
        if "\ufffc" in node.name + node.description:
            problems.append(f"{words} holds an object that isn't spelled out")
        if "focusable" not in node.states:
            continue
        if node.role in NO_CONTROLS:
            problems.append(f"{words} takes the focus and has no role")
        if not node.name.strip() and node.role not in ROWS:
            problems.append(f"{words} takes the focus and has no name")
        if node.role in WITH_VALUE and not node.description:
            problems.append(f"{words} has no value")
    return problems


def out_of_order(stops: Sequence[Node]) -> list[str]:
    """Where the Tab key goes up within a column, but for the one step from the last to the first."""
    top = min(range(len(stops)), key=lambda number: (stops[number].place.y, stops[number].place.x))
    once = [*stops[top:], *stops[:top]]
    return [
        f"{first.role} “{first.name}” → {second.role} “{second.name}”"
        for first, second in pairwise(once)
        if _is_above(second, first)
    ]


def _is_above(node: Node, other: Node) -> bool:
    one, two = node.place, other.place
    beside = one.x < two.x + two.width and two.x < one.x + one.width
    return beside and one.y + one.height <= two.y


def unreached(top: Node, stops: Sequence[Node]) -> list[str]:
    """Controls that can take the focus and where the Tab key never stops."""
    reached = {node.path for node in stops}
    return [
        f"{node.role} “{node.name}”"
        for node in top.walk()
        if "focusable" in node.states and node.enabled and node.role not in ROWS and node.path not in reached
        and not (node.role == "radio button" and "checked" not in node.states)
        and not any(child.path in reached for child in node.walk())
    ]  # fmt: skip
