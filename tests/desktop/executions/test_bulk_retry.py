"""Retrying all failed executions of a filter: the question before, the progress, and the end."""

from patchbay.desktop.core.times import ExecutionQuery
from patchbay.desktop.executions.progress_bars import words
from patchbay.desktop.executions.view_models.run_actions import BulkRetryPlan, summary
from patchbay.domain.errors import Unreachable
from patchbay.domain.executions import INTERRUPTED, BulkRetry, ExecutionFilter, ExecutionState


def calls(backend, name):
    return [given for called, given in backend.calls if called == name]


def only_failures(qtbot, tab):
    tab.runs.set_query(ExecutionQuery(states=(ExecutionState.FAILURE,)))
    qtbot.waitUntil(lambda: tab.runs.is_up_to_date and tab.summary.retry.isVisible())


def asked(qtbot, tab):
    only_failures(qtbot, tab)
    tab.summary.retry.click()
    qtbot.waitUntil(lambda: tab.bulk.dialog is not None and tab.bulk.dialog.isVisible())
    return tab.bulk.dialog


def start(tab, question):
    question.accept()
    tab.bulk.work.start(ExecutionFilter(states=(ExecutionState.FAILURE,)))


def test_it_is_offered_only_where_the_list_is_all_failures(qtbot, tab):
    assert not tab.summary.retry.isVisible()

    only_failures(qtbot, tab)

    assert tab.summary.retry.text() == f"Retry all {tab.runs.window.total} failed…"


def test_it_asks_first_how_many_of_which_flows(qtbot, tab, backend):
    question = asked(qtbot, tab)

    assert question.windowTitle() == f"Retry {tab.runs.window.total} failed executions?"
    assert "“Inventory check”" in question.accessibleDescription()
    assert "don't run again" in question.accessibleDescription()
    assert calls(backend, "retry_executions") == []


def test_it_warns_of_steps_that_may_have_acted(qtbot, tab, backend):
    stopped = {
        "note": f"{INTERRUPTED}Redmine · Create issue was running. Check at Redmine whether it was done."
    }
    at = next(at for at, item in enumerate(backend.executions) if item.state is ExecutionState.FAILURE)
    backend.executions[at] = backend.executions[at].model_copy(update=stopped)

    question = asked(qtbot, tab)

    told = question.accessibleDescription()
    assert "1 execution stopped at an interrupted step that may already have finished its work." in told


def test_it_shows_how_far_it_is_and_then_how_it_ended(qtbot, tab, backend, posted):
    backend.unretriable = {"flow-inventory"}
    total = sum(item.state is ExecutionState.FAILURE for item in backend.executions)
    refused = sum(
        item.state is ExecutionState.FAILURE and item.flow.id == "flow-inventory"
        for item in backend.executions
    )

    start(tab, asked(qtbot, tab))
    qtbot.waitUntil(lambda: tab.bulk.words.text().startswith("Retried "))
    assert tab.bulk.cancel.isVisible()
    qtbot.waitUntil(lambda: not tab.bulk.work.running)

    done = f"Retried {total - refused} executions. {refused} couldn't be retried."
    assert tab.bulk.words.text() == f"{done} “Inventory check” was deleted."
    tab.bulk.dismiss.click()
    assert not tab.bulk.isVisible()


def test_without_a_refusal_the_end_is_a_short_message(qtbot, tab, backend, posted):
    start(tab, asked(qtbot, tab))
    qtbot.waitUntil(lambda: any("Retried " in notice.text for notice in posted))

    assert not tab.bulk.isVisible()


def test_it_can_be_stopped(qtbot, tab, backend):
    backend.bulk_limit = 2
    start(tab, asked(qtbot, tab))
    qtbot.waitUntil(lambda: tab.bulk.cancel.isVisible() and tab.bulk.work.job.done == 2)

    tab.bulk.cancel.click()
    qtbot.waitUntil(lambda: not tab.bulk.work.running)

    assert " skipped." in tab.bulk.words.text()


def test_losing_track_of_the_bulk_retry_is_reported(qtbot, tab, backend):
    backend.failing["bulk_retry"] = Unreachable("flows.example.org does not answer.")

    start(tab, asked(qtbot, tab))
    qtbot.waitUntil(lambda: tab.bulk.words.text() == "flows.example.org does not answer.")

    assert tab.bulk.dismiss.isVisible()


def test_the_question_names_the_flows_with_most_failures():
    where = ExecutionFilter()
    many = BulkRetryPlan(where, 1200, (("A", 600), ("B", 200), ("C", 150), ("D", 40), ("E", 10)), whole=False)

    assert words(many).startswith(
        "From “A” (600), “B” (200), “C” (150), and 2 other flows, and older executions."
    )
    assert words(BulkRetryPlan(where, 1, (("A", 1),))).startswith("From “A”.")


def test_the_summary_counts_what_was_left_out():
    assert summary(BulkRetry(id="b", total=9, done=4, refused=1, cancelled=True)) == (
        "Retried 4 executions. 4 skipped. 1 couldn't be retried."
    )
