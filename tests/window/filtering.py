"""Ways to filter a list from outside, by mouse and by keyboard, and all rows it has then."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.window.accessible import Node
from tests.window.driver import PATIENCE, PatchbayWindow
from tests.window.lookup import focused, highlighted

MOUSE, KEYBOARD = "mouse", "keyboard"
BY = (MOUSE, KEYBOARD)
LABELS = frozenset(
    {
        "Status",
        "App",
        "Last result",
        "Connection",
        "Flow",
        "Started",
        "Run type",
        "Data",
        "Folder",
        "Cause",
        "From",
        "Retried",
        "Topic",
        "Category",
        "Sort by",
        "Kind",
        "When",
    }
)
NOT_SET = re.compile("Filter by (.+)|(Sort by)")
WHEEL_UP, WHEEL_DOWN = 4, 5
BOTH_ENDS = 250
"""Rows that are read at each end of a longer list."""

TRIES = 5

Rows = Sequence[Any]
ReadRows = Callable[["Page"], Rows]


@dataclass(frozen=True)
class Page:
    """A tab or a dialog with chips and a list below them. `rows` reads the whole list."""

    window: PatchbayWindow
    name: str
    search: str
    rows: ReadRows

    def find(self) -> Node | None:
        """The page as it is now; None when it isn't showing."""
        return next(
            (
                node
                for node in self.window.bus.tree().walk()
                if node.name == self.name and node.role in ("filler", "dialog")
            ),
            None,
        )

    def holds(self, role: str, name: str) -> Node | None:
        """What holds the rows; None while a page for no rows is there instead."""
        page = self.find()
        inside = page.walk() if page is not None else ()
        return next((node for node in inside if (node.role, node.name) == (role, name)), None)

    # Chips

    def chips(self) -> list[str]:
        """The labels of the chips that aren't set."""
        names = (NOT_SET.fullmatch(node.name) for node in self.window.all("push button", within=self.name))
        return [found.group(1) or found.group(2) for found in names if found is not None]

    def chip(self, label: str) -> Node:
        name = re.compile(f"Filter by {re.escape(label)}|{re.escape(label)}(: .*)?")
        return self.window.see("push button", name, within=self.name)

    def open(self, label: str, by: str = MOUSE) -> Node:
        """The list of choices of a chip."""
        if by == MOUSE:
            self.window.click(self.chip(label))
        else:
            self.focus(self.chip(label).name)
            self.window.press("Return")
        choices = self.window.see("list", "Choices")
        self.window.rest()
        return choices

    def choices(self, label: str) -> list[str]:
        """Everything a chip offers."""
        names = [item.name for item in self.window.bus.items(self.open(label))]
        self.window.press("Escape")
        self.window.rest()
        return names

    def pick(self, label: str, choice: str, by: str) -> None:
        """Pick a choice of a chip. The keyboard goes down the list, or in a long one types the name."""
        choices = self.open(label, by)
        if by == MOUSE:
            self.window.click(self._scrolled_to(choices, choice))
        elif any(node.name == "Search" for node in self.window.all("text")):
            self.window.type(choice)
            self.window.wait(
                lambda tree: tree if highlighted(tree, "Choices") == choice else None,
                f"highlighted choice {choice}",
            )
            self.window.press("Return")
        else:
            place = [item.name for item in self.window.bus.items(choices)].index(choice)
            self.window.press("Home", *["Down"] * place, "Return")
        self.window.see("push button", f"{label}: {choice}", within=self.name)
        if any(node.name == "Choices" for node in self.window.all("list")):
            self.window.press("Escape")  # one of which several can be picked stays open

    def _scrolled_to(self, choices: Node, choice: str) -> Node:
        """The choice in sight, found with the wheel."""
        for _ in range(40):
            seen = [item for item in self.window.all("list item", within="Choices") if item.name == choice]
            if seen and choices.place.holds(seen[0].place):
                return self.window.see_at_rest("list item", choice, within="Choices")
            self.window.click_at(*choices.place.middle, button=WHEEL_DOWN)
        raise AssertionError(f"no way to {choice} with the wheel")

    def unset(self, label: str, by: str) -> None:
        """Clear one chip: by its ×, or by Delete. One without choices of its own goes."""
        chip = self.chip(label)
        if by == MOUSE:
            self.window.click_at(chip.place.x + chip.place.width - 14, chip.place.middle[1])
        else:
            self.focus(chip.name)
            self.window.press("Delete")
        self.window.wait(lambda tree: None if label in self.set_chips() else tree, f"{label} cleared")

    def clear(self) -> None:
        """Clear whatever an earlier test left, if it failed."""
        for node in self.window.all("push button", within=self.name):
            label, colon, _ = node.name.partition(": ")
            if colon and label in LABELS:
                self.unset(label, KEYBOARD)
        if any(node.name == "Clear" for node in self.window.all("push button", within=self.name)):
            self.look_for("")

    # Keyboard

    def focus(self, name: str) -> None:
        """Move the focus with Tab, beginning in the search field."""
        self.window.press("ctrl+f")
        self.window.wait(lambda tree: focused(tree, self.search), f"focus in {self.search}")
        for _ in range(30):
            stop = self.window.bus.focus_after(lambda: self.window.press("Tab"))
            if stop is not None and stop.name == name:
                return
        raise AssertionError(f"Tab doesn't lead to {name}")

    def look_for(self, text: str) -> None:
        """Type into the search field, in place of what is there."""
        self.window.press("ctrl+f")
        self.retype(
            self.window.wait(lambda tree: focused(tree, self.search), f"focus in {self.search}"), text
        )

    def retype(self, field: Node, text: str) -> None:
        """Type into the field with the focus, again where it didn't arrive.

        A letter that no key has is given to one for a moment, which the program may hear of too late.
        """
        for _ in range(TRIES):
            self.window.press("ctrl+a", "BackSpace")
            self.window.type(text)
            if self.window.bus.text(field) == text:
                return
        raise AssertionError(f"{text} can't be typed here")

    # Rows

    def set_chips(self) -> dict[str, str]:
        """What is filtered by now, by the labels of the chips."""
        names = [node.name.partition(": ") for node in self.window.all("push button", within=self.name)]
        return {label: value for label, colon, value in names if colon and label in LABELS}

    def shows(self, expected: Callable[[], Rows], what: str) -> int:
        """Wait until the rows are these; `expected` is asked anew, since some filters move with the clock."""
        end = time.monotonic() + PATIENCE
        while (seen := list(self.rows(self))) != (wanted := list(expected())):
            assert time.monotonic() < end, f"{what}: shown are {seen[:20]}, not {wanted[:20]}"
            time.sleep(0.1)
        return len(seen)


def items_of(role: str, name: str, text: Callable[[str], str | None]) -> ReadRows:
    """Reads a list whose entries say this; an entry without a text is none, such as a heading."""

    def read(page: Page) -> Rows:
        holder = page.holds(role, name)
        found = page.window.bus.items(holder) if holder is not None else []
        return [words for item in found if (words := text(item.name)) is not None]

    return read


def cells_of(name: str, columns: Sequence[int]) -> ReadRows:
    """Reads these columns of a table: how many rows there are, then all of them, or both ends of many."""

    def read(page: Page) -> Rows:
        table = page.holds("table", name)
        if table is None:
            return [0]
        bus = page.window.bus
        total = bus.row_count(table)
        return [total, *bus.cells(table, ends(range(total)), columns)]

    return read


def ends(rows: Sequence[Any]) -> list[Any]:
    """All rows, or both ends of many."""
    if len(rows) <= 2 * BOTH_ENDS:
        return list(rows)
    return [*rows[:BOTH_ENDS], *rows[-BOTH_ENDS:]]


def counted(rows: Sequence[Any]) -> list[Any]:
    """What `cells_of` reads of a table with these rows."""
    return [len(rows), *ends(rows)]
