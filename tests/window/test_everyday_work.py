"""What people do in their first hour, in the demo, by mouse and keyboard in the real program."""

import re

import pytest
from tests.window.accessible import Node
from tests.window.driver import PatchbayWindow, needs_a_desktop

pytestmark = [needs_a_desktop, pytest.mark.timeout(300)]


def test_a_flow_deleted_after_it_was_edited_can_be_brought_back(demo: PatchbayWindow) -> None:
    _edit_flow(demo, "Review reminder")
    demo.click(demo.see("push button", re.compile("Back to the list.*")))

    _delete_flow(demo, "Review reminder")
    _delete_flow(demo, "Mirror merge events")
    demo.click(demo.see_at_rest("push button", "Undo", within="“Review reminder” deleted"))

    assert _flow_row(demo, "Review reminder")
    demo.click(demo.see_at_rest("push button", "Undo", within="“Mirror merge events” deleted"))
    assert _flow_row(demo, "Mirror merge events")
    assert demo.complaints == []


def test_a_new_flow_is_made_by_typing_names_and_pressing_enter(demo: PatchbayWindow) -> None:
    """The cursor is in the search; the best name is highlighted; a select opens on its value."""
    demo.open_tab("Flows")
    demo.press("ctrl+n")
    search = demo.see("text", "Search apps and events")
    demo.wait(lambda tree: _focused(tree, "text", "Search apps and events"), "focused search")
    demo.wait(lambda tree: _current(tree, ".+"), "highlighted event")
    assert _current(demo.bus.tree(), ".+").place.y < search.place.y + 150  # type: ignore[union-attr]
    demo.type("webhook")
    demo.wait(lambda tree: _current(tree, "Webhook, Catch raw webhook.*"), "highlighted webhook")
    demo.press("Return")
    demo.see("list item", re.compile("1. Catch raw webhook.*"))

    demo.click(demo.see("push button", "Add step"))
    demo.wait(lambda tree: _focused(tree, "text", "Search apps and events"), "focused search")
    demo.type("custom request")
    demo.wait(lambda tree: _current(tree, "HTTP Request, Custom request.*"), "highlighted request")
    demo.press("Return")

    demo.wait(lambda tree: _focused(tree, None, "Method"), "focused method")
    for _ in range(2):  # first chosen by name, then kept by opening and pressing Enter
        demo.press("space")
        demo.see_at_rest("list item", "PATCH", within="Choices")
        if _ == 0:
            demo.press(*["Home", "Down", "Down", "Down", "Down"])
            while _current(demo.bus.tree(), "PATCH") is None:
                demo.press("Up")
        demo.wait(lambda tree: _current(tree, "PATCH"), "highlighted value")
        demo.press("Return")
    assert demo.complaints == []


def test_keys_work_wherever_the_focus_is_in_the_editor(demo: PatchbayWindow) -> None:
    """Follows the test before, in whose flow a request is selected and the focus is in its form."""
    demo.see("list item", re.compile("2. .*Custom request.*|3. .*Custom request.*"))
    steps = len(demo.all("list item", within="Steps"))
    demo.press("ctrl+d")
    demo.wait(lambda tree: _steps(tree, steps + 1), "copied step")
    demo.press("ctrl+z")
    demo.wait(lambda tree: _steps(tree, steps), "step undone")

    demo.click(demo.see("push button", "Rename: name of the flow"))
    demo.see("text", "Name of the flow")
    demo.type("Orders to the shop")
    demo.press("Return")
    demo.see("label", "Orders to the shop")
    demo.press("ctrl+z")
    demo.see("label", "Name your flow")

    demo.press("alt+Left")
    demo.see("list", "Flows")
    assert demo.complaints == []


@pytest.mark.acceptance
def test_a_retry_is_shown_at_once_and_counts_as_failure_no_more(demo: PatchbayWindow) -> None:
    demo.open_tab("Executions")
    demo.click(demo.see("push button", "Filter by Status", within="Executions"))
    demo.click(demo.see_at_rest("list item", "Failure", within="Choices"))
    demo.press("Escape")
    demo.see("push button", "Status: Failure", within="Executions")
    before = _failures(demo.bus.tree())
    demo.click(demo.see("cell", re.compile("Inventory check.*"), within="Executions"))
    demo.see("push button", "Retry from failed step")
    demo.press("ctrl+r")

    demo.see("label", "Retried")
    demo.wait(lambda tree: tree if _failures(tree) < before else None, f"fewer failures than {before}")
    demo.click(demo.see("push button", "Show"))
    demo.see("label", "Retry of")
    demo.click(demo.see("push button", "Clear", within="Executions"))
    demo.wait(lambda tree: _current_cell(tree, "Inventory check"), "selected row of the new run")
    assert demo.complaints == []


@pytest.mark.acceptance
def test_steps_of_executions_go_by_the_names_of_their_events(demo: PatchbayWindow) -> None:
    demo.open_tab("Flows")
    demo.press("ctrl+n")
    for event, step in (("every hour", "1. Every hour.*"), ("run python", ".*Run Python.*")):
        demo.wait(lambda tree: _focused(tree, "text", "Search apps and events"), "focused search")
        demo.type(event)
        demo.wait(lambda tree, event=event: _current(tree, f"(?i).*, {event}.*"), f"highlighted {event}")
        demo.press("Return")
        demo.see("list item", re.compile(step), within="Steps")
        if event == "every hour":
            demo.click(demo.see("push button", "Add step"))
    demo.click(demo.see("push button", "Run now"))
    demo.see("label", re.compile("The draft was started.*"))

    demo.open_tab("Executions")
    demo.click(demo.see("cell", re.compile("Name your flow.*"), within="Executions"))
    demo.see("list item", re.compile("\\d. Run Python, Not run"))
    demo.open_tab("Flows")
    demo.press("alt+Left")
    demo.see("list", "Flows")
    assert demo.complaints == []


@pytest.mark.acceptance
def test_a_filter_shows_what_it_compared(demo: PatchbayWindow) -> None:
    demo.open_tab("Executions")
    demo.click(demo.see("push button", re.compile("Filter by Status|Status: .*"), within="Executions"))
    demo.click(demo.see_at_rest("list item", "Filtered", within="Choices"))
    demo.press("Escape")
    demo.click(demo.see("cell", re.compile("Urgent ticket.*"), within="Executions"))
    demo.see("label", re.compile("No match, so the run ends here.*equals “urgent”: no", re.DOTALL))

    _edit_flow(demo, "Stripe payouts → Google Sheets")
    demo.click(demo.see("list item", re.compile("2. .*"), within="Steps"))
    demo.see("label", "Continue if conditions match")
    demo.press("ctrl+Return")
    told = "The conditions match, so the run goes on.\n.*is greater than “5000”: yes"
    demo.see("label", re.compile(told))
    demo.press("alt+Left")
    assert demo.complaints == []


@pytest.mark.acceptance
def test_the_demo_says_whose_its_apps_are_and_can_be_reset(demo: PatchbayWindow) -> None:
    demo.open_tab("My Apps")
    demo.see("label", "These apps and connections aren’t yours.")
    demo.open_tab("Flows")
    _delete_flow(demo, "Review reminder")

    demo.click(demo.see("push button", "Workspace: Demo"))
    demo.click(demo.see_at_rest("menu item", "Reset the demo…"))
    demo.click(demo.see_at_rest("push button", "Reset the demo"))

    assert _flow_row(demo, "Review reminder")
    assert demo.complaints == []


def _focused(tree: Node, role: str | None, name: str) -> Node | None:
    return next(
        (n for n in tree.walk() if "focused" in n.states and n.name == name and role in (None, n.role)), None
    )


def _current(tree: Node, name: str) -> Node | None:
    """The highlighted entry of a chooser."""
    lists = ("Apps and events", "Choices")
    entries = (item for top in tree.walk() if top.name in lists for item in top.walk())
    return next(
        (
            n
            for n in entries
            if n.role == "list item" and "selected" in n.states and re.fullmatch(name, n.name)
        ),
        None,
    )


def _steps(tree: Node, number: int) -> Node | None:
    steps = next((node for node in tree.walk() if node.role == "list" and node.name == "Steps"), None)
    return steps if steps is not None and len(steps.children) == number else None


def _failures(tree: Node) -> int:
    """The number in the status bar; 0 when it tells of none."""
    told = (re.fullmatch(r"(\d+) failures? today", node.name) for node in tree.walk())
    return next((int(found[1]) for found in told if found), 0)


def _current_cell(tree: Node, name: str) -> Node | None:
    cells = (node for node in tree.walk() if node.role == "cell" and "selected" in node.states)
    return next((cell for cell in cells if cell.name.startswith(name)), None)


def test_a_draft_that_ran_is_tested_and_a_new_name_does_not_change_that(demo: PatchbayWindow) -> None:
    _open_by_name(demo, "Welcome new subscribers")
    demo.see("label", "1 thing to finish")

    demo.click(demo.see("push button", "Run now"))
    demo.see("label", "Ready to publish")
    demo.click(demo.see("list item", re.compile(r"2\. Send email.*"), within="Steps"))
    demo.press("F2")
    demo.see("text", "Name of the step")
    demo.type("Greet them")
    demo.press("Return")
    demo.see("list item", re.compile(r"2\. Greet them.*"), within="Steps")
    demo.see("label", re.compile("Draft saved .*"))

    assert [node.name for node in demo.all("label") if node.name == "Ready to publish"]
    assert not [node.name for node in demo.all("label") if "before the last change" in node.name]
    assert demo.complaints == []


def test_the_test_of_one_step_does_not_read_as_a_run_of_all(demo: PatchbayWindow) -> None:
    _open_by_name(demo, "Welcome new subscribers")
    demo.click(demo.see("list item", re.compile(r"2\. .*"), within="Steps"))

    demo.open_tab("Executions")
    before = _tests_of(demo, "Welcome new subscribers")
    demo.open_tab("Flows")
    demo.click(demo.see("push button", "Test"))
    demo.open_tab("Executions")
    demo.wait(
        lambda tree: tree if _tests_of(demo, "Welcome new subscribers") > before else None, "further test"
    )
    demo.click(demo.see("cell", "Welcome new subscribers (test)", within="Executions"))

    assert demo.see("label", "Success, step 2 of 2 tested")
    assert demo.complaints == []


def _tests_of(window: PatchbayWindow, flow: str) -> int:
    return sum(cell.name == f"{flow} (test)" for cell in window.all("cell", within="Executions"))


def _open_by_name(window: PatchbayWindow, name: str) -> None:
    """Open the editor of a flow that the list may have out of sight."""
    window.press("ctrl+k")
    window.type(name)
    window.see("list item", re.compile(f"{re.escape(name)}.*"))
    window.press("Return")
    window.see("list", "Steps")


def _flow_row(window: PatchbayWindow, name: str) -> Node:
    return window.see("list item", re.compile(f"{re.escape(name)}\\. .*"), within="Flows")


def _edit_flow(window: PatchbayWindow, name: str) -> None:
    window.open_tab("Flows")
    window.click(_flow_row(window, name))
    window.press("Return")
    window.see("list", "Steps")


def _delete_flow(window: PatchbayWindow, name: str) -> None:
    window.click(_flow_row(window, name))
    window.press("Delete")
    window.click(window.see_at_rest("push button", "Delete flow"))
    window.see("push button", re.compile("Undo|Dismiss"), within=f"“{name}” deleted")
