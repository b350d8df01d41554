"""Each choice of each chip leaves exactly the rows of a direct query, by mouse and by keyboard.

The choices are read from the window itself, and a chip that isn't known here fails. In short, a few choices
of each chip are picked on a server; in full, all of them, in the demo and on this computer too.
"""

import re
from dataclasses import replace
from functools import partial
from itertools import product

import pytest
from tests.window.direct import Expected, Pick, span_of
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.filtering import BY, KEYBOARD, MOUSE, Page
from tests.window.furnished import Shown
from tests.window.pages import ROWS, SEARCH, tab_page

pytestmark = [needs_a_desktop, pytest.mark.timeout(1800)]

SEARCHED = ("Orders", "ärger", "→", "%", "_", "nothing is called this")
"""Any case, letters beyond ASCII, and what patterns of a database mean."""


CHIPS = [
    (tab, label)
    for tab, labels in {
        "Flows": ("Status", "App", "Last result"),
        "Executions": ("Status", "Flow", "Started", "App", "Run type"),
        "Templates": ("Topic", "App"),
        "My Apps": ("Category",),
    }.items()
    for label in labels
]
IN_SHORT = (("Flows", "Status"), ("Executions", "Status"))
ORDERS = {"My Apps": ["Sort by"]}
"""Chips that leave all rows and order them."""


@pytest.mark.parametrize("tab", ["Flows", "Executions", "Templates", "My Apps"])
def test_each_chip_is_known_here(opened: Shown, tab: str) -> None:
    page = tab_page(opened.window, tab)

    assert page.chips() == [label for chip_tab, label in CHIPS if chip_tab == tab] + ORDERS.get(tab, [])


@pytest.mark.parametrize(("tab", "label", "by"), [(*chip, BY[at % 2]) for at, chip in enumerate(IN_SHORT)])
def test_the_first_choice_of_a_chip(opened: Shown, expected: Expected, tab: str, label: str, by: str) -> None:
    _pick_all(opened.window, expected, tab, label, by, most=1)


@pytest.mark.acceptance
@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize(("tab", "label"), CHIPS)
def test_all_choices_of_each_chip(opened: Shown, expected: Expected, tab: str, label: str, by: str) -> None:
    _pick_all(opened.window, expected, tab, label, by)


def _pick_all(
    window: PatchbayWindow, expected: Expected, tab: str, label: str, by: str, most: int | None = None
) -> None:
    page = tab_page(window, tab)
    page.shows(lambda: expected.rows(tab), f"{tab} at first")
    choices = page.choices(label)
    assert choices
    for choice in choices[:most]:
        wanted = partial(expected.rows, tab, (label, choice))
        page.pick(label, choice, by)
        page.shows(wanted, f"{tab}, {label}: {choice}, by {by}")
        page.unset(label, by)
    page.shows(lambda: expected.rows(tab), f"{tab}, {label} cleared")
    assert window.complaints == []


@pytest.mark.acceptance
@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("tab", ["Flows", "Executions", "Templates"])
def test_chips_hold_together_and_are_cleared_one_by_one_or_at_once(
    opened: Shown, expected: Expected, tab: str, by: str
) -> None:
    window, page = opened.window, tab_page(opened.window, tab)
    first, second = _two_that_leave_rows(expected, page, [label for at, label in CHIPS if at == tab])

    page.pick(*first, by)
    page.pick(*second, by)
    page.shows(lambda: expected.rows(tab, first, second), f"{tab}, {first} and {second}")
    page.unset(first[0], by)
    page.shows(lambda: expected.rows(tab, second), f"{tab}, {second} alone")
    page.pick(*first, by)
    if tab == "Templates":  # where there is no button that clears all
        page.clear()
    elif by == MOUSE:
        window.click(window.see("push button", "Clear", within=tab))
    else:
        page.focus("Clear")
        window.press("space")
    page.shows(lambda: expected.rows(tab), f"{tab}, all cleared")
    assert window.complaints == []


def _two_that_leave_rows(expected: Expected, page: Page, labels: list[str]) -> tuple[Pick, Pick]:
    """Choices of two chips that leave fewer rows together than each alone, or at least some."""
    first, second = ([(label, choice) for choice in page.choices(label)] for label in labels[:2])
    both = {pair: list(expected.rows(page.name, *pair)) for pair in product(first, second)}
    alone = {pick: list(expected.rows(page.name, pick)) for pick in (*first, *second)}
    found = [pair for pair, rows in both.items() if rows not in ([], [0])]
    narrower = [pair for pair in found if all(both[pair] != alone[pick] for pick in pair)]
    return (narrower or found)[0]


@pytest.mark.acceptance
@pytest.mark.parametrize("by", BY)
def test_two_states_leave_the_executions_of_both(opened: Shown, expected: Expected, by: str) -> None:
    page = tab_page(opened.window, "Executions")
    states = ("Failure", "Filtered")
    wanted = {word: expected.direct.states(word) for word in states}

    for state in states:
        choices = page.open("Status", by)
        place = [item.name for item in opened.window.bus.items(choices)].index(state)
        if by == MOUSE:
            opened.window.click(opened.window.see_at_rest("list item", state, within="Choices"))
        else:
            opened.window.press("Home", *["Down"] * place, "space")
        opened.window.press("Escape")
    opened.window.see("push button", "Status: Failure, Filtered", within="Executions")

    total = sum(map(len, wanted.values()))
    assert all(wanted.values())
    page.shows(lambda: expected.rows_of_states(states), "Failure and Filtered")
    assert total == page.rows(page)[0]
    page.unset("Status", by)


@pytest.mark.acceptance
@pytest.mark.parametrize(("tab", "label"), CHIPS)
def test_escape_in_the_choices_leaves_the_filter_as_it_was(
    opened: Shown, expected: Expected, tab: str, label: str
) -> None:
    page, window = tab_page(opened.window, tab), opened.window
    choice = page.choices(label)[0]
    for picked in ((), ((label, choice),)):
        if picked:
            page.pick(label, choice, KEYBOARD)
        before = page.set_chips()
        page.open(label, KEYBOARD)
        window.press("Down", "Down", "Escape")
        window.rest()

        assert page.set_chips() == before
        assert not [node for node in window.all("list") if node.name == "Choices"]
        page.shows(partial(expected.rows, tab, *picked), f"{tab}, {label} after Escape")
    page.unset(label, KEYBOARD)


@pytest.mark.acceptance
@pytest.mark.parametrize("text", SEARCHED)
@pytest.mark.parametrize("tab", [tab for tab in SEARCH if tab != "Audit log"])
def test_a_search_leaves_what_contains_the_text(
    opened: Shown, expected: Expected, tab: str, text: str
) -> None:
    window, page = opened.window, tab_page(opened.window, tab)

    page.look_for(text)

    page.shows(lambda: expected.rows(tab, text=text), f"{tab} searched for {text}")
    if page.rows(page) in ([], [0]):  # an empty list says so, and leads back
        window.click(window.see_at_rest("push button", "Clear filters", within=tab))
    else:
        window.press("Escape")
    page.shows(lambda: expected.rows(tab), f"{tab} no longer searched")
    assert window.complaints == []


@pytest.mark.acceptance
@pytest.mark.parametrize("by", BY)
def test_a_stretch_of_the_histogram_leaves_the_executions_of_that_time(
    opened: Shown, expected: Expected, by: str
) -> None:
    window, page = opened.window, tab_page(opened.window, "Executions")
    chart = window.see("chart", re.compile("Executions over time.*"), within="Executions")
    if by == MOUSE:
        x = chart.place.x
        y = chart.place.middle[1]
        width = chart.place.width
        window.drag((x + width // 3, y), (x + width - 4, y))
    else:
        page.focus(chart.name)
        window.press(*["Left"] * 4)
    window.wait(lambda _: chart if "Started" in page.set_chips() else None, "chip of the time")
    window.rest()

    words = page.set_chips()["Started"]
    page.shows(lambda: expected.rows_between(*span_of(words)), f"started {words}, by {by}")
    page.unset("Started", by)
    page.shows(lambda: expected.rows("Executions"), "executions of all times")


@pytest.mark.acceptance
@pytest.mark.parametrize("by", BY)
def test_flows_are_ordered_by_each_column_both_ways(opened: Shown, expected: Expected, by: str) -> None:
    window, page = opened.window, tab_page(opened.window, "Flows")
    for column in ("Flow", "Status", "Last run", "Next run", "Status"):  # as it was at the end
        for _ in range(2):
            header = window.see("column header", column, within="Columns")
            if by == MOUSE:
                window.click(header)
            else:
                page.focus(column)
                window.press("Return")
            window.rest()
            now = window.see("column header", column, within="Columns")
            descending = now.description == "Sorted, descending"
            assert now.description in ("Sorted, ascending", "Sorted, descending")
            in_order = replace(page, rows=ROWS["Flows"])
            in_order.shows(partial(expected.flows_by, column, descending), f"by {column}, {now.description}")
    assert window.complaints == []


def test_failures_today_are_those_that_the_link_shows(opened: Shown, expected: Expected) -> None:
    window, direct = opened.window, opened.direct
    page = tab_page(window, "Executions")
    failed = direct.failures_today
    assert len(direct.states("Failure")) > len(failed) > 0  # some were retried, or are tests or older

    words = f"{len(failed)} failure{'s' if len(failed) != 1 else ''} today"
    window.click(window.see("push button", words))
    page.shows(lambda: expected.rows_of(failed), "failures today")

    assert page.set_chips().keys() == {"Status", "Started", "Run type", "Retried"}
    page.unset("Retried", MOUSE)
    page.shows(lambda: expected.rows_of(direct.all_failures_today), "failures today, retried ones too")
    window.click(window.see("push button", "Clear", within="Executions"))
    page.shows(lambda: expected.rows("Executions"), "all executions")
    assert window.complaints == []
