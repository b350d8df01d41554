"""The commonest things people do, one after the other in one window: this computer, a server, and the demo.

Connect, build, test, publish, see it run, find what failed lately, open it, retry, compare, export, import,
invite, switch the workspace. Picking each choice of each filter has a file of its own.
"""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.support import flow_files as files
from tests.support.forms import in_forms, long_form
from tests.support.processes import Interface, Service
from tests.support.tiny_service import Elsewhere, TinyService
from tests.window.accessible import Node
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.lookup import (
    back_to_the_list,
    choose_event,
    close_popups,
    delete_flow,
    enter_file,
    execution_rows,
    filter_flows,
    find,
    flow_row,
    open_flow,
    open_select,
    saying,
    select_step,
    steps,
)
from tests.window.workspaces import OURS, passphrase_file

pytestmark = [needs_a_desktop, pytest.mark.timeout(900)]

FLOW = "Bestände von Köln → Zürich, every morning at seven, for Ms Åsa Öberg and her colleagues"
CONNECTION = "Watch of Köln (long name, with “quotes” & ampersand)"
REASON = re.compile(".*returned “No such shelf” \\(404\\)\\.")


@dataclass
class Scene:
    """A window on a workspace, and the shop that its flows call."""

    name: str
    window: PatchbayWindow
    shop: TinyService
    folder: Path
    answers: list[tuple[int, Any]] = field(default_factory=list)
    """What the shop answers next; then, that all is well."""
    address: str = ""
    key: str = ""
    """An API key of the server at this address; both are empty elsewhere."""

    @property
    def stock(self) -> str:
        """Where the flow asks for the stock; the demo only answers for the services of its own flows."""
        return "https://stock.example.org/api/stock" if self.name == "demo" else f"{self.shop.address}/stock"

    def answer(self, method: str, target: str) -> tuple[int, Any]:
        return self.answers.pop(0) if self.answers else (200, {"version": "0.50.1", "shelf": 7})


@pytest.fixture(scope="module", params=in_forms(OURS, short=["local"]))
def scene(
    request: pytest.FixtureRequest, display: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    folder: Path = tmp_path_factory.mktemp(request.param)
    with ExitStack() as ends:
        shop = TinyService()
        ends.enter_context(Elsewhere()).start(shop)
        arguments = ["--workspace", request.param]
        address = ""
        key = ""
        vault = ["--passphrase-file", str(passphrase_file(folder / "passphrase"))]
        if request.param == "local":
            arguments += vault
        elif request.param == "server":
            service = ends.enter_context(Service(folder / "served", *vault))
            interface = Interface(service, *vault)
            ends.callback(interface.close)
            address, key = service.address, interface.key
            arguments = [*vault, "--workspace", address, "--api-key-stdin"]
        window = PatchbayWindow(display, folder / "data", *arguments, stdin=key)
        ends.callback(window.close)
        made = Scene(request.param, window, shop, folder, address=address, key=key)
        shop.answers = made.answer
        yield made


@pytest.fixture(autouse=True)
def _closed_popups(scene: Scene) -> Iterator[None]:
    yield
    close_popups(scene.window)


def not_in(*names: str) -> pytest.MarkDecorator:
    kept = [name for name in OURS if name not in names]
    short = [name for name in kept if name == "local"]
    return pytest.mark.parametrize("scene", in_forms(kept, short=short), indirect=True)


# Connect


@long_form
@not_in("demo")
def test_a_connection_is_made_tested_refused_and_made_good(scene: Scene) -> None:
    window = scene.window
    window.open_tab("My Apps")
    window.click(window.see_at_rest("list item", re.compile("Changedetection, .*"), within="Apps"))
    window.click(window.see_at_rest("push button", "Add connection"))
    window.see_at_rest("text", "Screen name", within="Connect Changedetection")
    _fill_in(window, CONNECTION, scene.shop.address, "an API key of mine")
    scene.answers = [(403, {"message": "Forbidden"})]
    window.click(window.see("push button", "Test and save"))
    window.see("push button", "Test and save")
    window.wait(lambda tree: saying(tree, "403"), "refusal in words")
    window.click(window.see("push button", "Test and save"))
    window.see("label", CONNECTION)
    window.see("label", re.compile("Today .*, succeeded"))

    scene.answers = [(401, {"message": "This key was withdrawn"})]
    window.click(window.see("push button", f"Test {CONNECTION}"))
    window.see("push button", f"Reconnect {CONNECTION}")
    window.see("list item", re.compile("Changedetection, 1 connection, .*rejected.*"), within="Apps")
    window.click(window.see_at_rest("push button", f"Reconnect {CONNECTION}"))
    window.click(window.see_at_rest("text", "API Key"))
    window.press("ctrl+a")
    window.type("another key")
    window.click(window.see("push button", re.compile("Test and save|Reconnect")))

    window.see("push button", f"Test {CONNECTION}")
    assert window.see("list item", "Changedetection, 1 connection, Valid", within="Apps")
    assert window.complaints == []


# Build, test, publish


def test_a_flow_is_built_tested_published_and_seen_running(scene: Scene) -> None:
    window = scene.window
    window.open_tab("Flows")
    window.press("ctrl+n")
    choose_event(window, "every day", "Scheduler, Every day")
    open_select(window, "Time")
    window.click(window.see_at_rest("list item", "07:00", within="Choices"))
    select_step(window, 2)
    choose_event(window, "custom request", "HTTP Request, Custom request")
    window.click(window.see("text", "URL"))
    window.type(scene.stock)
    window.click(window.see("push button", "Rename: flow name"))
    window.see("text", "Flow name")
    window.press("ctrl+a")
    window.paste(FLOW)
    window.press("Return")
    window.see("label", FLOW)
    for position in (1, 2):
        select_step(window, position)
        window.click(window.see("push button", "Test"))
        window.see("label", re.compile("Success, .*"))
    window.see("label", "Ready to publish")
    window.press("ctrl+shift+p")
    window.see("label", f"Published “{FLOW}” as version 1")
    if scene.name != "demo":  # whose other flows may be due before; today has no weekday
        window.see("push button", re.compile(f"Next run (.* )?07:00, {re.escape(FLOW)}"))

    window.click(window.see("push button", "Run now"))
    window.see("label", "Started version 1. See the result in Executions.")
    window.open_tab("Executions")

    _look_for(window, FLOW, ["Success", "Success", "Success"])
    window.click(_first_cell(window, FLOW))
    window.see("label", "Success, all 2 steps")
    assert [name.split(", ")[0] for name in steps(window.bus.tree())] == [
        "1. Every day",
        "2. Custom request",
    ]
    assert window.complaints == []


# What failed, and why


def test_a_failure_of_the_last_days_is_found_understood_retried_and_compared(scene: Scene) -> None:
    """In the demo, whose requests go nowhere, one of its own failures."""
    window = scene.window
    if scene.name != "demo":
        open_flow(window, FLOW)
        scene.answers = [(404, {"message": "No such shelf"})]
        window.click(window.see("push button", "Run now"))
    window.open_tab("Executions")
    if scene.name != "demo":
        _look_for(window, FLOW, ["Failure", "Success", "Success", "Success"])
    else:
        window.click(window.see("push button", "Clear", within="Executions"))
    _choose(window, "Status", "Failure")
    _choose(window, "Started", "last 7 days")
    window.wait(lambda tree: tree if _states(tree) == {"Failure"} else None, "failures alone")

    failed = execution_rows(window.bus.tree())[0]
    reason = failed[-1].name
    assert scene.name == "demo" or REASON.fullmatch(reason), reason
    window.click(failed[1])
    window.see("label", re.compile("Failure at step . of ."))
    window.see("label", reason.removesuffix("."))  # titles have no full stop
    window.press("ctrl+r")
    window.click(window.see_at_rest("push button", "Show"))
    window.see("label", "Retry of")
    if scene.name != "demo":  # where a key that isn't accepted stays so
        window.see("label", "Success, all 2 steps")
        window.see("tree item", re.compile("data.*"))
    window.click(window.see_at_rest("push button", re.compile("Open the execution of .*, Failure")))

    window.see("label", re.compile("Failure at step . of ."))
    window.see("label", "Retried")
    window.see("label", reason.removesuffix("."))  # titles have no full stop
    assert window.see("push button", re.compile("Open the execution of .*"))
    window.click(window.see("push button", "Clear", within="Executions"))
    assert window.complaints == []


@long_form
def test_a_deleted_flow_is_brought_back(scene: Scene) -> None:
    window = scene.window
    back_to_the_list(window)
    filter_flows(window, FLOW)

    delete_flow(window, FLOW)
    window.wait(lambda tree: None if _rows(tree, FLOW) else tree, "list without the flow")
    window.click(window.see_at_rest("push button", "Undo", within=f"“{FLOW}” deleted"))

    assert flow_row(window, FLOW)
    assert window.complaints == []


# Files


@long_form
def test_flows_go_to_a_file_and_come_back_from_it(scene: Scene) -> None:
    window, file = scene.window, scene.folder / "Köln und Zürich.json"
    back_to_the_list(window)
    filter_flows(window, FLOW)
    window.click(flow_row(window, FLOW))
    window.click(window.see_at_rest("push button", "Export…"))
    enter_file(window, file)
    window.see("label", f"1 flow saved to {file.name}")
    exported = json.loads(file.read_text("utf-8"))

    window.click(window.see("push button", "Import…"))
    enter_file(window, file)
    window.see("label", "1. Every day, Scheduler")
    window.click(window.see_at_rest("push button", "Import"))
    window.see("label", "1 flow imported as a draft")
    back_to_the_list(window)
    filter_flows(window, FLOW)
    window.wait(lambda tree: tree if len(_rows(tree, FLOW)) == 2 else None, "the flow twice")

    window.click(window.see("push button", "Import…"))
    enter_file(window, file)
    window.wait(lambda tree: saying(tree, "Already imported"), "word of the first import")
    window.press("Escape")
    assert exported["name"] == FLOW
    assert window.complaints == []


@long_form
def test_a_file_with_a_wrong_flow_says_which_and_imports_the_others_only_on_request(scene: Scene) -> None:
    window = scene.window
    good = files.flow("Good one", files.catch(), files.trimmed("a"))
    file = files.write(scene.folder / "three.json", [good, {"name": "No steps at all"}, files.flow("Empty")])
    back_to_the_list(window)
    window.click(window.see("push button", "Import…"))
    enter_file(window, file)

    window.wait(lambda tree: saying(tree, "This isn't an exported flow: it has no steps."), "first reason")
    window.wait(lambda tree: saying(tree, "The flow has no steps."), "second reason")
    assert find(window.bus.tree(), ("check box",), "Good one")
    window.press("Escape")
    window.rest()
    filter_flows(window, "Good one")
    assert not _rows(window.bus.tree(), "Good one")
    assert window.complaints == []


@long_form
@not_in("demo")
def test_an_imported_flow_whose_calls_were_signed_asks_for_its_secret(scene: Scene) -> None:
    window, name = scene.window, "Orders of Zürich"
    flow = files.flow(name, files.catch(), files.trimmed("a"))
    flow["steps"][0] |= {"webhookPath": f"/webhooks/flows/{flow['id']}", "connectionRequired": True}
    back_to_the_list(window)
    window.click(window.see("push button", "Import…"))
    enter_file(window, files.write(scene.folder / "signed.json", flow))
    window.see(
        "label", "Its webhook only accepts signed requests. After the import, choose a signing secret."
    )
    window.click(window.see_at_rest("push button", "Import"))
    window.see("label", "1 flow imported as a draft")

    open_flow(window, name)
    window.press("ctrl+shift+p")

    window.wait(lambda tree: saying(tree, "only accepts signed requests"), "what is missing")
    assert window.see("push button", "Publish")
    assert window.complaints == []


# People, workspaces


@not_in("local", "demo")
def test_a_person_is_invited(scene: Scene) -> None:
    window = scene.window
    window.click(window.see("push button", "Settings"))
    window.click(window.see_at_rest("list item", re.compile("People.*")))
    window.click(window.see_at_rest("push button", re.compile("Invite.*")))
    window.click(window.see_at_rest("text", re.compile("(Full )?[Nn]ame")))
    window.paste("Åsa Öberg")
    window.press("Tab")
    window.type("asa@example.org")
    window.press("Return")

    window.wait(lambda tree: saying(tree, "asa@example.org"), "the invitation")
    window.press("Escape", "Escape")
    assert window.complaints == []


@long_form
def test_the_workspace_is_switched_and_switched_back(scene: Scene) -> None:
    """The last test of the file, because it goes on in another place."""
    window = scene.window
    here = window.see("push button", re.compile("Workspace: .*")).name.removeprefix("Workspace: ")
    _choose_workspace(window, elsewhere := "This computer" if scene.name == "demo" else "Demo")
    if scene.name == "local":  # where flows are published
        window.click(window.see_at_rest("push button", "Switch and stop flows"))
    _see_workspace(window, elsewhere)
    if scene.name == "server":
        _choose_workspace(window, "Connect to a server…")
        window.see_at_rest("text", "Address")
        _fill_in(window, scene.address, scene.key)
        window.click(window.see("push button", "Connect"))
        window.see("push button", f"Workspace: {here}")
    else:
        _choose_workspace(window, here)
        _see_workspace(window, here)

    back_to_the_list(window)
    filter_flows(window, FLOW)
    assert scene.name == "demo" or flow_row(window, FLOW), "the demo begins again each time"
    assert window.complaints == []


def _choose_workspace(window: PatchbayWindow, words: str) -> None:
    window.click(window.see_at_rest("push button", re.compile("Workspace: .*")))
    window.click(window.see_at_rest("menu item", re.compile(f"{re.escape(words)}.*")))


def _see_workspace(window: PatchbayWindow, name: str) -> None:
    window.see("push button", f"Workspace: {name}")
    window.rest()


def _fill_in(window: PatchbayWindow, *values: str) -> None:
    """One field after the other, from the one that has the focus."""
    for value in values:
        window.press("ctrl+a")
        window.paste(value)
        window.press("Tab")


def _choose(window: PatchbayWindow, chip: str, choice: str) -> None:
    window.click(window.see("push button", re.compile(f"Filter by {chip}|{chip}: .*"), within="Executions"))
    window.click(window.see_at_rest("list item", choice, within="Choices"))
    window.press("Escape")
    window.rest()


def _look_for(window: PatchbayWindow, flow: str, states: list[str]) -> None:
    """Filter the executions by a flow, and wait until these states are shown, newest first."""
    window.click(window.see("text", "Filter executions"))
    window.press("ctrl+a")
    window.paste(flow)

    def shown(tree: Node) -> Node | None:
        rows = execution_rows(tree)
        return tree if [cells[0].name for cells in rows] == states else None

    window.wait(shown, f"executions with {states}")


def _states(tree: Node) -> set[str]:
    return {cells[0].name for cells in execution_rows(tree)}


def _first_cell(window: PatchbayWindow, flow: str) -> Node:
    return next(cells[1] for cells in execution_rows(window.bus.tree()) if cells[1].name.startswith(flow))


def _rows(tree: Node, name: str) -> list[Node]:
    return [n for n in tree.walk() if n.role == "list item" and n.name.startswith(f"{name}. ")]
