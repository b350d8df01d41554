"""Visit every surface of a running window, and check what a screen reader and the Tab key meet there.

The walk knows no screen: it follows tabs, the pages of dialogs, the steps of an editor, buttons, and the
commands of menus that lead to a dialog ("…"). A new page or dialog is walked without new code.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.window.accessibility import ENTRIES, controls, out_of_order, unreached, unreadable
from tests.window.accessible import Node
from tests.window.driver import PatchbayWindow
from tests.window.lookup import SEARCH_EVENTS
from tests.window.surface import Surface, without_digits
from tests.window.walk_report import Tally

LEADS_ON = "…"
"""Ends the name of what asks something before it acts."""
ACTS_AT_ONCE = re.compile(
    r"\b(quit|clean up|run|test|reset|undo|redo|restart|resume|pause|copy|save|publish|close|cancel|back|"
    r"stop|retry|release|start|show|open|ask again|unpublish|use template|live|fold|unfold|skip|"
    r"remove|add (?!connection|a service)|(and|or) another|move (up|down)|delete path|same cause|"
    r"\d+ (running|waiting|queued|failures? today))\b",
    re.IGNORECASE,
)
"""Words of buttons that change something or lead to another tab: pressed only if they end in "…"."""
TABS = ("Flows", "Executions", "Folders", "Templates", "My Apps")
OPENING = 1.0
"""Max. seconds until a dialog or menu opens or closes."""
LONGEST_ROUND = 150
CHANGE = "Change…"
BACK = "Back to the list (Alt+Left)"


@dataclass
class Walk:
    """What was visited so far, and what was found wrong there."""

    window: PatchbayWindow
    problems: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    known: set[str] = field(default_factory=set)
    """Dialogs, popups and menus that were looked at, by role and name without digits."""

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
        found, stops = self._check(both_ways)
        if found:
            found, stops = self._check(both_ways)
        self.problems += [f"{name}: {problem}" for problem in dict.fromkeys(found)]
        front = self.front()
        self.tally.note(name, front, controls(front), stops)

    def _check(self, both_ways: bool) -> tuple[list[str], int]:
        """What is wrong here, and how often Tab stopped."""
        front = self.front()
        if front.role == "popup menu":
            return [*unreadable(front), *self._passed_over(front)], 0
        stops = self.window.tab_round(LONGEST_ROUND)
        after = self.front()
        ways = [self.window.bus.way_to(stop) for stop in stops]
        found = [*unreadable(front), *unreadable(after)]
        found += [f"{stop.role} takes the focus and has no name" for stop in stops if not stop.name]
        found += [f"Tab: {words}" for words in out_of_order(ways)]
        found += [f"Tab never stops at {words}" for words in unreached(after, stops)]
        if both_ways and len(stops) > 1:
            found += self._backwards(stops)
        return found, len(stops)

    def _passed_over(self, menu: Node) -> list[str]:
        """Entries of the menu in front that the arrow keys don't stop at."""
        stops = {node.path for node in self.window.tab_round(LONGEST_ROUND, "Down")}
        entries = [node for node in menu.walk() if node.role in ENTRIES]
        return [f"Down never stops at “{node.name}”" for node in entries if node.path not in stops]

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
        """The first row of each list and table, with what it opens beside it, page by page."""
        for node in self.front().walk():
            first = next((row for row in node.children if row.role in ("list item", "cell")), None)
            if node.role in ("list", "table") and first is not None and "focusable" in first.states:
                self.window.click(first)
                self.look(f"{where}, row of {node.name}")
                self.strips(f"{where}, row of {node.name}")

    def strips(self, where: str) -> None:
        """Every page of the tabs that stand inside the window."""
        home = self.front()
        held = [strip for strip in home.walk() if strip.role == "page tab list"]
        names = [page.name for strip in held for page in strip.children if page.name not in TABS]
        for name in names:
            page = next((n for n in self.front().walk() if n.role == "page tab" and n.name == name), None)
            if page is not None and "selected" not in page.states:
                self.window.click(page)
                self.look(f"{where}, {name}", both_ways=False)

    def outcomes(self, *words: str) -> None:
        """The newest execution of each outcome, with what its buttons lead to."""
        pressed = {without_digits(node.name) for node in self.front().walk() if node.role == "push button"}
        for word in words:
            self.window.click(self.window.see("cell", word, within="Executions"))
            self.look(f"Executions, {word}")
            self.buttons(f"Executions, {word}", pressed)

    def settings(self, *, buttons: bool = True) -> None:
        self.window.rest(3)
        self.window.click(self.window.see("push button", "Settings"))
        self.window.see_at_rest("push button", "Close", within="Settings")
        self.pages("Settings", buttons=buttons)
        self.window.press("Escape")
        self.window.rest(2)

    def editors(self, flows: re.Pattern[str]) -> None:
        """The steps of these flows one after the other, each with its form and what that leads to."""
        self.window.open_tab("Flows")
        names = [node.name for node in self.all_rows("Flows") if flows.fullmatch(node.name)]
        for name in names:
            title = name.partition(". ")[0]
            row = self.window.see("list item", re.compile(f"{re.escape(title)}.*"), within="Flows")
            self.window.click_at(*row.place.middle, times=2)
            self.window.see("push button", BACK)
            self.window.rest(3)
            self._steps(f"Editor, {title}")
            self._adding(f"Editor, {title}")
            self.window.press("alt+Left")
            self.window.see("list", "Folders")

    def all_rows(self, name: str) -> list[Node]:
        """The rows of a list, once they are there."""
        self.window.wait(lambda tree: next(_rows(tree, name), None), f"rows of {name}")
        self.window.rest(3)
        return list(_rows(self.front(), name))

    def _steps(self, where: str) -> None:
        """Every step of the open flow, by keys: the list of steps may be longer than its place."""
        counted = self.window.see("label", re.compile(r"\d+ steps?")).name
        pressed = {CHANGE}
        for number in range(int(counted.split(" ")[0])):
            self._choose_step(number)
            self.look(f"{where}, row {number + 1}", both_ways=number == 0)
            if number == 0:
                self.strips(where)
                self._chooser(where)
            self.buttons(f"{where}, row {number + 1}", pressed)

    def _chooser(self, where: str) -> None:
        """What a trigger is chosen from, in the place of its form."""
        change = next((node for node in self.front().walk() if node.name == CHANGE and node.enabled), None)
        if change is not None:
            self.window.click(change)
            self.window.see("text", SEARCH_EVENTS)
            self.look(f"{where}, another trigger")
            self.window.click(self.window.see("text", SEARCH_EVENTS))
            self.window.press("Escape")
            self.window.see("push button", CHANGE)

    def _choose_step(self, number: int) -> None:
        shown = self.window.all("list item", within="Steps")
        # Of the others, the first and the last may be half out of sight.
        self.window.click(next((node for node in shown if "selected" in node.states), shown[0]))
        self.window.rest(2)
        self.window.press("Home", *["Down"] * number)
        self.window.rest(2)

    def _adding(self, where: str) -> None:
        """The chooser of a new step, which is taken back again."""
        add = next((node for node in self.front().walk() if node.name == "Add step" and node.enabled), None)
        if add is not None and add.role == "push button":
            self.window.click(add)
            self.window.see("text", SEARCH_EVENTS)
            self.look(f"{where}, new step")
            self.window.click(self.window.see("push button", "Undo add step"))
            self.window.rest(3)

    def pages(self, dialog: str, *, buttons: bool = True) -> None:
        """Every page of the open dialog, by its side list, and what their buttons lead to."""
        names = [node.name for node in self.window.all("list item", within=dialog)]
        for page in dict.fromkeys(names):
            self.window.click(self.window.see("list item", page, within=dialog))
            self.look(f"{dialog}, {page}")
            if buttons:
                self.buttons(f"{dialog}, {page}")

    def buttons(self, where: str, pressed: set[str] | None = None) -> None:
        """Press what is in front and may lead to a dialog or a menu; walk that, and close it again.

        `pressed` are names without digits of buttons that were pressed before; the others are added.
        """
        home = self.front()
        before = pressed if pressed is not None else set()
        names = [
            node.name
            for node in home.walk()
            if _may_lead_on(node) and without_digits(node.name) not in before
        ]
        before.update(map(without_digits, names))
        for name in dict.fromkeys(names):
            node = next((node for node in self.front().walk() if node.name == name and node.enabled), None)
            if node is None:
                continue
            self.window.click(self._in_view(node))
            self._follow(f"{where} › {name}", home)

    def _in_view(self, node: Node) -> Node:
        """The control once its middle is in sight: a part of a page that scrolls may be behind its end."""
        *holders, now = self.window.bus.way_to(node)
        if not all(holder.place.holds(now.place) for holder in holders if holder.place.width):
            self.window.bus.focus(node)
            self.window.press("Tab", "shift+Tab")  # these scroll, unlike a focus from elsewhere
            self.window.rest(2)
            now = self.window.bus.way_to(node)[-1]
        return now

    def _follow(self, name: str, home: Node) -> None:
        self._await_another_front(home)
        front = self.front()
        if _is_same(front, home):
            self._return_to_tab_of(home)
            return
        kind = f"{front.role} {without_digits(front.name)}"
        if kind not in self.known and not Surface(self.window.bus.tree()).is_foreign:
            self.known.add(kind)
            self.look(f"{name} ({kind})")
            if front.role == "popup menu":
                self._menu(name, home)
        self.leave(home)
        self._return_to_tab_of(home)

    def _return_to_tab_of(self, home: Node) -> None:
        """Where a button led to another tab, with or without a dialog."""
        if (tab := _chosen_tab(home)) and tab != _chosen_tab(self.front()):
            self.window.open_tab(tab)
            self.window.rest(2)

    def _menu(self, name: str, home: Node) -> None:
        """The commands of the open menu that lead to a dialog. It is opened by `name`'s last part."""
        opener = name.rpartition(" › ")[2]
        commands = [
            node.name
            for node in self.front().walk()
            if node.role == "menu item" and node.enabled and node.name.endswith(LEADS_ON)
        ]
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
            self._await_another_front(front)
        raise AssertionError(f"what is above {home.name} can't be closed:\n{self.front().outline()}")

    def _await_another_front(self, front: Node) -> None:
        """Wait until something opens above `front` or it closes; for a moment only, as it may do neither."""
        end = time.monotonic() + OPENING
        while time.monotonic() < end and _is_same(self.front(), front):
            time.sleep(0.1)
        self.window.rest(2)


def _note(front: Node | None, found: list[Node]) -> Node | None:
    found += [front] if front is not None else []
    return front


def _rows(tree: Node, name: str) -> Iterator[Node]:
    return (
        row
        for top in tree.walk()
        if top.role == "list" and top.name == name
        for row in top.walk()
        if row.role == "list item"
    )


def _chosen_tab(window: Node) -> str:
    tabs = (node.name for node in window.walk() if node.role == "page tab list")
    return next((name for name in tabs if name in TABS), "")


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
