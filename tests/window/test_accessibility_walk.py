"""The accessibility walk in full: every tab, the editor, and every dialog and page that a button leads to."""

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support.processes import program, run
from tests.window.driver import needs_a_desktop
from tests.window.walk import TABS, Walk
from tests.window.workspaces import Start, workspace

pytestmark = [needs_a_desktop, pytest.mark.timeout(900), pytest.mark.acceptance]

PROGRAM = "return {'total': 2}"


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


@dataclass(frozen=True)
class Place:
    """What windows are opened on."""

    name: str
    start: Start
    known: set[str] = field(default_factory=set)
    """Dialogs, popups and menus that an earlier walk has looked at here."""


@pytest.fixture(scope="module", params=["demo", "local", "recorded"])
def place(
    request: pytest.FixtureRequest, display: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """The demo, this computer with a flow that has every kind of field, and a service that can do less."""
    folder: Path = tmp_path_factory.mktemp(request.param)
    with workspace(request.param, display, folder) as start:
        if request.param == "local":
            file = files.write(folder / "every-field.json", every_field())
            done = run(program("flow", "import", file, data=folder / "filled"))
            assert done.code == 0, done.err
        yield Place(request.param, start)


@pytest.fixture
def walk(place: Place, request: pytest.FixtureRequest) -> Iterator[Walk]:
    """A walk through a window of its own, which is noted in the report."""
    began = time.monotonic()
    with ExitStack() as ends:
        walk = Walk(place.start(ends), known=place.known)
        yield walk
    title = request.node.callspec.params.get("tab") or request.function.__name__.removeprefix("test_the_")
    walk.tally.save(f"{place.name}, {title}", time.monotonic() - began)


@pytest.mark.parametrize("tab", TABS)
def test_a_tab_and_what_its_buttons_lead_to(walk: Walk, tab: str) -> None:
    walk.tab(tab)
    walk.rows(tab)
    walk.buttons(tab)

    _assert_all_is_well(walk, at_least=1)


def test_the_outcomes(walk: Walk) -> None:
    """Executions that ended well or not: each can be run again."""
    walk.window.open_tab("Executions")
    walk.window.rest(3)
    walk.outcomes("Failure", "Success")

    _assert_all_is_well(walk, at_least=2)


def test_the_settings(walk: Walk) -> None:
    walk.settings()

    _assert_all_is_well(walk, at_least=10)


def test_the_editor(walk: Walk) -> None:
    """Between them the flows have every kind of field, branches, and loops."""
    walk.editors(re.compile("Every field.*|Nightly.*|New GitHub issue.*|Harbour news.*"))

    _assert_all_is_well(walk, at_least=2)


def _assert_all_is_well(walk: Walk, at_least: int) -> None:
    assert not walk.problems, "\n".join(walk.problems)
    assert walk.window.complaints == []
    assert len(walk.tally.places) >= at_least, "\n".join(walk.tally.places)
