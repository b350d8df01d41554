"""Visit every surface of a running window, and check what a screen reader and the Tab key meet there.

The walk knows no screen: it follows tabs, the pages of dialogs, the steps of an editor, buttons, and the
commands of menus that lead to a dialog ("…"). A new page or dialog is walked without new code.
"""

import re
from dataclasses import dataclass, field

from tests.window.accessibility import out_of_order, unreached, unreadable
from tests.window.accessible import Node
from tests.window.driver import PatchbayWindow
from tests.window.surface import Surface, without_digits

LEADS_ON = "…"
"""Ends the name of what asks something before it acts."""
ACTS_AT_ONCE = re.compile(
    r"\b(quit|clean up|run|test|reset|undo|redo|restart|resume|pause|copy|save|publish|close|cancel|back|"
    r"stop|retry|release|start|show|open|ask again|unpublish|use template|live|fold|unfold)\b",
    re.IGNORECASE,
)
"""Words of buttons that change something or lead to another tab: pressed only if they end in "…"."""
LONGEST_ROUND = 150
BACK = "Back to the list (Alt+Left)"


@dataclass
class Walk:
    """What was visited so far, and what was found wrong there."""

    window: PatchbayWindow
    visited: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    stops: int = 0

    def __post_init__(self) -> None:
        self.window.see("page tab", "Flows")
        self.home = self.front()

    # What is in front

    def front(self) -> Node:
        """The window, dialog or popup in front."""
        found: list[Node] = []
        self.window.wait(lambda tree: _note(Surface(tree).front, found), "window in front")
        return found[-1]

    def look(self, name: str, *, both_ways: bool = True) -> None:
        """Check what is in front now, and go round it with Tab and Shift+Tab.

        It is looked at once more where something is wrong: rows that arrive during a round change it.
        """
        self.window.rest(3)
        self.visited.append(name)
        found = self._check(both_ways) and self._check(both_ways)
        self.problems += [f"{name}: {problem}" for problem in dict.fromkeys(found)]

    def _check(self, both_ways: bool) -> list[str]:
        front = self.front()
        found = unreadable(front)
        if front.role == "popup menu":  # arrow keys move in menus
            return found
        stops = self.window.tab_round(LONGEST_ROUND)
        self.stops += len(stops)
        front = self.front()
        ways = [self.window.bus.way_to(stop) for stop in stops]
        found += unreadable(front)
        found += [f"{stop.role} takes the focus and has no name" for stop in stops if not stop.name]
        found += [f"Tab: {words}" for words in out_of_order(ways)]
        found += [f"Tab never stops at {words}" for words in unreached(front, stops)]
        if both_ways and len(stops) > 1:
            found += self._backwards(stops)
        return found

    def _backwards(self, stops: list[Node]) -> list[str]:
        back = self.window.tab_round(LONGEST_ROUND, "shift+Tab")
        expected = _turned(stops[::-1], back[0].path) if back else []
        if [stop.path for stop in back] == [stop.path for stop in expected]:
            return []
        return [f"Shift+Tab goes {[stop.name for stop in back]}, Tab goes {[stop.name for stop in stops]}"]

    # Where it leads

    def tab(self, name: str) -> None:
        self.window.open_tab(name)
        self.look(name)

    def rows(self, where: str) -> None:
        """The first row of each list and table, with what it opens beside it."""
        for node in self.front().walk():
            first = next((row for row in node.children if row.role in ("list item", "cell")), None)
            if node.role in ("list", "table") and first is not None and "focusable" in first.states:
                self.window.click(first)
                self.look(f"{where}, row of {node.name}")

    def settings(self, *, buttons: bool = True) -> None:
        self.window.rest(3)
        self.window.click(self.window.see("push button", "Settings"))
        self.window.see_at_rest("push button", "Close", within="Settings")
        self.pages("Settings", buttons=buttons)
        self.window.press("Escape")
        self.window.rest(2)

    def editors(self, flows: re.Pattern[str]) -> None:
        """The steps of these flows one after the other, each with its form."""
        self.window.open_tab("Flows")
        self.window.rest(3)
        for name in [n.name for n in self.window.all("list item", within="Flows") if flows.fullmatch(n.name)]:
            title = name.partition(". ")[0]
            row = self.window.see("list item", re.compile(f"{re.escape(title)}.*"), within="Flows")
            self.window.click_at(*row.place.middle, times=2)
            self.window.see("push button", BACK)
            self.window.rest(3)
            self._steps(title)
            self.window.press("alt+Left")
            self.window.see("list", "Folders")

    def _steps(self, title: str) -> None:
        """Every step of the open flow, by keys: the list of steps may be longer than its place."""
        counted = self.window.see("label", re.compile(r"\d+ steps?")).name
        for number in range(int(counted.split(" ")[0])):
            self.window.click(self.window.all("list item", within="Steps")[0])
            self.window.rest(2)
            self.window.press("Home", *["Down"] * number)
            self.look(f"Editor, {title}, row {number + 1}", both_ways=number == 0)

    def pages(self, dialog: str, *, buttons: bool = True) -> None:
        """Every page of the open dialog, by its side list, and what their buttons lead to."""
        names = [node.name for node in self.window.all("list item", within=dialog)]
        for page in dict.fromkeys(names):
            self.window.click(self.window.see("list item", page, within=dialog))
            self.look(f"{dialog}, {page}")
            if buttons:
                self.buttons(f"{dialog}, {page}")

    def buttons(self, where: str) -> None:
        """Press what is in front and may lead to a dialog or a menu; walk that, and close it again."""
        home = self.front()
        names = [node.name for node in home.walk() if _may_lead_on(node)]
        for name in dict.fromkeys(names):
            node = next((node for node in self.front().walk() if node.name == name and node.enabled), None)
            if node is None:
                continue
            self.window.click(node)
            self._follow(f"{where} › {name}", home)

    def _follow(self, name: str, home: Node) -> None:
        self.window.rest(2)
        front = self.front()
        if _is_same(front, home):
            if (tab := _chosen_tab(home)) and tab != _chosen_tab(front):
                self.window.open_tab(tab)  # the button led to another tab
            return
        kind = f"{front.role} {without_digits(front.name)}"
        if not any(kind in seen for seen in self.visited) and not Surface(self.window.bus.tree()).is_foreign:
            self.look(f"{name} ({kind})")
            if front.role == "popup menu":
                self._menu(name, home)
        self.leave(home)

    def _menu(self, name: str, home: Node) -> None:
        """The commands of the open menu that lead to a dialog. It is opened by `name`'s last part."""
        opener = name.rpartition(" › ")[2]
        commands = [node.name for node in self.front().walk() if node.role == "menu item" and node.enabled
                    and node.name.endswith(LEADS_ON)]  # fmt: skip
        for command in commands:
            self.leave(home)
            button = next((node for node in self.front().walk() if node.name == opener), None)
            if button is None:
                return
            self.window.click(button)
            self.window.rest(2)
            item = next((node for node in self.front().walk() if node.name == command), None)
            if item is not None:
                self.window.click(item)
                self._follow(f"{name} › {command}", home)

    def leave(self, home: Node) -> None:
        """Close what lies above `home`."""
        for _ in range(6):
            front = self.front()
            if _is_same(front, home):
                return
            discard = next((n for n in front.walk() if n.role == "push button" and n.name == "Discard"), None)
            if discard is not None:
                self.window.click(discard)
            else:
                self.window.press("Escape")
            self.window.rest(2)
        raise AssertionError(f"what is above {home.name} can't be closed:\n{self.front().outline()}")


def _note(front: Node | None, found: list[Node]) -> Node | None:
    found += [front] if front is not None else []
    return front


def _chosen_tab(window: Node) -> str:
    tabs = (node.name for node in window.walk() if node.role == "page tab list")
    return next(tabs, "")


def _is_same(one: Node, other: Node) -> bool:
    """Whether both are the same window, which may have been given another path meanwhile."""
    return (one.role, without_digits(one.name)) == (other.role, without_digits(other.name))


def _may_lead_on(node: Node) -> bool:
    if node.role != "push button" or not node.enabled or "focusable" not in node.states or not node.name:
        return False
    return node.name.endswith(LEADS_ON) or ACTS_AT_ONCE.search(node.name) is None


def _turned(stops: list[Node], first: str) -> list[Node]:
    """The same round, beginning at this stop."""
    at = next((number for number, stop in enumerate(stops) if stop.path == first), 0)
    return [*stops[at:], *stops[:at]]
