"""Two windows on one service: what one changes, the other shows by itself."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.support import flow_files as files
from tests.support import patient
from tests.support.forms import long_form
from tests.support.processes import Service, program, run
from tests.support.window import Window, open_window

from patchbay.bootstrap import window_controller
from patchbay.desktop.core.navigation import Tab
from patchbay.service.key_stores import MemoryKeyStore

pytestmark = long_form


@dataclass
class Pair:
    """A service and two windows on it, each with a data folder of its own."""

    service: Service
    flow: str
    left: Window
    right: Window

    def call(self) -> None:
        address = f"{self.service.address}/webhooks/flows/{self.flow}"
        patient.post(address, json={"customer": "Ada"}).raise_for_status()


@pytest.fixture
def pair(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pair]:
    monkeypatch.setattr(window_controller, "SystemKeyring", MemoryKeyStore)
    document = files.flow("Orders", files.catch(), files.trimmed("{{step.#1.body.customer}}"))
    file = files.write(tmp_path / "flow.json", document)
    data = tmp_path / "data"
    [flow] = run(program("flow", "import", file, "--publish", "--json", data=data)).json
    key = run(program("api-key", "create", "--json", data=data)).json["key"]
    with ExitStack() as stack:
        service = stack.enter_context(Service(data))
        windows = [
            stack.enter_context(open_window(qtbot, tmp_path / name, service.address, api_key=key))
            for name in ("left", "right")
        ]
        for window in windows:
            window.wait(rows_have(window, "Flows", "Orders"))
        yield Pair(service, flow["id"], *windows)


def folders_loaded(window: Window) -> Callable[[], bool]:
    return lambda: bool(window.tab(Tab.FOLDERS).folders.loaded)


def rows_have(window: Window, name: str, words: str) -> Callable[[], bool]:
    return lambda: any(words in row for row in window.rows(name))


def test_each_window_sees_what_the_other_did(pair: Pair):
    left, right = pair.left, pair.right
    for window in (left, right):
        window.tab(Tab.EXECUTIONS)
        window.tab(Tab.FOLDERS)
        window.wait(folders_loaded(window))
    flows, folders = left.tab(Tab.FLOWS).list_page, left.tab(Tab.FOLDERS).folders
    executions = right.tab(Tab.EXECUTIONS)
    right.wait(lambda: executions.runs.is_up_to_date)

    right.tab(Tab.FLOWS)
    flows.commands.rename(pair.flow, "Sales")
    right.wait(rows_have(right, "Flows", "Sales"))
    right.tab(Tab.FOLDERS)
    folders.create("Bills")
    right.wait(rows_have(right, "Folders", "Bills"))
    right.tab(Tab.EXECUTIONS)
    before = len(right.rows("Executions"))
    pair.call()
    right.wait(lambda: len(right.rows("Executions")) > before)
    assert len(right.rows("Executions")) == before + 1
    left.tab(Tab.FLOWS)
    back = right.tab(Tab.FLOWS).list_page
    back.commands.rename(pair.flow, "Invoices")
    left.wait(rows_have(left, "Flows", "Invoices"))
