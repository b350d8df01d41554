"""The pane of one execution and the export, without a widget."""

import csv
import json

import pytest
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import NOW

from patchbay.desktop.core.execution_labels import humanize_key, step_name
from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.core.services import Services
from patchbay.desktop.executions.view_models.detail import DataTab, ExecutionDetailViewModel
from patchbay.desktop.executions.view_models.execution_list import ExecutionsExport
from patchbay.desktop.executions.view_models.timeline import Timeline
from patchbay.desktop.tasks import Tasks
from patchbay.domain.base import StepId
from patchbay.domain.changes import ResourceType
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionState, StepRef
from patchbay.domain.flows import StepType


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def around(tasks: Tasks, backend: FakeBackend) -> Services:
    return services(tasks, backend)


@pytest.fixture
def pane(around: Services) -> ExecutionDetailViewModel:
    return ExecutionDetailViewModel(around)


def run(backend: FakeBackend, state: ExecutionState, flow: str = "flow-issues") -> Execution:
    return next(item for item in backend.executions if item.state is state and item.flow.id == flow)


def show(qtbot: QtBot, pane: ExecutionDetailViewModel, execution: Execution) -> None:
    pane.show(execution)
    qtbot.waitUntil(lambda: not pane.loading)


def test_a_failure_opens_at_the_failing_step_with_its_error(qtbot, pane, backend):
    show(qtbot, pane, run(backend, ExecutionState.FAILURE))

    assert pane.status_sentence == "Failure at step 4 of 5"
    assert pane.tab is DataTab.ERROR
    assert step_name(pane.row.step) == "Create task"
    assert pane.problem.title == "Todoist returned “Unauthorized” (401)."
    assert pane.problem.text == "Access was revoked. No task was created. Reconnect it, then run again."
    assert pane.problem.raw["response"]["http_code"] == 401
    assert not {"kind", "app", "said", "happened"} & set(pane.problem.raw)


def test_a_success_opens_at_its_last_step_with_what_came_out(qtbot, pane, backend):
    show(qtbot, pane, run(backend, ExecutionState.SUCCESS))

    assert pane.status_sentence == "Success, all 5 steps"
    assert pane.tab is DataTab.OUT
    assert pane.step == 4
    assert pane.data()["number"] == 482


def test_steps_that_did_not_run_are_listed_too(qtbot, pane, backend):
    show(qtbot, pane, run(backend, ExecutionState.FAILURE))

    assert [row.state is not None for row in pane.rows] == [True, True, True, True, False]


def test_bars_are_to_the_scale_of_the_whole_run(qtbot, pane, backend):
    show(qtbot, pane, run(backend, ExecutionState.SUCCESS))

    assert pane.rows[0].start == 0
    assert all(0 <= row.start <= 1 and row.start + row.length <= 1.0001 for row in pane.rows)
    assert pane.rows[-1].start + pane.rows[-1].length == pytest.approx(1)


def test_choosing_another_step_leaves_the_error_and_comes_back_to_it(qtbot, pane, backend):
    show(qtbot, pane, run(backend, ExecutionState.FAILURE))

    pane.select_step(0)
    first = pane.tab
    pane.select_step(3)

    assert first is DataTab.OUT
    assert pane.tab is DataTab.ERROR


def test_reconnect_leads_to_the_connection_that_was_refused(qtbot, pane, backend, around):
    show(qtbot, pane, run(backend, ExecutionState.FAILURE))

    with qtbot.waitSignal(around.navigator.requested) as asked:
        pane.reconnect()

    place = asked.args[0]
    assert pane.problem.credentials_rejected
    assert (place.tab, place.id, place.section) == (Tab.MY_APPS, "con-anna", "reconnect")


def test_it_counts_the_executions_with_the_same_cause(qtbot, pane, backend):
    failed = sum(item.state is ExecutionState.FAILURE for item in backend.executions)

    show(qtbot, pane, run(backend, ExecutionState.FAILURE))

    assert pane.same_cause == failed


def test_a_running_execution_is_followed_and_keeps_the_chosen_step(qtbot, loop_thread, pane, backend):
    running = run(backend, ExecutionState.RUNNING)
    show(qtbot, pane, running)
    pane.select_step(1)
    at = backend.executions.index(running)
    backend.executions[at] = running.model_copy(
        update={"state": ExecutionState.SUCCESS, "steps_done": 5, "finished_at": NOW}
    )

    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.EXECUTION, running.id)

    qtbot.waitUntil(lambda: pane.status_sentence == "Success, all 5 steps")
    assert pane.step == 1


def test_the_test_of_one_step_says_which_one(qtbot, pane, backend):
    at = next(at for at, item in enumerate(backend.executions) if item.state is ExecutionState.SUCCESS)
    tested = backend.executions[at].model_copy(update={"test_run": True, "steps_done": 1})
    backend.executions[at] = tested

    show(qtbot, pane, tested)

    assert pane.status_sentence == f"Success, step 1 of {len(tested.flow.steps)} tested"


def test_the_copy_is_the_execution_with_its_steps(qtbot, pane, backend):
    execution = run(backend, ExecutionState.FAILURE)
    show(qtbot, pane, execution)

    copy = pane.json()

    assert copy["id"] == execution.id
    assert copy["status"] == "failure"
    assert [step["seq"] for step in copy["executionSteps"]] == [0, 1, 2, 3]


def test_several_attempts_are_one_row_that_names_them(qtbot, pane, backend):
    show(qtbot, pane, run(backend, ExecutionState.FAILURE))
    failed = pane.results[-1]
    second = failed.model_copy(update={"id": "again", "attempt": 2})

    rows = Timeline(pane.execution, (*pane.results, second)).rows()

    assert len(rows) == 5
    assert [tried.attempt for tried in rows[3].attempts] == [1, 2]


@pytest.mark.parametrize(
    ("key", "said"), [("createTask", "Create task"), ("newIssues", "New issues"), (None, "Step 2")]
)
def test_a_step_without_a_name_is_called_by_its_event(key, said):
    assert step_name(StepRef(id=StepId("s"), type=StepType.ACTION, key=key, position=2)) == said


def test_the_export_writes_every_execution_of_the_filter(qtbot, around, tmp_path):
    export = ExecutionsExport(around)
    seen = []
    export.progressed.connect(lambda done, total: seen.append((done, total)))

    with qtbot.waitSignal(export.finished) as finished:
        export.start(ExecutionFilter(), tmp_path / "runs.csv")

    rows = list(csv.DictReader((tmp_path / "runs.csv").read_text("utf-8").splitlines()))
    assert finished.args == [str(tmp_path / "runs.csv"), 366]
    assert len(rows) == 366
    assert rows[0]["flow"] == "New GitHub issue → Todoist task"
    assert seen[-1] == (366, 366)


def test_the_export_as_json_lines_has_the_names_of_the_interface(qtbot, around, tmp_path):
    export = ExecutionsExport(around)

    with qtbot.waitSignal(export.finished):
        export.start(ExecutionFilter(states=(ExecutionState.FAILURE,)), tmp_path / "runs.jsonl")

    lines = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text("utf-8").splitlines()]
    assert {line["status"] for line in lines} == {"failure"}


def test_a_cancelled_export_leaves_nothing_behind(qtbot, around, backend, tmp_path):
    backend.hold("list_executions", after=1)
    export = ExecutionsExport(around)
    with qtbot.waitSignal(export.progressed):
        export.start(ExecutionFilter(), tmp_path / "runs.csv")

    with qtbot.waitSignal(export.ended):
        export.cancel()

    qtbot.waitUntil(lambda: list(tmp_path.glob("runs*")) == [])


def test_a_folder_that_cannot_be_written_is_reported(qtbot, around, tmp_path):
    export = ExecutionsExport(around)

    with qtbot.waitSignal(export.failed) as failed:
        export.start(ExecutionFilter(), tmp_path / "missing" / "runs.csv")

    assert failed.args[0].happened == "“runs.csv” couldn't be written."


def test_a_value_that_was_missing_is_reported_by_the_number_of_its_step(qtbot, pane, backend):
    show(qtbot, pane, run(backend, ExecutionState.SUCCESS))
    first = pane.execution.flow.steps[0].id
    said = [f"{{{{step.{step}.issue.title | json}}}} had no value." for step in (first, "removed")]
    last = pane.results[-1].model_copy(update={"warnings": tuple(said)})

    rows = Timeline(pane.execution, (*pane.results[:-1], last)).rows()

    assert rows[-1].warnings == (
        "“issue.title” of step 1 had no value.",
        "“issue.title” of a removed step had no value.",
    )


def test_changes_that_come_while_it_is_read_are_read_once_more(qtbot, loop_thread, pane, around, backend):
    running = run(backend, ExecutionState.RUNNING)
    arrived: list[ResourceType] = []
    around.feed.changed.connect(lambda change: arrived.append(change.noun))
    reading = backend.hold("get_execution")

    pane.show(running)
    qtbot.waitUntil(lambda: backend.count("get_execution") == 1)
    for resource in (*[ResourceType.EXECUTION] * 5, ResourceType.TEMPLATE):
        loop_thread.loop.call_soon_threadsafe(backend.announce, resource, running.id)
    qtbot.waitUntil(lambda: ResourceType.TEMPLATE in arrived)
    at = backend.executions.index(running)
    backend.executions[at] = running.model_copy(update={"state": ExecutionState.SUCCESS, "steps_done": 5})
    reading.release()

    qtbot.waitUntil(lambda: pane.status_sentence == "Success, all 5 steps" and pane._read_task is None)

    assert backend.count("get_execution") == 2


@pytest.mark.parametrize(
    ("key", "words"), [("createTask", "Create task"), ("SQLQuery", "SQL query"), ("sendToURL", "Send to URL")]
)
def test_keys_are_shown_as_words(key, words):
    assert humanize_key(key) == words
