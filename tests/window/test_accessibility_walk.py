"""The accessibility walk in full: every tab, the editor, and every dialog and page that a button leads to."""

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

pytestmark = [needs_a_desktop, pytest.mark.timeout(900), pytest.mark.acceptance]

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


@pytest.fixture(scope="module", params=["demo", "local"])
def walk(
    request: pytest.FixtureRequest, display: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Walk]:
    """A walk in the demo, and one on this computer with a flow that has every kind of field."""
    folder: Path = tmp_path_factory.mktemp(request.param)
    with workspace(request.param, display, folder) as start, ExitStack() as ends:
        if request.param == "local":
            file = files.write(folder / "every-field.json", every_field())
            done = run(program("flow", "import", file, data=folder / "filled"))
            assert done.code == 0, done.err
        window: PatchbayWindow = start(ends)
        yield Walk(window)


@pytest.fixture(autouse=True)
def _begin(walk: Walk) -> None:
    walk.leave(walk.home)
    walk.visited.clear()
    walk.problems.clear()


@pytest.mark.parametrize("tab", ["Flows", "Executions", "Folders", "Templates", "My Apps"])
def test_a_tab_and_what_its_buttons_lead_to(walk: Walk, tab: str) -> None:
    walk.tab(tab)
    walk.rows(tab)
    walk.buttons(tab)

    _assert_all_is_well(walk, at_least=3)


def test_every_page_of_the_settings_and_what_its_buttons_lead_to(walk: Walk) -> None:
    walk.settings()

    _assert_all_is_well(walk, at_least=10)


def test_every_flow_in_the_editor(walk: Walk) -> None:
    """Between them they have every kind of field, branches, and loops."""
    walk.editors(re.compile("Every field.*|Nightly.*"))

    _assert_all_is_well(walk, at_least=8)


def _assert_all_is_well(walk: Walk, at_least: int) -> None:
    visited = "\n".join(walk.visited)
    assert walk.problems == [], visited
    assert walk.window.complaints == []
    assert len(walk.visited) >= at_least, visited
