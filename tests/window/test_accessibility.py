"""The accessibility walk: everything that takes the focus can be told, and Tab follows the reading order."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support.processes import program, run
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.walk import Walk
from tests.window.workspaces import workspace

pytestmark = [needs_a_desktop, pytest.mark.timeout(900)]

TABS = ("Flows", "Executions", "Folders", "Templates", "My Apps")
PROGRAM = "return {'total': 2}"
HEADERS = {"X-One": "1", "X-Two": "2"}


def every_field() -> files.Document:
    """A flow with each kind of field: text, several lines, values, choices, rows, code, conditions."""
    return files.flow(
        "Every field",
        files.catch(),
        files.trimmed("{{step.#1.body.customer}}"),
        files.only_if("{{step.#1.body.total}}", "greater_than", "10"),
        files.request(
            "POST", "https://example.org/", '{"a": "{{step.#2.output}}"}', {"X-One": "1", "X-Two": "2"}
        ),
        files.step("code", "runPython", inputs=[{"key": "total", "value": "1"}], codeSnippet=PROGRAM),
        files.step("delay", "delayFor", delayForUnit="minutes", delayForValue="1"),
        files.step("smtp", "sendEmail", subject="Hello", body="Several\nlines"),
        files.respond(200, "ok"),
    )


@pytest.fixture(scope="module")
def here(display: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[PatchbayWindow]:
    """A window on this computer, with a flow that has every kind of field."""
    folder: Path = tmp_path_factory.mktemp("here")
    with workspace("local", display, folder) as start, ExitStack() as ends:
        file = files.write(folder / "every-field.json", every_field())
        done = run(program("flow", "import", file, data=folder / "filled"))
        assert done.code == 0, done.err
        yield start(ends)


def test_the_controls_of_a_tab_and_of_the_settings_are_told_and_in_order(demo: PatchbayWindow) -> None:
    walk = Walk(demo)

    walk.tab("My Apps")
    walk.settings(buttons=False)

    assert walk.problems == []
    assert demo.complaints == []


def test_the_fields_of_a_connection_are_told_and_in_order(demo: PatchbayWindow) -> None:
    walk = Walk(demo)
    demo.open_tab("My Apps")

    demo.click(demo.see_at_rest("push button", "Add connection"))
    demo.see_at_rest("push button", "Cancel")
    walk.look("Add connection")
    walk.leave(walk.home)

    assert walk.problems == []


def test_what_is_chosen_is_told_beside_the_name(demo: PatchbayWindow) -> None:
    demo.open_tab("My Apps")
    assert "selected" in demo.see("page tab", re.compile("Connections, .*")).states
    assert "selected" not in demo.see("page tab", re.compile("Flows, .*")).states
    assert demo.see("push button", "Filter by Category").description == "Any"
    demo.click(demo.see("push button", "Settings"))
    colours = demo.see("combo box", "Colours", within="Settings")
    assert colours.description.startswith("As the system")
    demo.press("Escape")


@pytest.mark.acceptance
@pytest.mark.parametrize("name", ["demo", "here"])
def test_every_tab_and_what_its_buttons_lead_to(name: str, request: pytest.FixtureRequest) -> None:
    window: PatchbayWindow = request.getfixturevalue(name)
    walk = Walk(window)

    for tab in TABS:
        walk.tab(tab)
        walk.rows(tab)
        walk.buttons(tab)

    _assert_all_is_well(walk, at_least=len(TABS) + 10)


@pytest.mark.acceptance
@pytest.mark.parametrize("name", ["demo", "here"])
def test_every_page_of_the_settings_and_what_its_buttons_lead_to(
    name: str, request: pytest.FixtureRequest
) -> None:
    window: PatchbayWindow = request.getfixturevalue(name)
    walk = Walk(window)

    walk.settings()

    _assert_all_is_well(walk, at_least=10)


@pytest.mark.acceptance
def test_every_kind_of_field_in_the_editor(here: PatchbayWindow) -> None:
    walk = Walk(here)

    walk.editor(re.compile("Every field.*"))

    _assert_all_is_well(walk, at_least=8)


@pytest.mark.acceptance
def test_branches_and_loops_in_the_editor(demo: PatchbayWindow) -> None:
    walk = Walk(demo)

    walk.editor(re.compile("Nightly backup check.*"))

    _assert_all_is_well(walk, at_least=6)


def _assert_all_is_well(walk: Walk, at_least: int) -> None:
    visited = "\n".join(walk.visited)
    assert walk.problems == [], visited
    assert walk.window.complaints == []
    assert len(walk.visited) >= at_least, visited
