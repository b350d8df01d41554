"""The window while its own process runs many executions: it stays responsive."""

import json
import threading
from pathlib import Path

from pytestqt.qtbot import QtBot
from tests.support import flow_files as files
from tests.support import patient
from tests.support.forms import long_form
from tests.support.processes import program, run
from tests.support.stall import FROZEN_MS, StallMeter
from tests.support.window import open_window

from patchbay.desktop.core.navigation import Tab

pytestmark = long_form

PER_SECOND = 50


class Calls(threading.Thread):
    """Calls a webhook at a steady pace until told to end."""

    def __init__(self, hook: str) -> None:
        super().__init__()
        self._hook, self._end = hook, threading.Event()
        self.made = 0

    def run(self) -> None:
        with patient.Client() as http:
            while not self._end.wait(1 / PER_SECOND):
                http.post(self._hook, json={"customer": " Ada "}).raise_for_status()
                self.made += 1

    def end(self) -> None:
        self._end.set()
        self.join()


def test_with_fifty_executions_a_second_the_window_does_what_a_person_asks(qtbot: QtBot, tmp_path: Path):
    document = files.flow("Load", files.catch(), files.trimmed("{{step.#1.body.customer}}"))
    file = files.write(tmp_path / "flow.json", document)
    data = tmp_path / "data"
    [flow] = run(program("flow", "import", file, "--publish", "--json", data=data)).json
    with open_window(qtbot, data, "local") as window:
        window.wait(lambda: window.rows("Flows"))
        tab = window.tab(Tab.EXECUTIONS)
        address = json.loads((data / "service.json").read_text())["address"]
        calls = Calls(f"{address}/webhooks/flows/{flow['id']}")
        calls.start()
        try:
            window.wait(lambda: len(window.rows("Executions")) > 20)
            with StallMeter() as meter:
                tab.table.select_row(0)
                window.wait(lambda: tab.pane.execution is not None and not tab.pane.loading)
                window.tab(Tab.FLOWS)
                window.wait(lambda: window.rows("Flows"))
                window.tab(Tab.EXECUTIONS)
                window.wait(lambda: window.rows("Executions"))
            assert calls.is_alive()
        finally:
            calls.end()

    assert meter.longest_ms < FROZEN_MS
