"""The window while its own process runs many executions: nothing holds up its thread."""

import itertools
import json
import threading
from pathlib import Path

from pytestqt.qtbot import QtBot
from tests.support import flow_files as files
from tests.support import patient
from tests.support.processes import program, run
from tests.support.stall import StallMeter
from tests.support.window import open_window

from patchbay.desktop.state.navigation import Tab

PER_SECOND = 50
ROUND_MS = 1_500
ROUNDS = 5
LONGEST_MS = 50


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


def test_fifty_executions_a_second_never_hold_the_window_up_for_50_ms(qtbot: QtBot, tmp_path: Path):
    """A stall of the program's own making is in every round; one of the machine's is not in all of them."""
    document = files.flow("Load", files.catch(), files.trimmed("{{step.#1.body.customer}}"))
    file = files.write(tmp_path / "flow.json", document)
    data = tmp_path / "data"
    [flow] = run(program("flow", "import", file, "--publish", "--json", data=data)).json
    with open_window(qtbot, data, "local") as window:
        window.wait(lambda: window.rows("Flows"))
        window.tab(Tab.EXECUTIONS)
        address = json.loads((data / "service.json").read_text())["address"]
        calls = Calls(f"{address}/webhooks/flows/{flow['id']}")
        calls.start()
        try:
            window.wait(lambda: len(window.rows("Executions")) > 20)
            stalls = list(itertools.takewhile(lambda stall: stall >= LONGEST_MS, rounds(qtbot)))
        finally:
            calls.end()

    assert len(stalls) < ROUNDS, f"held up in every round: {stalls}"
    assert calls.made > 20


def rounds(qtbot: QtBot):
    """The longest hold-up of each round, in milliseconds."""
    for _ in range(ROUNDS):
        with StallMeter() as meter:
            qtbot.wait(ROUND_MS)
        yield meter.longest_ms
