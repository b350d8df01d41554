"""Acting on executions in the tab: retry, run again, cancel; and where they came from."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import MINUTE, NOW

from patchbay.desktop.core.times import ExecutionQuery
from patchbay.desktop.executions.tab import ExecutionsTab
from patchbay.desktop.executions.view_models.detail import countdown, waiting_text
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.errors import Conflict, Unreachable
from patchbay.domain.executions import (
    ExecutionState,
    Origin,
    ReplayOn,
    WaitsFor,
)

K = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
RUNNING = "exec-000000"
SUCCESS = "exec-000001"
FAILED = "exec-000002"
WAITING = "exec-000003"


def choose(qtbot, tab, execution_id):
    tab.table.select_id(execution_id)
    qtbot.waitUntil(lambda: not tab.pane.loading and tab.pane.execution.id == execution_id)


def calls(backend, name):
    return [given for called, given in backend.calls if called == name]


def buttons(tab):
    head = tab.detail.head
    every = (head.retry, head.run_again, head.cancel, head.copy)
    return [button.text() for button in every if button.isVisible()]


def test_the_head_offers_what_fits_the_state(qtbot, tab):
    seen = {}
    for execution_id in (FAILED, SUCCESS, RUNNING):
        choose(qtbot, tab, execution_id)
        seen[execution_id] = buttons(tab)

    assert seen == {
        FAILED: ["Retry from failed step", "Run again…"],
        SUCCESS: ["Run again…", "Copy as JSON"],
        RUNNING: ["Cancel", "Copy as JSON"],
    }


def test_a_retry_is_one_key_and_leads_to_the_new_execution(qtbot, tab, backend, around, posted):
    choose(qtbot, tab, FAILED)
    qtbot.keyClick(tab.table, K.Key_R, CTRL)
    qtbot.waitUntil(lambda: bool(posted))

    assert calls(backend, "retry_execution") == [(FAILED,)]
    with qtbot.waitSignal(around.navigator.requested) as asked:
        posted[0].show()
    assert asked.args[0].id == backend.executions[0].id
    assert backend.executions[0].origin_id == FAILED


def test_what_did_not_fail_says_why_it_is_not_retried(qtbot, tab, backend, posted):
    choose(qtbot, tab, SUCCESS)

    qtbot.keyClick(tab.table, K.Key_R, CTRL)

    assert posted[0].text == "Only executions that failed can be retried."
    assert calls(backend, "retry_execution") == []


def test_a_retry_that_worked_leaves_no_reason_to_press_the_button_again(qtbot, tab, backend):
    choose(qtbot, tab, FAILED)
    assert tab.detail.head.retry.kind == "primary"
    in_vain = backend.executions[2].model_copy(
        update={"id": "exec-again", "origin_id": FAILED, "origin_kind": Origin.RETRY}
    )
    worked = in_vain.model_copy(
        update={"id": "exec-third", "origin_id": "exec-again", "state": ExecutionState.SUCCESS}
    )
    backend.executions.insert(0, in_vain)
    tab.pane.reload()
    qtbot.waitUntil(lambda: tab.pane.related_executions.total == 1)
    assert tab.detail.head.retry.kind == "primary"

    backend.executions.insert(0, worked)
    tab.pane.reload()

    qtbot.waitUntil(lambda: tab.detail.head.retry.kind == "default")
    assert tab.detail.head.retry.isVisible()


def test_a_refused_retry_is_reported(qtbot, tab, backend, posted):
    backend.failing["retry_execution"] = Conflict("The flow was deleted.", todo="Restore it first.")
    choose(qtbot, tab, FAILED)

    tab.detail.head.retry.click()
    qtbot.waitUntil(lambda: bool(posted))

    assert "Restore it first." in posted[0].text
    assert tab.detail.head.retry.isEnabled()


def test_origin_and_followers_are_linked_both_ways(qtbot, tab, around):
    choose(qtbot, tab, FAILED)
    tab.pane.control.retry(tab.pane.execution)
    qtbot.waitUntil(lambda: tab.pane.control.busy is False and tab.runs.window.total == 80)
    tab.pane.reload()
    qtbot.waitUntil(lambda: tab.pane.related_executions.total == 1)
    follower = tab.detail.head.related_executions.links[0]
    assert follower.accessibleName().endswith("Queued")

    with qtbot.waitSignal(around.navigator.requested) as asked:
        follower.click()
    tab.go(asked.args[0])
    qtbot.waitUntil(lambda: tab.pane.execution.origin_id == FAILED)
    qtbot.waitUntil(lambda: tab.pane.related_executions.origin is not None)

    assert tab.pane.execution.origin_kind is Origin.RETRY
    assert tab.detail.head.related_executions.links[0].accessibleName().endswith("Failure")


def test_many_followers_are_a_filter_with_a_chip(qtbot, tab, backend):
    choose(qtbot, tab, FAILED)
    for number in range(5):
        made = backend.executions[5].model_copy(
            update={"id": f"again-{number}", "origin_id": FAILED, "origin_kind": Origin.REPLAY}
        )
        backend.executions.append(made)
    tab.pane.reload()
    qtbot.waitUntil(lambda: tab.pane.related_executions.total == 5)
    links = tab.detail.head.related_executions.links
    assert [link.text() for link in links][-1] == "all 5"

    links[-1].click()
    qtbot.waitUntil(lambda: tab.runs.is_up_to_date and tab.runs.window.total == 5)

    assert tab.bar.origin.isVisible()
    tab.bar.clear.click()
    assert tab.runs.query == ExecutionQuery()


def test_what_only_waits_is_cancelled_at_once(qtbot, tab, backend, posted):
    choose(qtbot, tab, WAITING)

    tab.detail.head.cancel.click()
    qtbot.waitUntil(lambda: bool(posted))

    assert calls(backend, "cancel_execution") == [(WAITING,)]
    assert posted[0].text.startswith("Cancelled “")


def test_a_wait_for_a_rate_limit_is_ended_from_the_pane_and_a_delay_offers_no_such_button(
    qtbot, tab, backend, posted
):
    choose(qtbot, tab, WAITING)
    assert not tab.detail.head.resume.isVisible()
    delayed = next(run for run in backend.executions if run.id == WAITING)
    limited = delayed.model_copy(update={"waits_for": WaitsFor.LIMIT})
    backend.executions[backend.executions.index(delayed)] = limited
    tab.table.clearSelection()
    tab.pane.open(WAITING)
    qtbot.waitUntil(tab.detail.head.resume.isVisible)

    tab.detail.head.resume.click()
    qtbot.waitUntil(lambda: bool(posted))

    assert calls(backend, "resume_execution") == [(WAITING,)]
    assert posted[0].text.endswith("continues now.")


def test_cutting_off_a_step_is_asked_before(qtbot, tab, backend):
    choose(qtbot, tab, RUNNING)
    tab.detail.head.cancel.click()
    question = tab.execution_commands.dialog

    assert "its outcome will be unknown" in question.accessibleDescription()
    assert calls(backend, "cancel_execution") == []
    question.accept()
    tab.pane.control.cancel(tab.pane.execution)
    qtbot.waitUntil(lambda: calls(backend, "cancel_execution") == [(RUNNING,)])


def test_the_menu_of_a_row_offers_the_same(qtbot, tab):
    choose(qtbot, tab, FAILED)

    menu = tab.table.menu()

    assert [action.text() for action in menu.actions()][:3] == [
        "Open",
        "Retry from failed step",
        "Run again…",
    ]
    assert menu.actions()[1].shortcut().toString() == "Ctrl+R"


def test_the_palette_offers_it_with_the_reason_where_it_cannot_be(qtbot, tab):
    choose(qtbot, tab, SUCCESS)

    reasons = {action.title: action.reason() for action in tab.commands()}

    assert reasons == {
        "Retry from failed step": "Only executions that failed can be retried.",
        "Run again…": None,
        "Try now instead of waiting": "This execution isn't waiting for a retry or a rate limit.",
        "Cancel": "This execution has already finished.",
    }


def test_a_service_without_run_control_greys_it_and_says_why(qtbot, tasks):
    backend = FakeBackend(executions=20)
    backend.capabilities = Capabilities(unavailable={Feature.RUN_CONTROL: "This service cannot do that."})
    tab = ExecutionsTab(services(tasks, backend))
    qtbot.addWidget(tab)
    tab.show()
    tab.activate()
    qtbot.waitUntil(lambda: tab.runs.is_up_to_date and tab.rows.is_showing_rows)

    choose(qtbot, tab, FAILED)

    assert not tab.detail.head.retry.isEnabled()
    assert tab.detail.head.retry.toolTip() == "This service cannot do that."
    entries = {action.text(): action.isEnabled() for action in tab.table.menu().actions()}
    assert (entries["Open"], entries["Retry from failed step (This service cannot do that)"]) == (True, False)


# Run again


@pytest.fixture
def dialog(qtbot, tab):
    choose(qtbot, tab, FAILED)
    tab.detail.head.run_again.click()
    made = tab.execution_commands.dialog
    qtbot.waitUntil(lambda: bool(made.edit.toPlainText()))
    return made


def test_running_again_takes_the_data_as_it_was(qtbot, dialog, backend):
    assert json.loads(dialog.edit.toPlainText())["number"] == 482
    assert not dialog.reset.isVisible()

    dialog.run.click()
    qtbot.waitUntil(lambda: bool(calls(backend, "replay_execution")))

    assert calls(backend, "replay_execution") == [(FAILED, None, ReplayOn.ORIGINAL)]


def test_data_that_a_service_cut_is_used_as_it_was(qtbot, tab, backend, monkeypatch):
    whole = backend.execution_steps

    async def cut(execution_id):
        return tuple(item.model_copy(update={"shortened": True}) for item in await whole(execution_id))

    monkeypatch.setattr(backend, "execution_steps", cut)
    choose(qtbot, tab, FAILED)
    tab.detail.head.run_again.click()
    dialog = tab.execution_commands.dialog
    qtbot.waitUntil(dialog.run.isEnabled)

    assert not dialog.edit.isVisible()
    dialog.run.click()
    qtbot.waitUntil(lambda: bool(calls(backend, "replay_execution")))

    assert calls(backend, "replay_execution") == [(FAILED, None, ReplayOn.ORIGINAL)]


def test_edited_data_starts_it_and_can_be_reset_before(qtbot, dialog, backend):
    original = dialog.edit.toPlainText()
    dialog.edit.setPlainText('{"number": 7}')
    assert dialog.reset.isVisible()
    dialog.reset.click()
    assert dialog.edit.toPlainText() == original

    dialog.edit.setPlainText('{"number": 7}')
    qtbot.keyClick(dialog.edit, K.Key_Return, CTRL)
    qtbot.waitUntil(lambda: bool(calls(backend, "replay_execution")))

    assert calls(backend, "replay_execution")[0][1] == {"number": 7}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', "Line 3, column 3: a comma is missing."),
        ('{"a": }', "Line 1, column 7: a value is expected."),
        ('{"a": 1} 2', "Line 1, column 10: there is text after the end."),
        ('{"a": NaN}', "NaN isn't valid JSON."),
        ("null", "A flow can't start with null. Enter {} for an empty object."),
    ],
)
def test_a_json_error_is_shown_with_its_line(dialog, backend, text, said):
    dialog.edit.setPlainText(text)

    dialog.submit()

    assert dialog.data.error == said
    assert calls(backend, "replay_execution") == []


def test_a_json_error_disappears_when_the_text_is_corrected(qtbot, dialog):
    dialog.edit.setPlainText("{")
    dialog.submit()

    dialog.edit.setPlainText("{}")

    qtbot.waitUntil(lambda: dialog.data.error is None)


def test_a_flow_published_since_lets_one_choose_the_version(qtbot, tab, backend):
    flow_id = next(run for run in backend.executions if run.id == FAILED).flow.id
    backend.flows[flow_id] = backend.flows[flow_id].model_copy(update={"published_version": 14})
    choose(qtbot, tab, FAILED)
    qtbot.keyClick(tab.table, K.Key_R, CTRL | SHIFT)
    dialog = tab.execution_commands.dialog
    qtbot.waitUntil(lambda: dialog.steps.isVisible())

    assert [dialog.version.itemText(at) for at in range(2)] == [
        "Version 12, used by this execution",
        "Version 14, the latest",
    ]
    dialog.version.set_value(ReplayOn.NEWEST)
    assert "published now" in dialog.version.accessibleDescription()
    dialog.submit()
    qtbot.waitUntil(lambda: bool(calls(backend, "replay_execution")))
    assert calls(backend, "replay_execution")[0][2] is ReplayOn.NEWEST


def test_a_question_that_cannot_be_filled_says_why(qtbot, tab, backend):
    backend.failing["get_flow"] = Unreachable("flows.example.org does not answer.")

    choose(qtbot, tab, SUCCESS)
    tab.detail.head.run_again.click()
    dialog = tab.execution_commands.dialog
    qtbot.waitUntil(lambda: dialog.problem.isVisible())

    assert not dialog.run.isEnabled()


# Waiting


def test_waiting_tells_for_what_and_until_when(backend):
    run = backend.executions[3].model_copy(update={"wake_at": NOW + 12 * MINUTE + 5_000})

    def told(waits_for):
        return waiting_text(run.model_copy(update={"waits_for": waits_for}), NOW)

    assert told(WaitsFor.DELAY).endswith("(in 12 min 5 s), when the delay ends.")
    assert told(WaitsFor.RETRY).startswith("Retries the step at ")
    assert "rate limit" in told(WaitsFor.LIMIT)
    assert told(WaitsFor.FLOW) == "Waiting for the flow it called."


def test_the_countdown_runs_while_one_looks(qtbot, tab, around, backend):
    at = next(at for at, run in enumerate(backend.executions) if run.id == WAITING)
    backend.executions[at] = backend.executions[at].model_copy(
        update={"wake_at": NOW + 20_000, "waits_for": WaitsFor.RETRY}
    )

    choose(qtbot, tab, WAITING)

    assert tab.detail.head.wait.text().endswith("(in 20 s).")
    assert tab.detail.head._clock.isActive()
    choose(qtbot, tab, SUCCESS)
    assert not tab.detail.head._clock.isActive()


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (-5, "any moment now"),
        (8_400, "in 8 s"),
        (185_000, "in 3 min 5 s"),
        (3_300_000, "in 55 min"),
        (7_500_000, "in 2 h 5 min"),
        (86_400_000, "in 1 d"),
        (273_600_000, "in 3 d 4 h"),
    ],
)
def test_waiting_times_are_shown_in_two_units(ms, said):
    assert countdown(ms) == said


def test_every_new_control_has_a_name(qtbot, tab):
    choose(qtbot, tab, FAILED)

    nameless = [
        widget
        for widget in tab.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisible()
        and not (widget.accessibleName() or getattr(widget, "text", lambda: "")())
    ]
    assert nameless == []
