"""The timeline of runs with loops and paths: items, what was taken, folding, and that it stays quick."""

from time import thread_time

from PySide6.QtCore import QCoreApplication, Qt
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.loops import STEPS, LoopRun, loop_execution
from tests.support.stall import FROZEN_MS

from patchbay.desktop.core.execution_labels import item_number, row_name, status_sentence
from patchbay.desktop.executions.detail import ExecutionPane
from patchbay.desktop.executions.timeline import attempts_text, item_hint, row_text
from patchbay.desktop.executions.view_models.detail import DataTab, ExecutionDetailViewModel
from patchbay.desktop.executions.view_models.timeline import Timeline
from patchbay.domain.executions import ExecutionState, StepState
from patchbay.domain.flow_calls import CALL_FLOW_ACTION, PATCHBAY_APP

FAILURE = ExecutionState.FAILURE


def names(rows):
    return [f"{'. ' * row.depth}{row_name(row)}" for row in rows]


def failing(items, at):
    """A run that fails in the item `at`."""
    run = LoopRun(items)
    for number in range(at):
        run.item(number)
    run.item(at, big=True, told=StepState.FAILURE)
    return Timeline(loop_execution(FAILURE), run.results)


def test_items_of_a_loop_are_folded_groups_below_it():
    rows = Timeline(loop_execution(), LoopRun(["a", "b"]).all().results).rows()

    assert names(rows) == ["Start", "Loop", ". Item 1", ". Item 2", "End"]
    assert [row.open for row in rows] == [False, True, False, False, False]
    assert rows[1].note == "2 items"
    assert [item_hint(row.value) for row in rows[2:4]] == ["a", "b"]


def test_unfolding_an_item_shows_its_steps_and_which_path_was_taken():
    told = Timeline(loop_execution(), LoopRun(["a", "b"]).all(big=True).results)
    key = told.rows()[3].key

    rows = told.rows({key})

    assert names(rows)[3:9] == [
        ". Item 2",
        ". . Fetch",
        ". . Paths",
        ". . . Big",
        ". . . . Tell",
        ". . . Rest",
    ]
    taken, left = rows[6], rows[8]
    assert rows[5].note == "Big"
    assert (taken.state, left.state, left.note) == (StepState.SUCCESS, None, "skipped")


def test_a_path_without_steps_that_was_taken_says_so():
    told = Timeline(loop_execution(), LoopRun(["a"]).all().results)

    rows = told.rows({told.rows()[2].key})

    rest = next(row for row in rows if row_name(row) == "Rest")
    assert (rest.state, rest.note) == (StepState.SUCCESS, "ran, has no steps")


def test_a_failure_is_unfolded_down_to_the_step_and_named_by_its_item():
    told = failing(["a"] * 40, 30)
    rows = told.rows()
    row = next(row for row in rows if row.key == told.initial_row_key)

    assert row_name(row) == "Tell"
    assert status_sentence(loop_execution(FAILURE), row) == "Failure at step 6, item 31"
    assert [item.open for item in rows if item.item is not None].index(True) == 30
    assert rows[1].note == "40 items, 1 failed"


def test_a_long_loop_that_went_well_is_folded():
    rows = Timeline(loop_execution(), LoopRun(["a"] * 40).all().results).rows()

    assert names(rows) == ["Start", "Loop", "End"]
    assert (rows[1].folds, rows[1].open) == (True, False)


def test_items_that_did_not_run_are_there_without_a_state():
    rows = failing(["a", "b", "c"], 1).rows()

    assert [row.state for row in rows if row.item is not None] == [
        StepState.SUCCESS,
        StepState.FAILURE,
        None,
    ]


def test_a_loop_takes_as_long_as_its_items():
    rows = Timeline(loop_execution(), LoopRun(["a"] * 3).all().results).rows()

    assert rows[1].duration_ms == 6 * 10 - 2
    assert rows[1].start + rows[1].length <= 1.0001


def test_attempts_of_a_step_are_one_row_that_tells_how_long_it_waited():
    run = LoopRun(["a"])
    run.add("fetch", "0", StepState.FAILURE)
    run.add("fetch", "0", attempt=2)
    told = Timeline(loop_execution(), run.results)

    row = next(row for row in told.rows({told.rows()[2].key}) if row_name(row) == "Fetch")

    assert attempts_text(row) == "2 attempts, waited 2 ms"
    assert row.state is StepState.SUCCESS


def test_a_row_speaks_all_it_shows():
    run = LoopRun(["a"])
    run.add("fetch", "0", warnings=("“{{step.start.name}}” was not there.",))
    told = Timeline(loop_execution(ExecutionState.RUNNING), run.results)

    assert row_text(told.rows()[1]) == "2. Loop, Success, 8 ms, 1 item, unfolded"
    assert row_text(told.rows()[3]) == "3. Fetch, Success, 8 ms, 1 warning"


def test_loops_in_loops_are_numbered_as_people_count():
    assert item_number("2.0") == "3.1"


def test_a_thousand_items_are_summarized_and_expanded():
    run = LoopRun([{"name": f"Item of list {at}"} for at in range(1000)])
    for at in range(1000):
        run.item(at, big=True)

    told = Timeline(loop_execution(), run.results)
    loop = next(row for row in told.rows() if row.folds)

    assert len(told.rows()) == 3
    assert len(told.rows({loop.key})) == 1003


def looped(tasks, items):
    """A pane over a backend with one run of a loop."""
    run = LoopRun(items).all(big=True)
    run.add("end", warnings=("“{{step.start.name}}” was not there, so it was left empty.",))

    class LoopBackend(FakeBackend):
        async def execution_steps(self, execution_id):
            return tuple(run.results)

    backend = LoopBackend(executions=0)
    backend.executions = [loop_execution()]
    around = services(tasks, backend)
    return ExecutionDetailViewModel(around), around, backend


def test_the_keyboard_unfolds_goes_in_and_comes_back(qtbot, tasks):
    pane, around, backend = looped(tasks, ["a", "b"])
    view = ExecutionPane(pane, around)
    qtbot.addWidget(view)
    view.resize(432, 700)
    view.show()
    pane.show(backend.executions[0])
    qtbot.waitUntil(lambda: not pane.loading)
    pane.select_step(2)

    qtbot.keyClick(view.timeline, Qt.Key.Key_Right)
    qtbot.keyClick(view.timeline, Qt.Key.Key_Right)
    inside = row_name(pane.row)
    qtbot.keyClick(view.timeline, Qt.Key.Key_Left)
    qtbot.keyClick(view.timeline, Qt.Key.Key_Left)

    assert inside == "Fetch"
    assert row_name(pane.row) == "Item 1"
    assert len(pane.rows) == 5


def test_an_item_shows_its_value_and_a_step_its_warnings(qtbot, tasks):
    pane, around, backend = looped(tasks, [{"name": "orders", "size": 3}, {"name": "wiki", "size": 1}])
    view = ExecutionPane(pane, around)
    qtbot.addWidget(view)
    view.show()
    pane.show(backend.executions[0])
    qtbot.waitUntil(lambda: not pane.loading)

    assert view.warnings.isVisible()
    assert "so it was left empty" in view.warnings.text()
    pane.select_step(3)
    pane.select_tab(DataTab.IN)
    assert pane.data() == {"name": "wiki", "size": 1}
    assert not view.warnings.isVisible()


def test_unfolding_a_thousand_items_freezes_nothing(qtbot, tasks):
    pane, around, backend = looped(tasks, [{"name": f"n {at}"} for at in range(1000)])
    view = ExecutionPane(pane, around)
    qtbot.addWidget(view)
    view.resize(432, 700)
    view.show()
    pane.show(backend.executions[0])
    qtbot.waitUntil(lambda: not pane.loading)

    before = thread_time()
    pane.toggle(1)
    QCoreApplication.processEvents()
    spent_ms = (thread_time() - before) * 1000

    assert len(pane.rows) == 1003
    assert spent_ms < FROZEN_MS


def test_a_step_that_called_a_flow_leads_to_what_it_started(qtbot, tasks):
    pane, around, backend = looped(tasks, ["a"])
    view = ExecutionPane(pane, around)
    qtbot.addWidget(view)
    view.show()
    call = {"app_key": PATCHBAY_APP, "key": CALL_FLOW_ACTION}
    run = LoopRun([])
    run.add("end", output={"executionId": "child", "answer": None})
    run.results[-1] = run.results[-1].model_copy(update={"step": STEPS[-1].model_copy(update=call)})

    async def steps(_):
        return tuple(run.results)

    backend.execution_steps = steps
    pane.show(backend.executions[0])
    qtbot.waitUntil(lambda: not pane.loading)

    with qtbot.waitSignal(around.navigator.requested) as asked:
        view.child.click()

    assert view.child.isVisible()
    assert asked.args[0].id == "child"
