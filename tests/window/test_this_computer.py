"""This computer with `patchbay serve` beside the window: retries, refusals, and who runs the flows."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support.processes import Service, program, run
from tests.support.tiny_service import Elsewhere, TinyService
from tests.window.accessible import Node
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.lookup import execution_rows, open_flow, show_executions
from tests.window.workspaces import passphrase_file

pytestmark = [needs_a_desktop, pytest.mark.timeout(300), pytest.mark.acceptance]

REASON = re.compile(".*127\\.0\\.0\\.1.*")
ATTACHED = re.compile(r"127\.0\.0\.1:\d+, online")
NEXT_RUN = re.compile("Next run .*")
TAKEN_OVER = "Flows now run in this window, because the program that ran them has stopped."


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return ["--passphrase-file", str(passphrase_file(tmp_path_factory.mktemp("vault") / "passphrase"))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("here")
    return made


@pytest.fixture(scope="module")
def service(folder: Path, vault: list[str]) -> Iterator[Service]:
    """`patchbay serve` on the folder, which can be stopped and started again."""
    made = Service(folder / "data", *vault).start()
    try:
        yield made
    finally:
        made.process.stop()


@pytest.fixture(scope="module")
def here(
    display: dict[str, str], folder: Path, vault: list[str], service: Service
) -> Iterator[PatchbayWindow]:
    """A window on the folder, attached to the service."""
    with closing(_open_window(display, folder, vault)) as window:
        yield window


def _open_window(display: dict[str, str], folder: Path, vault: list[str], *more: str) -> PatchbayWindow:
    words = ("--workspace", "local", *vault, *more)
    return PatchbayWindow(display, folder / "data", *words)


def test_the_first_screen_suggests_what_to_do(here: PatchbayWindow) -> None:
    """Build a flow, choose a template, or connect an app."""
    here.see("label", "No flows yet")

    for suggestion in ("New flow", "Choose a template", "Connect an app"):
        assert here.see("push button", suggestion)


def test_show_after_a_retry_selects_the_new_run(here: PatchbayWindow) -> None:
    with _shop_that_refuses_once() as address:
        _run_and_retry(here, "Count the stock", address)
        here.click(here.see("push button", "Show"))
        here.see("label", "Retry of")
        here.rest(3)

        assert _selected(here) == ["Success"]

    assert here.complaints == []


def test_a_retried_run_says_so_at_once_and_counts_as_failure_no_more(here: PatchbayWindow) -> None:
    with _shop_that_refuses_once() as address:
        _run_and_retry(here, "Order what is missing", address)
        here.see("label", "Retried")
        here.wait(lambda tree: None if _failures(tree) else tree, "status bar without the retried failure")

    assert here.complaints == []


def test_a_refused_connection_shows_its_reason_in_view_with_the_focus(here: PatchbayWindow) -> None:
    here.open_tab("My Apps")
    here.click(here.see("text", "Filter apps"))
    here.type("PostgreSQL")
    here.click(here.see_at_rest("list item", re.compile("PostgreSQL, .*"), within="Apps"))
    here.see("label", "PostgreSQL")
    here.click(here.see("push button", "Add connection"))
    dialog = "Connect PostgreSQL"
    here.see_at_rest("text", "Host", within=dialog)
    here.click(here.see("text", "Screen name", within=dialog))
    for value in ("x", "127.0.0.1", "9", "No", "x", "x", "x"):
        here.press("ctrl+a")
        here.type(value)
        here.press("Tab")

    here.click(here.see("push button", "Test and save", within=dialog))

    here.see("push button", "Test and save", within=dialog)
    form = here.see("filler", "Form", within=dialog)
    shown = here.wait(_reason, "reason in view")
    assert form.place.holds(shown.place), (form.place, shown.place)
    here.wait(_focused_message, "focused message")
    here.press("Escape")
    here.click(here.see_at_rest("push button", "Discard"))
    assert here.complaints == []


def test_a_window_takes_over_from_its_service_and_hands_the_engine_back(
    here: PatchbayWindow, service: Service
) -> None:
    _import_published(here, files.flow("Tidy up", files.every_night(), files.trimmed(" x ")))
    here.see("push button", ATTACHED)
    here.see("push button", NEXT_RUN)

    service.process.stop()
    here.see("label", TAKEN_OVER)
    here.see("push button", "Engine running")
    assert here.see("push button", NEXT_RUN)

    service.start()
    here.see("push button", ATTACHED)
    assert here.see("push button", NEXT_RUN)

    service.process.stop()
    here.see("push button", "Engine running")
    assert here.complaints == []


def test_the_second_window_runs_the_flows_when_the_first_closes(
    here: PatchbayWindow, display: dict[str, str], folder: Path, vault: list[str]
) -> None:
    """The last test of the file: it ends `here`, which runs the engine since the one before."""
    _import_published(here, files.flow("Trim a text", files.every_night(), files.trimmed(" x ")))
    with closing(_open_window(display, folder, vault, "--new-window")) as second:
        second.see("push button", ATTACHED)

        here.close()

        second.see("push button", "Engine running")
        open_flow(second, "Trim a text")
        second.click(second.see("push button", "Run now"))
        show_executions(second, "Trim a text")
        assert second.see("cell", "Success", within="Executions")
        assert second.complaints == []


def _status(tree: Node, name: re.Pattern[str]) -> Node | None:
    """A part of the status bar."""
    return next((n for n in tree.walk() if n.role == "push button" and name.fullmatch(n.name)), None)


@contextmanager
def _shop_that_refuses_once() -> Iterator[str]:
    """The address of a service whose first answer is 404."""
    refusals = iter([(404, {"message": "No such shelf"})])
    shop = TinyService(answers=lambda method, target: next(refusals, (200, {})))
    with Elsewhere() as elsewhere:
        elsewhere.start(shop)
        yield shop.address


def _import_published(window: PatchbayWindow, flow: files.Document) -> None:
    file = files.write(window.data.with_name("flow.json"), flow)
    imported = run(program("flow", "import", file, "--publish", data=window.data))
    assert imported.code == 0, imported.err


def _run_and_retry(window: PatchbayWindow, name: str, address: str) -> None:
    """Publish a flow, run it, look at its failure, and retry it."""
    asking = files.step("http-request", "customRequest", method="POST", url=f"{address}/stock")
    _import_published(window, files.flow(name, files.every_night(), asking))
    open_flow(window, name)
    window.click(window.see("push button", "Run now"))
    window.wait(_failures, "failure in the status bar")
    show_executions(window, name)
    window.click(window.see("cell", name, within="Executions"))
    window.see("push button", "Retry from failed step")
    window.press("ctrl+r")
    window.see("push button", "Show")


def _failures(tree: Node) -> Node | None:
    """What the status bar tells of failures."""
    return next((node for node in tree.walk() if re.fullmatch(r"\d+ failures? today", node.name)), None)


def _selected(window: PatchbayWindow) -> list[str]:
    """The states of the selected executions."""
    rows = execution_rows(window.bus.tree())
    return [cells[0].name for cells in rows if "selected" in cells[0].states]


def _reason(tree: Node) -> Node | None:
    """What tells why the connection was refused, where it can be seen."""
    told = (n for n in tree.walk() if REASON.fullmatch(n.name) and n.role not in ("text", "push button"))
    return next(told, None)


def _focused_message(tree: Node) -> Node | None:
    """What tells why the connection was refused, if it has the focus."""
    return next((n for n in tree.walk() if "focused" in n.states and REASON.fullmatch(n.name)), None)
