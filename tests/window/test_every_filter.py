"""Each choice of each filter chip leaves exactly the rows of a direct query, by mouse and by keyboard."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.support.processes import Interface
from tests.window.accessible import Node
from tests.window.driver import PATIENCE, PatchbayWindow, needs_a_desktop
from tests.window.workspaces import served

pytestmark = [needs_a_desktop, pytest.mark.acceptance, pytest.mark.timeout(900)]

Row = dict[str, Any]
Holds = Callable[[Row, str], bool]
OTHER_APPS = 2
"""Apps that no flow uses, of which so many are picked: they leave no rows."""


def _has_app(flow: Row, choice: str) -> bool:
    return choice in flow["apps"]


def _status(flow: Row) -> str:
    return "Draft" if not flow["active"] else "Paused" if flow["pausedAt"] else "Published"


EXECUTION_CHIPS: dict[str, Holds] = {
    "Status": lambda run, choice: run["state"] == choice.lower(),
    "Flow": lambda run, choice: run["flow"]["name"] == choice,
    "Started": lambda run, choice: True,  # all of them ran a moment ago
    "App": lambda run, choice: _has_app(run["flow"], choice),
    "Test and live": lambda run, choice: run["testRun"] is (choice == "test"),
}
FLOW_CHIPS: dict[str, Holds] = {
    "Status": lambda flow, choice: _status(flow) == choice,
    "App": _has_app,
    "Last result": lambda flow, choice: flow["newest"] == choice.lower(),
}


@pytest.fixture(scope="module")
def shown(
    display: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[PatchbayWindow, Interface]]:
    folder: Path = tmp_path_factory.mktemp("filters")
    with ExitStack() as ends:
        service, key = served(ends, folder / "served")
        interface = Interface(service)
        ends.callback(interface.close)
        window = PatchbayWindow(
            display, folder / "data", "--workspace", service.address, "--api-key-stdin", stdin=key
        )
        ends.callback(window.close)
        yield window, interface


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
@pytest.mark.parametrize("chip", EXECUTION_CHIPS)
def test_executions(shown: tuple[PatchbayWindow, Interface], chip: str, by: str) -> None:
    window, interface = shown
    runs = interface.data("/v1/executions")
    _name_apps(interface, [run["flow"] for run in runs])

    def expected(choice: str) -> list[tuple[str, str]]:
        return sorted(
            (run["state"], run["flow"]["name"]) for run in runs if EXECUTION_CHIPS[chip](run, choice)
        )

    def rows(page: Node) -> list[tuple[str, str]]:
        lines: dict[int, list[str]] = {}
        for cell in page.walk():
            if cell.role == "cell":
                lines.setdefault(cell.place.y, []).append(cell.name)
        return sorted((names[0].lower(), names[1]) for names in lines.values())

    assert runs
    _pick_all(window, "Executions", chip, by, rows, expected)


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
@pytest.mark.parametrize("chip", FLOW_CHIPS)
def test_flows(shown: tuple[PatchbayWindow, Interface], chip: str, by: str) -> None:
    window, interface = shown
    runs = interface.data("/v1/executions")  # newest first
    flows = interface.data("/v1/flows")
    _name_apps(interface, flows)
    for flow in flows:
        flow["newest"] = next((run["state"] for run in runs if run["flowId"] == flow["id"]), None)

    def rows(page: Node) -> list[str]:
        lists = [node for node in page.walk() if node.role == "list" and node.name == "Flows"]
        return sorted(row.name.partition(".")[0] for row in lists[0].children) if lists else []

    _pick_all(
        window, "Flows", chip, by, rows,
        lambda choice: sorted(flow["name"] for flow in flows if FLOW_CHIPS[chip](flow, choice)),
    )  # fmt: skip


def _name_apps(interface: Interface, flows: list[Row]) -> None:
    names = {app["key"]: app["name"] for app in interface.data("/v1/apps")}
    for flow in flows:
        flow["apps"] = {names[step["appKey"]] for step in flow["steps"]}


def _pick_all(
    window: PatchbayWindow,
    tab: str,
    label: str,
    by: str,
    rows: Callable[[Node], list[Any]],
    expected: Callable[[str], list[Any]],
) -> None:
    window.open_tab(tab)
    window.rest()
    _open(window, tab, label)
    choices = [node.name for node in window.all("list item", within="Choices")]
    window.press("Escape")
    assert choices
    empty = 0
    for number, choice in enumerate(choices):
        empty += not expected(choice)
        if label == "App" and not expected(choice) and empty > OTHER_APPS:
            continue
        _open(window, tab, label)
        if by == "mouse":
            window.click(window.see_at_rest("list item", choice, within="Choices"))
        else:
            window.see_at_rest("list item", choice, within="Choices")
            searched = any(node.name == "Search" for node in window.all("text"))  # the first key leaves it
            window.press(*["Down"] * (number + searched), "space")
        window.see("push button", f"{label}: {choice}", within=tab)
        window.press("Escape")
        _wait_for(window, tab, rows, expected(choice), f"{tab}, {label}: {choice}")
        window.click(_chip(window, tab, label))
        window.press("Escape", "Delete")
        window.see("push button", f"Filter by {label}", within=tab)
    assert window.complaints == []


def _chip(window: PatchbayWindow, tab: str, label: str) -> Node:
    return window.see("push button", re.compile(f"Filter by {label}|{label}: .*"), within=tab)


def _open(window: PatchbayWindow, tab: str, label: str) -> None:
    window.click(_chip(window, tab, label))
    window.see("list", "Choices")
    window.rest()


def _wait_for(
    window: PatchbayWindow, tab: str, rows: Callable[[Node], list[Any]], wanted: list[Any], what: str
) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        page = next(node for node in window.bus.tree().walk() if node.role == "filler" and node.name == tab)
        if (seen := rows(page)) == wanted or time.monotonic() > end:
            break
        time.sleep(0.1)
    assert seen == wanted, what
