"""Run control in the window over the real workspace: retry, run again with other data, pause and resume."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QPlainTextEdit
from pytestqt.qtbot import QtBot
from tests.support import flow_files as files
from tests.support import patient
from tests.support.counterparty import Counterparty
from tests.support.forms import long_form
from tests.support.processes import program, run
from tests.support.stall import FROZEN_MS, StallMeter
from tests.support.window import Window, open_window

from patchbay.desktop.core.execution_labels import row_name
from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.executions.tab import ExecutionsTab


def looped() -> files.Document:
    """Webhook → for each order: trim its name."""
    each = {"structuralType": "each", "parameters": {"list": "{{step.#1.body.orders}}"}}
    inside = {**files.trimmed("{{step.#2.item.name}}"), "parentStepId": files.an_id("Loop/2")}
    return files.flow("Loop", files.catch(), each, inside)


def unfold(window: Window, tab: ExecutionsTab) -> float:
    """Open the run and its loop; the longest time in milliseconds that the window was held up."""
    with StallMeter() as meter:
        tab.table.select_row(0)
        window.wait(lambda: len(tab.pane.rows) > 1 and tab.pane.rows[1].note == "1,000 items")
        tab.pane.toggle(1)
        window.wait(lambda: len(tab.pane.rows) == 1002)
    return meter.longest_ms


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, party: Counterparty) -> Iterator[Window]:
    """The local workspace with one live flow: webhook, trim, request."""
    party.seen.clear()
    document = files.flow(
        "Orders",
        files.catch(),
        files.trimmed("{{step.#1.body.customer}}"),
        files.request("POST", f"{party.address}/orders", "{{step.#2.output}}"),
    )
    file, data = files.write(tmp_path / "flow.json", document), tmp_path / "data"
    [flow] = run(program("flow", "import", file, "--publish", "--json", data=data)).json
    with open_window(qtbot, data, "local") as opened:
        opened.wait(lambda: opened.rows("Flows"))
        address = json.loads((data / "service.json").read_text())["address"]
        opened.hook = f"{address}/webhooks/flows/{flow['id']}"
        yield opened


def order(window: Window, customer: str) -> None:
    patient.post(window.hook, json={"customer": f" {customer} "}).raise_for_status()


def states(window: Window) -> list[str]:
    return [row.split(",")[0] for row in window.rows("Executions")]


def bodies(party: Counterparty) -> list[str]:
    return [call.body for call in party.seen if call.path == "/orders"]


@long_form
def test_a_failure_is_retried_from_its_step_and_run_again_with_other_data(window, party):
    party.answers["/orders"] = (422, {"message": "Closed for today."})
    order(window, "Ada")
    tab = window.tab(Tab.EXECUTIONS)
    window.wait(lambda: states(window) == ["Failure"])
    tab.table.select_row(0)
    window.wait(lambda: not tab.pane.loading and tab.pane.execution is not None)

    del party.answers["/orders"]
    window.press("Retry from failed step")
    window.press("Show")
    window.wait(lambda: tab.pane.execution.origin_id and tab.pane.status_sentence == "Success, all 3 steps")

    assert bodies(party) == ["Ada", "Ada"]
    assert tab.detail.head.related_executions.links[0].accessibleName().endswith("Failure")

    window.press("Run again…")
    editor = window.see(QPlainTextEdit, "Input data")
    window.wait(lambda: "Ada" in editor.toPlainText())
    editor.setPlainText(editor.toPlainText().replace("Ada", "Grace"))
    window.press("Run again")
    window.wait(lambda: bodies(party) == ["Ada", "Ada", "Grace"])


@long_form
def test_paused_runs_keep_what_arrives_until_they_are_resumed(window, party):
    window.tab(Tab.EXECUTIONS)
    window.press("Engine running")
    window.press("Pause all runs")
    window.see(QAbstractButton, "Paused: storing webhooks")

    order(window, "Ada")
    window.wait(lambda: states(window) == ["Queued"])
    assert bodies(party) == []

    window.press("Resume all runs")
    window.wait(lambda: states(window) == ["Success"])
    assert bodies(party) == ["Ada"]


@long_form
def test_a_loop_of_a_thousand_orders_is_shown_by_order_and_never_freezes_the_window(qtbot, tmp_path):
    file, data = files.write(tmp_path / "loop.json", looped()), tmp_path / "data"
    [flow] = run(program("flow", "import", file, "--publish", "--json", data=data)).json
    orders = [{"name": f" order {number} "} for number in range(1000)]
    with open_window(qtbot, data, "local") as window:
        window.wait(lambda: window.rows("Flows"))
        address = json.loads((data / "service.json").read_text())["address"]
        patient.post(f"{address}/webhooks/flows/{flow['id']}", json={"orders": orders}).raise_for_status()
        tab = window.tab(Tab.EXECUTIONS)
        window.wait(lambda: states(window) == ["Success"])
        longest_ms = unfold(window, tab)

    assert longest_ms < FROZEN_MS
    assert row_name(tab.pane.rows[1001]) == "Item 1,000"
