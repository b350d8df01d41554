"""What can be operated in a window at one moment: the popup or dialog on top, or else the window itself."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tests.window.accessible import Node, Place
from tests.window.driver import HEIGHT, WIDTH

OPERABLE = frozenset(
    {
        "push button",
        "toggle button",
        "check box",
        "radio button",
        "menu item",
        "check menu item",
        "radio menu item",
        "page tab",
        "link",
        "combo box",
        "list item",
        "column header",
        "cell",
        "tree item",
        "text",
        "password text",
        "spin button",
        "slider",
        "switch",
        "button menu",
    }
)
"""Roles whose controls are operated. Any other control that takes the focus is operated too."""
HOLDERS = frozenset(
    {
        "application",
        "frame",
        "dialog",
        "popup menu",
        "list",
        "table",
        "tree",
        "tree table",
        "page tab list",
        "layered pane",
        "scroll pane",
        "menu",
        "viewport",
        "label",
        "window",
    }
)
"""Roles that hold controls and aren't operated themselves."""
ROWS = frozenset({"list item", "cell", "tree item"})
MENU = "context menu"
"""The role under which a right click on a row is noted."""
LAST = re.compile(
    r"\b(delete|remove|reset|quit|discard|revoke|forget|archive|close|cancel|restore|open the demo|work on|"
    r"log ?out|workspace|pause|clear)\b",
    re.IGNORECASE,
)
"""Words of controls that are left for the end, because they take others away."""

NUMBER_OR_VERB = re.compile(r"^(\d+\. |Filter by )")

Key = tuple[str, str, str]
"""Where a control is, its role, and what stays of its name."""


@dataclass(frozen=True, slots=True)
class Control:
    """A control as it was seen, and the controls that lead to it."""

    key: Key
    node: Node
    clip: Place
    way: tuple["Control", ...] = ()
    process: int = 0
    """Which start of the window it was seen in."""

    @property
    def asks_menu(self) -> bool:
        """Whether it stands for a right click, which only some rows answer."""
        return self.key[1] == MENU

    @property
    def words(self) -> str:
        where, role, _ = self.key
        return f"{where} › {role} “{self.node.name}”"

    @property
    def late(self) -> bool:
        return LAST.search(self.node.name) is not None


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a crawl goes."""

    seconds: float = 900.0
    rows: int = 3
    """Rows of each list or table that are operated; choices of popups are operated all."""
    alike: int = 4
    """Controls of the same place whose names begin with the same word."""
    depth: int = 6
    most: int = 10_000
    """Controls that are operated at all."""
    effect_seconds: float = 8.0
    """Generous, because the machine may be busy; only a control without effect takes as long."""


class Surface:
    """What can be operated now: the popup or dialog on top, or else the window."""

    def __init__(self, tree: Node) -> None:
        self.tree = tree
        self.tops = tree.children
        self.front = self._front()
        self.name = self._name()

    def _front(self) -> Node | None:
        popups = [top for top in self.tops if top.role not in ("frame", "dialog")]
        modal = [top for top in self.tops if "modal" in top.states]
        active = [top for top in self.tops if "active" in top.states]
        return next(iter([*popups[::-1], *modal[::-1], *active, *self.tops[::-1]]), None)

    def _name(self) -> str:
        front = self.front
        if front is None:
            return "nothing"
        if front.role == "frame":
            tabs = [
                node.name for node in front.walk() if node.role == "page tab" and "selected" in node.states
            ]
            return f"tab {tabs[0]}" if tabs else without_digits(front.name)
        titles = (node.name for node in front.walk() if node.name)
        chosen = [
            node.name
            for node in front.walk()
            if node.role in ("page tab", "list item") and "selected" in node.states and node.place.height > 0
        ]
        kind = "dialog" if front.role == "dialog" or "modal" in front.states else "popup"
        page = f", {chosen[0]}" if kind == "dialog" and chosen else ""
        return f"{kind} {lasting(front.name or next(titles, ''))}{without_digits(page)}"

    @property
    def at_home(self) -> bool:
        return self.front is not None and self.front.role == "frame"

    @property
    def is_foreign(self) -> bool:
        """Whether it is the file chooser of Qt or of the system, which isn't ours to operate."""
        return self.front is not None and any(
            node.role == "file chooser" or node.name.replace("&", "") in ("Look in:", "Files of type:")
            for node in self.front.walk()
        )

    def controls(self, opener: str, limits: Limits) -> list[Control]:
        """Everything operable in front, in reading order of the tree. `opener` tells popups apart."""
        if self.front is None or self.is_foreign:
            return []
        where = f"{self.name} of {opener}" if self.name.startswith("popup") else self.name
        title = where.partition(", ")[0]
        seen: Counter[tuple[str, ...]] = Counter()
        controls = []
        screen = Place(0, 0, WIDTH, HEIGHT)
        inside = {
            node.path for page in self.front.walk() if self.name == f"tab {page.name}" for node in page.walk()
        }
        for node, clip, holder in _with_clips(self.front, screen, self.front):
            if not _is_operable(node):
                continue
            if node.role in ROWS and not self._row_counts(node, holder, seen, limits):
                continue
            named = lasting(node.name)
            first = named.split(" ")[0].rstrip(":,.")
            if node.role not in ROWS:
                seen["alike", holder.role, node.role, first] += 1
                if (
                    node.role == "push button"
                    and first
                    and seen["alike", holder.role, node.role, first] > limits.alike
                ):
                    continue
            # What is beside the page is the same in every tab; rows may choose the page that `where` names.
            place = "window" if inside and node.path not in inside else title if node.role in ROWS else where
            controls.append(Control((place, node.role, named), node, clip))
            if node.role in ROWS and self.at_home:
                controls.append(Control((place, MENU, named), node, clip))
        return controls

    def _row_counts(self, node: Node, holder: Node, seen: Counter[tuple[str, ...]], limits: Limits) -> bool:
        if node.role == "cell":
            if ("row", holder.path, str(node.place.y)) in seen:
                return False  # one cell for each row
            seen["row", holder.path, str(node.place.y)] += 1
        if "focusable" not in node.states:
            return False  # a heading among rows
        seen["rows", holder.path] += 1
        return self.name.startswith("popup") or seen["rows", holder.path] <= limits.rows


def _with_clips(node: Node, clip: Place, holder: Node) -> Iterator[tuple[Node, Place, Node]]:
    yield node, clip, holder
    within = overlap(clip, node.place) if node.role not in ("page tab list",) else clip
    if within.width <= 0 or within.height <= 0:
        within = clip  # a part of a form that is scrolled out of sight
    for child in node.children:
        yield from _with_clips(child, within, node if node.role in HOLDERS or node.name else holder)


def _is_operable(node: Node) -> bool:
    return node.role in OPERABLE or ("focusable" in node.states and node.role not in HOLDERS)


def overlap(one: Place, other: Place) -> Place:
    left, top = max(one.x, other.x), max(one.y, other.y)
    right = min(one.x + one.width, other.x + other.width)
    bottom = min(one.y + one.height, other.y + other.height)
    return Place(left, top, max(right - left, 0), max(bottom - top, 0))


def lasting(name: str) -> str:
    """What stays of a name while the state that it tells changes: “Status” of “Filter by Status” and
    “Status: Failure”, the flow of a row that goes on with its last run.
    """
    return without_digits(re.split(r"[.,:] ", NUMBER_OR_VERB.sub("", name))[0])


def without_digits(name: str) -> str:
    return re.sub(r"\d+([.,:]\d+)*", "#", name)[:90]
