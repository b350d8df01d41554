"""The flow editor in the demo: new flows, choosers, keys, names, tests, and what is left to finish."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support.forms import long_form
from tests.window.accessible import Node
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.lookup import (
    EVENTS,
    SEARCH_EVENTS,
    add_step,
    back_to_the_list,
    choose_event,
    close_popups,
    enter_file,
    execution_rows,
    find,
    focused,
    labels,
    open_flow,
    open_select,
    saying,
    see_highlighted,
    select_step,
    show_executions,
    steps,
)

SEARCH_VALUES = "Search variables from earlier steps"

pytestmark = [needs_a_desktop, pytest.mark.timeout(300)]


@pytest.fixture(autouse=True)
def _closed_popups(demo: PatchbayWindow) -> Iterator[None]:
    yield
    close_popups(demo)


@long_form
def test_a_new_flow_puts_the_cursor_into_the_search_wherever_it_was_requested(demo: PatchbayWindow) -> None:
    """The first one comes from a tab that is still loading its list."""
    demo.open_tab("Executions")
    demo.press("ctrl+n")
    _check_new_flow(demo)

    back_to_the_list(demo)
    demo.click(demo.see("push button", "New flow"))
    _check_new_flow(demo)

    demo.press("ctrl+k")
    demo.type("New flow")
    demo.rest()
    demo.press("Return")
    _check_new_flow(demo)

    demo.click(demo.see("push button", "Menu"))
    demo.click(demo.see_at_rest("menu item", "New flow"))
    _check_new_flow(demo)
    assert demo.complaints == []


def _check_new_flow(window: PatchbayWindow) -> None:
    """The search keeps the focus, and the list stands at its beginning with the first event highlighted."""
    window.wait(lambda tree: focused(tree, SEARCH_EVENTS), "focused search")
    first = window.see_at_rest("list item", re.compile(r".+, .+"), within=EVENTS)
    see_highlighted(window, EVENTS, first.name)
    window.type("every hour")
    see_highlighted(window, EVENTS, "Scheduler, Every hour.")
    window.press("Escape")


@long_form
def test_enter_takes_the_event_whose_name_matches_best(demo: PatchbayWindow) -> None:
    """Not the entry highlighted before, nor one in whose description the words occur."""
    _new_flow(demo)
    demo.click(demo.see_at_rest("text", SEARCH_EVENTS))
    demo.type("webhook")
    see_highlighted(demo, EVENTS, "Webhook, Catch raw webhook.")
    demo.press("Return")
    demo.see("list item", re.compile("1. Catch raw webhook.*"), within="Steps")

    demo.click(demo.see("push button", "Add step"))
    demo.click(demo.see_at_rest("text", SEARCH_EVENTS))
    demo.type("date")
    see_highlighted(demo, EVENTS, "Formatter, Date / Time.")
    demo.press("Return")
    assert demo.see("list item", re.compile(r"\d. Date / Time, .*"), within="Steps")
    assert demo.complaints == []


@long_form
def test_enter_in_a_select_keeps_its_value(demo: PatchbayWindow) -> None:
    open_flow(demo, "Inventory check")
    select_step(demo, 2)
    open_select(demo, "Method")
    demo.click(demo.see("list item", "PATCH", within="Choices"))
    demo.see("tree item", 'method: "PATCH"')

    demo.press("space")
    demo.wait(lambda tree: find(tree, ("list",), "Choices"), "choices")
    demo.rest()
    demo.press("Return")
    demo.wait(lambda tree: None if find(tree, ("list",), "Choices") else tree, "closed choices")
    demo.rest()

    assert [item for item in _preview(demo) if item.startswith("method")] == ['method: "PATCH"']
    assert demo.complaints == []


@long_form
def test_enter_inserts_the_value_whose_name_was_typed(demo: PatchbayWindow) -> None:
    """And the search keeps its height however few values match."""
    show_executions(demo, "New GitHub issue")  # the demo writes its history after its window has opened
    open_flow(demo, "New GitHub issue → Todoist task")
    select_step(demo, 5)
    demo.click(demo.see_at_rest("push button", "Insert variable into Message"))
    search = demo.see_at_rest("text", SEARCH_VALUES)
    demo.type("html_url")
    demo.rest()
    few = demo.see_at_rest("text", SEARCH_VALUES)
    demo.press("ctrl+a")
    demo.type("number")
    demo.rest()
    value = demo.see("tree item", re.compile("number, number, .*"), within="Values").name.split(", ")[-1]
    demo.press("Return")
    message = demo.wait(_preview_of_message, "preview of the message").name
    demo.rest()

    assert few.place.height == search.place.height
    assert demo.wait(_preview_of_message, "preview of the message").name.endswith(f'{value}"'), message
    assert demo.complaints == []


@long_form
def test_conditions_offer_the_values_of_earlier_steps_by_mouse_and_keyboard(demo: PatchbayWindow) -> None:
    open_flow(demo, "New GitHub issue → Todoist task")
    select_step(demo, 2)
    demo.click(demo.see_at_rest("push button", "Insert variable into Compare with"))
    demo.see_at_rest("text", SEARCH_VALUES)
    demo.press("Escape")

    demo.click(demo.see_at_rest("text", "Compare with"))
    demo.press("ctrl+a", "Tab", "space")
    demo.see_at_rest("text", SEARCH_VALUES)
    demo.type("html_url")
    demo.rest()
    demo.press("Return")

    demo.wait(lambda tree: _holding(tree, "Compare with", "[New issue · html_url]"), "inserted value")
    assert demo.complaints == []


def _holding(tree: Node, field: str, words: str) -> Node | None:
    """The field of this name, if its value is described in these words."""
    named = (n for n in tree.walk() if n.role == "text" and n.name == field)
    return next((n for n in named if words in n.description), None)


def _preview_of_message(tree: Node) -> Node | None:
    return next((n for n in tree.walk() if n.role == "tree item" and n.name.startswith("message: ")), None)


@long_form
def test_what_a_refused_publication_found_missing_goes_when_it_is_done(demo: PatchbayWindow) -> None:
    _new_flow(demo)
    choose_event(demo, "every hour", "Scheduler, Every hour")
    select_step(demo, 2)
    choose_event(demo, "run python", "Code, Run Python")
    demo.press("ctrl+shift+p")
    demo.see("label", "2 issues to fix")
    demo.rest()

    for position in (1, 2):
        select_step(demo, position)
        demo.click(demo.see("push button", "Test"))
        demo.see("label", "1 issue to fix" if position == 1 else "Ready to publish")

    assert _blockers(demo) == []
    assert demo.complaints == []


@long_form
def test_a_click_on_a_step_without_an_event_leads_to_the_search(demo: PatchbayWindow) -> None:
    _new_flow(demo)
    choose_event(demo, "every hour", "Scheduler, Every hour")

    select_step(demo, 2)
    demo.type("delay for")

    see_highlighted(demo, EVENTS, "Delay, Delay for.")
    assert demo.complaints == []


@long_form
def test_flows_and_steps_are_renamed_by_their_titles_and_a_menu(demo: PatchbayWindow) -> None:
    _new_flow(demo)
    choose_event(demo, "every hour", "Scheduler, Every hour")
    demo.click(demo.see("label", "New flow"))
    demo.see("text", "Flow name")
    demo.type("Reports")
    demo.press("Return")
    demo.click(demo.see("label", "Every hour"))
    demo.see("text", "Step name")
    demo.type("On the hour")
    demo.press("Return")
    demo.see("list item", re.compile("1. On the hour.*"), within="Steps")
    demo.click(demo.see("push button", "More about this step"))
    demo.click(demo.see_at_rest("menu item", "Rename"))
    demo.see("text", "Step name")
    demo.type("Hourly")
    demo.press("Return")

    demo.see("list item", re.compile("1. Hourly.*"), within="Steps")
    assert demo.see("label", "Reports")
    assert demo.complaints == []


@long_form
def test_f6_goes_round_the_editor_and_publishing_works_from_the_status_bar(demo: PatchbayWindow) -> None:
    _new_flow(demo)
    choose_event(demo, "every hour", "Scheduler, Every hour")
    demo.click(demo.see("push button", "Menu"))
    demo.press("Escape")
    went = [_focus_after(demo, "F6") for _ in range(7)]
    demo.press(*["F6"] * 6)
    published = _focus_after(demo, "ctrl+shift+p")

    assert went[2:5] == ["Minute of the hour", "Test", "Publish"]
    assert went[5] in ("Demo engine running", "Adding sample executions…")
    assert (went[0], went[6]) == ("Back to the list (Alt+Left)", "Flows")
    assert went[1].startswith(("Steps", "1. Every hour"))
    assert published == "Test"  # what is missing first
    assert demo.complaints == []


def _focus_after(window: PatchbayWindow, key: str) -> str:
    stop = window.bus.focus_after(lambda: window.press(key))
    assert stop is not None
    return stop.name


@long_form
def test_required_fields_that_appear_later_are_left_to_finish(demo: PatchbayWindow) -> None:
    _new_flow(demo)
    choose_event(demo, "every hour", "Scheduler, Every hour")
    add_step(demo, "date", "Formatter, Date / Time")
    open_select(demo, "Transform")
    demo.click(demo.see("list item", "Format date", within="Choices"))
    demo.see("text", "Input")
    demo.rest()

    assert [name for name in _blockers(demo) if "Input" in name], _blockers(demo)
    assert demo.complaints == []


@long_form
def test_the_result_of_a_transform_is_shown_while_it_is_edited(demo: PatchbayWindow) -> None:
    _new_flow(demo)
    choose_event(demo, "every hour", "Scheduler, Every hour")
    add_step(demo, "formatter", "Formatter, Text")
    open_select(demo, "Transform")
    demo.click(demo.see("list item", "Capitalise", within="Choices"))
    demo.see("label", "Fill in “Input” to see the result.")

    demo.click(demo.see_at_rest("text", "Input"))
    demo.type("ada lovelace")

    demo.see("label", "Ada Lovelace")
    assert demo.complaints == []


@long_form
def test_alt_left_leads_back_from_the_editor_to_the_list(demo: PatchbayWindow) -> None:
    open_flow(demo, "Inventory check")
    select_step(demo, 2)
    demo.click(demo.see("text", "URL"))

    demo.press("alt+Left")

    assert demo.see("list", "Flows")
    assert demo.complaints == []


@long_form
def test_a_click_on_the_tab_of_flows_leads_back_from_the_editor_to_the_list(demo: PatchbayWindow) -> None:
    open_flow(demo, "Inventory check")

    demo.click(demo.see("page tab", re.compile("Flows.*")))

    assert demo.see("list", "Flows")
    assert demo.complaints == []


@long_form
def test_keys_of_steps_work_while_the_focus_is_in_the_form(demo: PatchbayWindow) -> None:
    open_flow(demo, "Stripe payouts → Google Sheets")
    select_step(demo, 2)
    number = len(steps(demo.bus.tree()))
    demo.click(demo.see("push button", "More about this step"))
    demo.press("Escape")

    demo.press("Delete")
    demo.wait(lambda tree: _steps(tree, number - 1), "deleted step")
    demo.press("ctrl+z")
    demo.wait(lambda tree: _steps(tree, number), "deletion undone")
    demo.press("ctrl+d")
    demo.wait(lambda tree: _steps(tree, number + 1), "copied step")
    demo.press("ctrl+z")
    demo.wait(lambda tree: _steps(tree, number), "copy undone")
    assert demo.complaints == []


@long_form
def test_a_new_name_of_a_flow_can_be_undone(demo: PatchbayWindow) -> None:
    open_flow(demo, "Product feedback → Notion")
    demo.click(demo.see("push button", "Rename: flow name"))
    demo.see("text", "Flow name")
    demo.press("ctrl+a")
    demo.type("Orders to the shop")
    demo.press("Return")
    demo.see("label", "Orders to the shop")
    demo.rest()

    demo.press("ctrl+z")

    assert demo.see("label", "Product feedback → Notion")
    assert demo.complaints == []


@long_form
def test_a_draft_that_ran_is_tested_and_a_new_name_does_not_change_that(demo: PatchbayWindow) -> None:
    open_flow(demo, "Welcome new subscribers")
    demo.see("label", re.compile("[1-9] issues? to fix"))

    demo.click(demo.see("push button", "Run now"))
    demo.see("label", "Ready to publish")
    demo.click(demo.see("list item", re.compile(r"2\. Send email.*"), within="Steps"))
    demo.press("F2")
    demo.see("text", "Step name")
    demo.type("Greet them")
    demo.press("Return")
    demo.see("list item", re.compile(r"2\. Greet them.*"), within="Steps")
    demo.see("label", re.compile("Draft saved .*"))

    assert "Ready to publish" in labels(demo)
    assert not [text for text in labels(demo) if "before the last change" in text]
    assert demo.complaints == []


@long_form
def test_the_test_of_one_step_does_not_read_as_a_run_of_all(demo: PatchbayWindow) -> None:
    show_executions(demo, "Event registration")
    before = _tests(demo.bus.tree())
    open_flow(demo, "Event registration → Airtable")
    select_step(demo, 2)
    demo.click(demo.see("push button", "Test"))
    demo.open_tab("Executions")
    demo.wait(lambda tree: tree if _tests(tree) > before else None, "further test")
    demo.click(demo.see("cell", "Event registration → Airtable (test)", within="Executions"))

    assert demo.see("label", re.compile("Success, .*")).name == "Success, step 2 of 2 tested"
    assert demo.complaints == []


@long_form
def test_fields_that_appear_later_are_among_the_problems_to_fix(demo: PatchbayWindow, tmp_path: Path) -> None:
    """A flow from a file, since choosing the event in the editor would bring up its fields at once."""
    dates = files.step("formatter", "date-time", transform="formatDateTime")
    file = files.write(tmp_path / "dates.json", files.flow("Dates", files.catch(), dates))
    back_to_the_list(demo)
    demo.click(demo.see("push button", "Import…"))
    enter_file(demo, file)
    demo.click(demo.see_at_rest("push button", "Import"))
    demo.see("label", "1 flow imported as a draft")
    open_flow(demo, "Dates")

    assert demo.see("push button", "Go to field: Enter Input")
    demo.click(demo.see("push button", re.compile("Test step 1: .*")))
    demo.wait(partial(saying, text="This webhook hasn't received a request yet"), "result of the test")


def _new_flow(window: PatchbayWindow) -> None:
    back_to_the_list(window)
    window.click(window.see("push button", "New flow"))
    window.see("text", SEARCH_EVENTS)
    window.rest()


def _preview(window: PatchbayWindow) -> list[str]:
    return [node.name for node in window.all("tree item")]


def _blockers(window: PatchbayWindow) -> list[str]:
    buttons = window.all("push button")
    return [button.name for button in buttons if button.name.startswith(("Go to", "Test step"))]


def _steps(tree: Node, number: int) -> Node | None:
    return tree if len(steps(tree)) == number else None


def _tests(tree: Node) -> int:
    return sum(cells[1].name.endswith("(test)") for cells in execution_rows(tree))
