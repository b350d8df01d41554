"""Rules for everything that a screen reader reads, and for the order in which Tab visits it.

Reading order: controls are read in the groups that hold them in the accessibility tree. Of two groups, or two
controls of one group, the first is the one above; where they stand side by side (the shorter of them overlaps
the other by more than half its height), the one to the left. A group is read to its end before the next.
Tab visits the controls in this order, Shift+Tab in the reverse order, both from the end to the start again.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from tests.window.accessible import Node, Place

NO_CONTROLS = frozenset({"filler", "panel", "layered pane", "unknown", "gone", "viewport"})
"""Roles that tell nothing about what can be done."""
WITH_VALUE = frozenset({"combo box"})
SWITCHED = frozenset({"toggle button", "check box", "radio button", "switch"})
OPERATED = SWITCHED | {"push button", "combo box", "text", "password text", "spin button", "slider"}
ROWS = frozenset({"list item", "cell", "tree item", "page tab", "menu item", "check menu item"})
"""Tab stops at what holds them; arrow keys move between them."""
ENTRIES = frozenset({"menu item", "check menu item"})
GIVES_REASON = re.compile(r".+ \(.+\)")
"""Entries of menus have no description, so that the reason stands in the name."""
PROGRAM = "Patchbay"
OBJECT = "\ufffc"
"""What stands for an object in a text that isn't spelled out."""


def controls(top: Node) -> list[Node]:
    """What can be operated or takes the focus; rows that Tab doesn't stop at included."""
    return [node for node in top.walk() if "focusable" in node.states or node.role in OPERATED | ROWS]


def unreadable(top: Node | None) -> list[str]:
    """What takes the focus and lacks a name, a role or a value, and what is disabled without a reason."""
    return [problem for node in (top.walk() if top is not None else ()) for problem in _problems(node)]


def _problems(node: Node) -> list[str]:
    words = f"{node.role} “{node.name}” at {node.place.x},{node.place.y}"
    problems = []
    if node.role == "popup menu" and node.name in ("", PROGRAM):
        problems.append(f"{words} isn't named after what it holds")
    if node.role in ENTRIES and not node.enabled and not GIVES_REASON.fullmatch(node.name):
        problems.append(f"{words} is disabled and doesn't say why")
    if OBJECT in node.name + node.description:
        problems.append(f"{words} holds an object that isn't spelled out")
    if node.role in NO_CONTROLS and node.name.strip() and not node.children:
        problems.append(f"{words} tells something and has no role")
    return problems + (_problems_of_control(node, words) if "focusable" in node.states else [])


def _problems_of_control(node: Node, words: str) -> list[str]:
    problems = []
    if node.role in NO_CONTROLS:
        problems.append(f"{words} takes the focus and has no role")
    if not node.name.strip() and node.role not in ROWS:
        problems.append(f"{words} takes the focus and has no name")
    if (node.role in WITH_VALUE or node.name.startswith("Filter by ")) and not node.description:
        problems.append(f"{words} has no value")
    if node.role in SWITCHED and "checkable" not in node.states:
        problems.append(f"{words} doesn't tell whether it is on")
    if node.role in OPERATED and not node.enabled and node.description in ("", node.name):
        problems.append(f"{words} is disabled and doesn't say why")
    return problems


def out_of_order(ways: Sequence[Sequence[Node]]) -> list[str]:
    """Where Tab doesn't follow the reading order.

    Each way leads from the window down to one stop of the Tab key, in the order of the stops.
    """
    if not ways:
        return []
    start = min(range(len(ways)), key=lambda number: [_Rank(node.place) for node in ways[number]])
    once = [*ways[start:], *ways[:start]]
    return [
        f"{first[-1].role} “{first[-1].name}” → {second[-1].role} “{second[-1].name}”"
        for first, second in pairwise(once)
        if not _reads_before(first, second)
    ]


class _Rank:
    """Compares places in reading order."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def __lt__(self, other: "_Rank") -> bool:
        return comes_before(self._place, other._place)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Rank) and self._place == other._place

    __hash__ = None  # type: ignore[assignment]


def _reads_before(first: Sequence[Node], second: Sequence[Node]) -> bool:
    for one, other in zip(first, second, strict=False):
        if one.path != other.path:
            return comes_before(one.place, other.place)
    return len(first) <= len(second)  # a group that takes the focus itself comes before what it holds


def comes_before(one: Place, other: Place) -> bool:
    """Whether `one` is read before `other`: above it, or beside it and to the left."""
    shared = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    if shared * 2 > min(one.height, other.height):
        return one.x < other.x
    return one.y < other.y


def unreached(top: Node, stops: Sequence[Node]) -> list[str]:
    """Controls that can take the focus and where the Tab key never stops."""
    reached = {node.path for node in stops} | {n.path for n in top.walk() if "focused" in n.states}
    return [
        f"{node.role} “{node.name}”"
        for node in top.walk()
        if "focusable" in node.states
        and node.enabled
        and node.role not in ROWS
        and node.path not in reached
        and not (node.role == "radio button" and "checked" not in node.states)
        and not any(child.path in reached for child in node.walk())
    ]
