"""The demo outside of building flows: deleted flows, words of executions and filters, reset."""

import re
from functools import partial

import pytest
from tests.support.forms import long_form
from tests.window.accessible import Node
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.lookup import (
    add_step,
    back_to_the_list,
    choose_event,
    delete_flow,
    execution_rows,
    filter_flows,
    flow_row,
    labels,
    open_flow,
    select_step,
    show_executions,
    steps,
)

pytestmark = [needs_a_desktop, pytest.mark.timeout(300), long_form]

IN_THE_EDITOR = "This flow was deleted"
"""What the editor shows when another user deletes the flow."""


def test_a_flow_deleted_after_it_was_edited_can_be_brought_back(demo: PatchbayWindow) -> None:
    open_flow(demo, "Review reminder")
    back_to_the_list(demo)
    filter_flows(demo, "e")

    for name in ("Mirror merge events", "Review reminder"):  # the last one is the one that was open
        delete_flow(demo, name)
        told = {f"“{name}” deleted", IN_THE_EDITOR}
        demo.wait(partial(_says_any, texts=told), f"message about {name}")
    demo.rest()

    assert IN_THE_EDITOR not in labels(demo)
    for name in ("Review reminder", "Mirror merge events"):
        demo.click(demo.see_at_rest("push button", "Undo", within=f"“{name}” deleted"))
        assert flow_row(demo, name)
    assert demo.complaints == []


def test_several_flows_deleted_together_can_be_brought_back(demo: PatchbayWindow) -> None:
    """With the keyboard; the one that was open last is among them."""
    open_flow(demo, "Review reminder")
    back_to_the_list(demo)
    filter_flows(demo, "re")
    demo.click(flow_row(demo, "Review reminder"))
    number = len(_flows(demo.bus.tree()))
    demo.press("ctrl+a", "Delete")
    demo.click(demo.see_at_rest("push button", re.compile(f"Delete {number} flows")))
    demo.wait(lambda tree: None if _flows(tree) else tree, "empty list")

    demo.click(demo.see_at_rest("push button", "Undo", within=f"{number} flows deleted"))

    demo.wait(lambda tree: tree if len(_flows(tree)) == number else None, f"{number} flows")
    assert demo.complaints == []


def test_steps_of_executions_go_by_the_names_of_their_events(demo: PatchbayWindow) -> None:
    back_to_the_list(demo)
    demo.click(demo.see("push button", "New flow"))
    choose_event(demo, "every hour", "Scheduler, Every hour")
    add_step(demo, "run python", "Code, Run Python")
    demo.click(demo.see("push button", "Run now"))
    demo.see("label", re.compile("Started the draft.*"))

    show_executions(demo, "New flow")
    demo.click(demo.see("cell", re.compile("New flow.*"), within="Executions"))
    demo.wait(lambda tree: tree if len(steps(tree)) > 1 else None, "steps of the execution")

    names = [name.split(",")[0] for name in steps(demo.bus.tree())]
    titles = [name.split(". ")[-1] for name in names]
    assert (titles[0], titles[-1]) == ("Every hour", "Run Python")
    assert demo.complaints == []


def test_a_filter_shows_what_it_compared_in_an_execution(demo: PatchbayWindow) -> None:
    show_executions(demo, "Urgent ticket")
    rows = execution_rows(demo.bus.tree())
    filtered = next(cells for cells in rows if cells[0].name == "Filtered")
    demo.click(filtered[1])
    demo.see("list item", re.compile("2. Continue if.*, Filtered.*"), within="Steps")
    demo.rest()

    assert [text for text in labels(demo) if _tells_comparison(text)], labels(demo)
    assert demo.complaints == []


def _tells_comparison(text: str) -> bool:
    return (
        re.fullmatch("Conditions don't match. The run ends here.*equals “urgent”: no", text, re.DOTALL)
        is not None
    )


def test_a_filter_shows_what_it_compared_in_its_test(demo: PatchbayWindow) -> None:
    """The newest payout of the demo is a large or a small one, depending on the time of day."""
    open_flow(demo, "Stripe payouts → Google Sheets")
    select_step(demo, 2)
    demo.click(demo.see("push button", "Test"))
    demo.wait(_tested, "result of the test")
    demo.rest()

    goes_on = "Conditions match. The run continues.\n.*is greater than “5000”: yes"
    ends = "Conditions don't match. The run ends here.\n.*is greater than “5000”: no"
    assert [text for text in labels(demo) if re.fullmatch(f"{goes_on}|{ends}", text)], _data(demo)
    assert demo.complaints == []


def test_the_demo_says_that_its_apps_are_not_yours(demo: PatchbayWindow) -> None:
    demo.open_tab("My Apps")
    demo.see("list", "Apps")
    demo.rest()

    assert "These are sample connections" in labels(demo)


def test_the_demo_can_be_reset(demo: PatchbayWindow) -> None:
    back_to_the_list(demo)
    filter_flows(demo, "Review")
    delete_flow(demo, "Review reminder")
    demo.wait(lambda tree: None if _flows(tree) else tree, "empty list")

    demo.click(demo.see("push button", "Workspace: Demo"))
    demo.see("menu item", re.compile("Connect to a server.*"))
    demo.rest()
    assert "Reset demo…" in [item.name for item in demo.all("menu item")]
    demo.click(demo.see("menu item", "Reset demo…"))
    demo.click(demo.see_at_rest("push button", "Reset the demo"))

    assert flow_row(demo, "Review reminder")
    assert demo.complaints == []


def _flows(tree: Node) -> list[str]:
    lists = (node for node in tree.walk() if node.role == "list" and node.name == "Flows")
    return [item.name for top in lists for item in top.walk() if item.role == "list item"]


def _says_any(tree: Node, texts: set[str]) -> Node | None:
    return next((node for node in tree.walk() if node.name in texts), None)


def _tested(tree: Node) -> Node | None:
    results = ("Success, ", "Stopped by the filter, ")
    return next((node for node in tree.walk() if node.name.startswith(results)), None)


def _data(window: PatchbayWindow) -> list[str]:
    return [item.name for item in window.all("tree item")]


def test_an_execution_is_found_by_the_id_that_its_details_show(demo: PatchbayWindow) -> None:
    demo.open_tab("Executions")
    demo.see("label", re.compile("20,[0-9]{3} executions: .*"))  # the whole history is there
    demo.rest()
    demo.click(demo.see_at_rest("cell", re.compile("Changelog feed .*"), within="Executions"))
    facts = demo.see("label", re.compile(r".* · [0-9a-f]{8}-[0-9a-f]{4}")).name
    shown = facts.rsplit(" · ", 1)[1]

    demo.click(demo.see("text", "Filter executions"))
    demo.press("ctrl+a")
    demo.type(shown)

    demo.wait(lambda tree: tree if len(execution_rows(tree)) == 1 else None, f"only {shown}")
    assert demo.see("label", re.compile(f".* · {shown}"))
    assert demo.complaints == []


def test_help_in_the_editor_is_about_the_selected_step(demo: PatchbayWindow) -> None:
    open_flow(demo, "Review reminder")
    demo.rest()
    demo.press("F1")

    demo.wait(partial(_selected_page, within="Patchbay help"), "a page that is selected")
    page = _selected_page(demo.bus.tree(), within="Patchbay help")
    assert page is not None
    assert page.name in ("Variables", "Schedules and polling", "Conditions", "HTTP requests", "Webhooks")
    demo.press("ctrl+w")
    assert demo.complaints == []


def test_the_settings_show_where_data_is_and_the_log(demo: PatchbayWindow) -> None:
    demo.click(demo.see("push button", "Settings"))
    demo.click(demo.see_at_rest("list item", "Data", within="Settings"))
    demo.see("label", "Log and crash reports", within="Settings")
    demo.see("label", re.compile(r".*/logs"), within="Settings")

    demo.click(demo.see_at_rest("push button", "Show log", within="Settings"))
    demo.see("text", "Log", within="Log")
    demo.click(demo.see_at_rest("push button", "Copy all", within="Log"))
    demo.press("Escape", "Escape")
    demo.rest()
    assert demo.complaints == []


def _selected_page(tree: Node, within: str) -> Node | None:
    """The selected entry of the list of pages."""
    window = next((node for node in tree.walk() if node.name == within), None)
    entries = [node for node in window.walk() if node.role == "list item"] if window else []
    return next((entry for entry in entries if "selected" in entry.states), None)
