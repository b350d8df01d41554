"""The editor without widgets: saving, undo, steps, publishing, testing."""

import asyncio
from functools import partial
from typing import Any

import pytest
from PySide6.QtCore import QObject
from shiboken6 import delete

from patchbay.desktop.editor.step_rows import StepMark, step_rows
from patchbay.desktop.editor.view_models.draft import WriteQueue
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.domain.base import StepId
from patchbay.domain.blockers import Blocker
from patchbay.domain.changes import ResourceType
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import Conflict, FlowNotReady, StorageFault, Unreachable
from patchbay.domain.flows import DEFAULT_FLOW_NAME, StepChange, StepStatus, StepTestStatus

FOURTH = StepId("flow-issues-4")


def parameters(backend, step_id=FOURTH):
    return backend._step(step_id)[1].parameters


def test_writes_go_one_after_the_other_and_the_newest_of_a_kind_wins(qtbot, tasks):
    owner = QObject()
    sent: list[Any] = []
    write_queue = WriteQueue(tasks, owner)

    async def write(number: int) -> None:
        await asyncio.sleep(0.01)
        sent.append(number)

    for number in range(5):
        write_queue.add(partial(write, number), key="same")

    qtbot.waitUntil(lambda: write_queue.idle)
    assert sent == [0, 4]


def test_a_write_without_network_waits_for_retry(qtbot, tasks):
    owner = QObject()
    sent = []
    broken = [True]
    write_queue = WriteQueue(tasks, owner)

    async def write() -> None:
        if broken:
            raise Unreachable("No network.")
        sent.append(1)

    write_queue.add(write, key="edit")
    qtbot.waitUntil(lambda: write_queue.write_error is not None)
    broken.clear()
    write_queue.retry()

    qtbot.waitUntil(lambda: sent == [1] and write_queue.idle)


def test_an_action_that_meets_a_full_disk_is_given_up_and_what_was_typed_is_kept(qtbot, tasks):
    owner = QObject()
    sent = []
    told: list[Any] = []
    broken = [True]
    write_queue = WriteQueue(tasks, owner)
    write_queue.write_dropped.connect(told.append)

    async def write(what: str) -> None:
        if broken:
            raise StorageFault("The disk is full.")
        sent.append(what)

    write_queue.add(lambda: write("typed"), key="edit")
    qtbot.waitUntil(lambda: write_queue.write_error is not None)
    write_queue.add(lambda: write("add step"))
    qtbot.waitUntil(lambda: len(told) == 1 and write_queue.write_error is not None)
    broken.clear()
    write_queue.retry()

    qtbot.waitUntil(lambda: write_queue.idle)
    assert sent == ["typed"]


def test_waiting_for_an_edit_that_cannot_be_saved_raises_the_reason(qtbot, tasks):
    owner = QObject()
    told: list[Any] = []
    write_queue = WriteQueue(tasks, owner)

    async def write() -> None:
        raise StorageFault("The disk is full.")

    write_queue.add(write, key="edit")
    qtbot.waitUntil(lambda: write_queue.write_error is not None)
    write_queue.run_when_idle(lambda: told.append("written"), told.append)

    qtbot.waitUntil(lambda: len(told) == 1)
    assert told[0].happened == "The disk is full."


def test_publishing_what_cannot_be_saved_says_so_and_ends(qtbot, editor, backend, notices):
    backend.failing["update_step"] = StorageFault("The disk is full.")
    editor.edit(StepChange(parameters={"content": "kept"}), label="edit", immediate=True)
    qtbot.waitUntil(lambda: editor.draft.write_queue.write_error is not None)

    editor.publish()

    qtbot.waitUntil(lambda: not editor.publishing and len(notices) == 1)
    assert "The disk is full." in notices[0].text


def test_what_could_not_be_saved_is_saved_once_the_workspace_can(qtbot, loop_thread, editor, backend):
    backend.failing["update_step"] = StorageFault("The disk is full.")
    editor.edit(StepChange(parameters={"content": "kept"}), label="edit", immediate=True)
    qtbot.waitUntil(lambda: editor.draft.write_queue.write_error is not None)
    backend.failing.clear()

    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.WORKSPACE)

    qtbot.waitUntil(lambda: parameters(backend) == {"content": "kept"})


def test_typing_is_shown_at_once_and_saved_once(qtbot, editor, backend):
    for text in ("a", "ab", "abc"):
        editor.edit(StepChange(parameters={"content": text}), label="edit", merge="content")

    assert editor.step.parameters == {"content": "abc"}
    qtbot.waitUntil(lambda: editor.draft.saved)
    saves = [call for call in backend.calls if call[0] == "update_step"]
    assert len(saves) == 1
    assert parameters(backend) == {"content": "abc"}


def test_long_parameters_that_the_list_shows_in_short_are_edited_in_full(qtbot, around, flows, backend):
    long = "x" * 50_000
    flow, step = backend._step(FOURTH)
    filled = step.model_copy(update={"parameters": {"content": "old", "description": long}})
    steps = tuple(filled if item is step else item for item in flow.steps)
    backend.flows[flow.id] = flow.model_copy(update={"steps": steps})
    flows.refresh()
    qtbot.waitUntil(lambda: _shown(flows, flow.id).parameters.get("description") == long[:200] + "…")

    editor = EditorViewModel(around)
    editor.open(flow.id, FOURTH)
    qtbot.waitUntil(lambda: editor.flow is not None and set(editor.flow.app_keys) <= editor.apps.keys())
    StepFormModel(editor, editor).set_value("content", "new")
    qtbot.waitUntil(lambda: editor.draft.saved)

    assert parameters(backend) == {"content": "new", "description": long}


def _shown(flows, flow_id):
    row = next(row for row in flows.rows if row.flow.id == flow_id)
    return row.flow.step(FOURTH)


def test_an_older_answer_never_overwrites_newer_typing(qtbot, editor, backend):
    second = backend.hold("update_step", after=1)
    editor.edit(StepChange(parameters={"content": "first"}), label="edit", immediate=True)
    editor.edit(StepChange(parameters={"content": "second"}), label="edit")

    qtbot.waitUntil(lambda: backend.count("update_step") == 2)
    assert parameters(backend) == {"content": "first"}
    assert editor.step.parameters == {"content": "second"}

    second.release()
    qtbot.waitUntil(lambda: editor.draft.saved)
    assert parameters(backend) == {"content": "second"}


def test_a_refused_edit_goes_back_to_what_is_stored(qtbot, editor, backend, notices):
    before = parameters(backend)
    backend.failing["update_step"] = Conflict("Somebody else changed this step.")

    editor.edit(StepChange(parameters={"content": "mine"}), label="edit", immediate=True)

    qtbot.waitUntil(lambda: editor.step.parameters == before)
    qtbot.waitUntil(lambda: len(notices) == 1)


def test_an_edit_that_cannot_be_sent_stays_and_is_sent_later(qtbot, editor, backend):
    backend.failing["update_step"] = Unreachable("No network.")
    editor.edit(StepChange(parameters={"content": "kept"}), label="edit", immediate=True)
    qtbot.waitUntil(lambda: editor.draft.write_queue.write_error is not None)

    backend.failing.clear()
    editor.draft.write_queue.retry()

    qtbot.waitUntil(lambda: parameters(backend) == {"content": "kept"})
    assert editor.step.parameters == {"content": "kept"}


def test_undo_and_redo_of_typing(qtbot, editor, backend):
    before = dict(editor.step.parameters)
    editor.edit(StepChange(parameters={"content": "x"}), label="edit Content", merge="content")
    editor.edit(StepChange(parameters={"content": "xy"}), label="edit Content", merge="content")

    editor.history.undo()
    undone = editor.step.parameters
    editor.history.redo()

    assert undone == before
    assert editor.step.parameters == {"content": "xy"}


def test_a_step_is_added_after_the_selected_one_and_selected(qtbot, editor, steps, backend):
    steps.add(FOURTH)

    qtbot.waitUntil(lambda: len(editor.flow.steps) == 6)
    assert editor.step.position == 5
    assert editor.step.app_key is None


def test_a_duplicate_has_everything_of_its_original(qtbot, editor, steps, backend):
    steps.duplicate(FOURTH)

    qtbot.waitUntil(lambda: len(backend.flows["flow-issues"].steps) == 6 and editor.draft.saved)
    original, copy = backend.flows["flow-issues"].steps[3:5]
    assert copy.id != original.id
    assert (copy.app_key, copy.parameters) == (original.app_key, original.parameters)


def test_a_deleted_step_comes_back_by_undo(qtbot, editor, steps, backend, notices):
    steps.delete(FOURTH)
    qtbot.waitUntil(lambda: len(backend.flows["flow-issues"].steps) == 4 and len(notices) == 1)
    selected = editor.step_id

    notices[0].undo()

    assert selected == "flow-issues-5"
    qtbot.waitUntil(lambda: backend.flows["flow-issues"].steps[3].id == FOURTH)


def test_the_trigger_stays_first(editor, steps, backend):
    steps.move("flow-issues-1", 3)
    steps.delete("flow-issues-1")

    assert not [name for name, _ in backend.calls if name in ("move_step", "delete_step")]


def test_moving_a_step_can_be_undone(qtbot, editor, steps, backend):
    steps.move(FOURTH, 2)
    qtbot.waitUntil(lambda: backend.flows["flow-issues"].steps[1].id == FOURTH)

    editor.history.undo()

    qtbot.waitUntil(lambda: backend.flows["flow-issues"].steps[3].id == FOURTH)


def test_another_event_clears_what_was_entered_and_undo_brings_it_back(qtbot, editor, steps, backend):
    before = editor.step
    editor.apps["slack"] = backend.apps["slack"]
    steps.choose_event("slack", "sendMessage")
    chosen = editor.step

    editor.history.undo()

    assert chosen.parameters == {}
    assert chosen.connection_id == "con-slack"
    qtbot.waitUntil(lambda: editor.draft.saved)
    stored = backend._step(FOURTH)[1]
    assert (stored.app_key, stored.key, stored.parameters) == (before.app_key, before.key, before.parameters)


def test_presets_of_an_event_are_entered(editor, steps, backend):
    editor.apps["http-request"] = backend.apps["http-request"]

    steps.choose_event("http-request", "customRequest")

    assert editor.step.parameters == {"method": "GET"}


def test_a_flow_without_a_name_gets_one_when_it_is_published(qtbot, editor, steps, backend, notices):
    steps.rename_flow(DEFAULT_FLOW_NAME)
    for step in editor.flow.steps:
        backend._edit_step(step.id, status=StepStatus.COMPLETED)

    editor.publish()

    qtbot.waitUntil(lambda: not editor.publishing)
    assert backend.flows["flow-issues"].name == editor.flow.name == "New issues → Send a message to channel"
    assert notices[-1].text.startswith("Published “New issues → Send a message to channel”")


def test_publishing_saves_first_and_takes_over_the_version(qtbot, editor, backend):
    editor.edit(StepChange(name="Make a task"), label="rename", merge="name")
    for step in editor.flow.steps:
        backend._edit_step(step.id, status=StepStatus.COMPLETED)

    editor.publish()

    qtbot.waitUntil(lambda: not editor.publishing)
    order = [name for name, _ in backend.calls if name in ("update_step", "publish_flow")]
    assert order == ["update_step", "publish_flow"]


def test_a_refused_publication_says_why_and_leads_to_the_first_blocker(qtbot, editor, notices):
    editor.open("flow-invoice", "flow-invoice-2")
    qtbot.waitUntil(lambda: editor.flow is not None and set(editor.flow.app_keys) <= editor.apps.keys())

    with qtbot.waitSignal(editor.focus_requested) as asked:
        editor.publish()

    assert notices[-1].text == "Not published. Step 1, New issues: Not tested since its last change."
    assert asked.args[0].position == 1
    assert editor.step_id == "flow-invoice-1"


def test_a_connection_that_the_workspace_rejected_is_no_blocker_once_it_is_reconnected(
    qtbot, editor, backend, loop_thread
):
    def reasons() -> list[str]:
        return [item.reason for item in editor.blockers if "needs reconnecting" in item.reason]

    reason = "The Todoist connection “Anna’s Todoist” needs reconnecting."
    backend.failing["publish_flow"] = FlowNotReady(
        [Blocker(step_id=FOURTH, position=4, field="connectionId", reason=reason)]
    )
    editor.publish()
    qtbot.waitUntil(lambda: not editor.publishing)
    assert len(reasons()) == 1

    connection = backend.connections["con-anna"]
    backend.connections["con-anna"] = connection.model_copy(update={"health": ConnectionHealth.VALID})
    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.CONNECTION, "con-anna")

    qtbot.waitUntil(lambda: editor.connections["con-anna"].health is ConnectionHealth.VALID)
    assert reasons() == []


@pytest.mark.parametrize("is_refused", [False, True], ids=["published", "refused"])
def test_a_publication_belongs_to_its_flow_although_another_one_is_opened_meanwhile(
    qtbot, editor, backend, notices, is_refused
):
    for step in editor.flow.steps:
        backend._edit_step(step.id, status=StepStatus.COMPLETED)
    if is_refused:
        backend.failing["publish_flow"] = FlowNotReady([Blocker(step_id=FOURTH, reason="Not here.")])
    held = backend.hold("update_step")
    editor.edit(StepChange(name="Make a task"), label="rename", merge="name")

    editor.publish()
    editor.open("flow-uptime")
    held.release()

    qtbot.waitUntil(lambda: editor.flow is not None and not editor.publishing)
    assert [args for name, args in backend.calls if name == "publish_flow"] == [("flow-issues",)]
    assert editor.flow.id == "flow-uptime"
    assert "Not here." not in [item.reason for item in editor.blockers]
    assert len(notices) == 1


def test_a_flow_deleted_elsewhere_closes_the_editor(qtbot, editor, around, backend):
    with qtbot.waitSignal(editor.removed):
        around.tasks.run(editor, backend.delete_flow("flow-issues"))


def test_opening_something_that_is_gone_is_an_error_state(qtbot, editor):
    editor.open("nobody")

    qtbot.waitUntil(lambda: editor.error is not None)
    assert editor.flow is None


def test_what_was_typed_survives_opening_another_flow(qtbot, editor, backend):
    editor.edit(StepChange(parameters={"content": "late"}), label="edit")

    editor.open("flow-uptime")

    qtbot.waitUntil(lambda: parameters(backend) == {"content": "late"})


def test_a_test_completes_the_step_and_gives_its_values(qtbot, editor, tester, backend):
    editor.select("flow-issues-3")

    tester.test()
    qtbot.waitUntil(lambda: tester.running is None)

    assert tester.current.result.data_out == {"ok": True, "id": 8132094417}
    assert editor.step.status is StepStatus.COMPLETED
    editor.select(FOURTH)
    assert "ok" in [entry.label for entry in editor.catalog().groups[2].entries]


def test_a_test_can_be_cancelled(qtbot, editor, tester, backend):
    backend.hold("test_step")
    tester.test()
    qtbot.waitUntil(lambda: tester._task is not None)

    tester.cancel()

    qtbot.waitUntil(lambda: tester.running is None)
    assert not tester.current.failed


def test_a_test_that_cannot_run_shows_why(qtbot, editor, tester, backend):
    backend.failing["test_step"] = Unreachable("No network.", todo="Check the cable.")

    tester.test()

    qtbot.waitUntil(lambda: tester.running is None)
    assert tester.current.error.todo == "Check the cable."


def test_a_result_is_stale_after_a_change(editor, tester):
    fresh = tester.stale

    editor.edit(StepChange(parameters={"projectId": "docs", "content": "x"}), label="edit")

    assert (fresh, tester.stale) == (False, True)


def test_blockers_tell_untested_changed_and_failed_steps_apart(editor):
    def reason() -> str:
        return next(item.reason for item in editor.blockers if item.step_id == editor.step_id)

    valid = {"health": ConnectionHealth.VALID}
    editor.connections = {key: each.model_copy(update=valid) for key, each in editor.connections.items()}
    editor.edit(StepChange(parameters={"projectId": "docs", "content": "x"}), label="edit")
    changed = reason()
    editor.samples.pop(editor.step_id)
    editor.update_blockers()
    untested = reason()
    failed_step = editor.step.model_copy(update={"tested": StepTestStatus.FAILED})
    steps = tuple(failed_step if step.id == failed_step.id else step for step in editor.flow.steps)
    editor.draft.flow = editor.flow.model_copy(update={"steps": steps})
    editor.update_blockers()
    failed = reason()
    editor.edit(StepChange(parameters={"projectId": "docs", "content": "y"}), label="edit")

    assert (changed, untested, failed, reason()) == (
        "Not tested since its last change",
        "Not tested yet",
        "Its last test failed",
        "Not tested since its last change",
    )


def test_an_error_is_stale_after_a_change(qtbot, editor, tester, backend):
    backend.failing["test_step"] = Unreachable("No network.", todo="Check the cable.")
    tester.test()
    qtbot.waitUntil(lambda: tester.running is None)
    fresh = tester.stale

    editor.edit(StepChange(parameters={"projectId": "docs", "content": "x"}), label="edit")

    assert (fresh, tester.stale, tester.has_failed_since) == (False, True, False)


def test_an_unfinished_form_is_not_tested(qtbot, editor, form, tester, backend):
    form.set_value("content", "")

    with qtbot.waitSignal(tester.invalid) as wrong:
        tester.test()

    assert wrong.args == ["content"]
    assert form.error("content") == "Enter Content."


def test_what_would_be_sent_has_the_values_put_in(tester):
    assert tester.preview_input() == {"projectId": "bugs", "content": "482 by mkowalski"}


def test_what_would_be_sent_is_shown_again_when_fields_arrive(form, tester):
    shown: list[Any] = []
    tester.changed.connect(lambda: shown.append(tester.preview_input()))

    form._on_choices_loaded()

    assert shown == [{"projectId": "bugs", "content": "482 by mkowalski"}]


def test_skipping_the_test_after_a_failed_one_completes_the_step_without_looking_like_passed(
    qtbot, editor, tester, backend
):
    valid = {"health": ConnectionHealth.VALID}
    editor.connections = {key: each.model_copy(update=valid) for key, each in editor.connections.items()}
    backend.failing["test_step"] = Unreachable("No network.", todo="Check the cable.")
    tester.test()
    qtbot.waitUntil(lambda: tester.current is not None and tester.running is None)
    failed = tester.current.failed

    tester.skip()

    qtbot.waitUntil(lambda: editor.step.tested == "skipped")
    assert tester.skipped
    assert (failed, tester.current) == (True, None)
    [row] = [row for row in step_rows(editor, None) if row.id == editor.step_id]
    assert row.mark is StepMark.SKIPPED
    assert row.tooltip.endswith("State: ready, test skipped")


@pytest.mark.parametrize("name", ["", "  ", "New GitHub issue → Todoist task"])
def test_a_name_that_says_nothing_new_is_not_saved(editor, steps, backend, name):
    steps.rename_flow(name)

    assert not [call for call in backend.calls if call[0] == "update_flow"]


def test_an_app_that_arrives_after_the_editor_was_closed_calls_nothing(qtbot, around, backend):
    backend.delay = 0.05
    arrived: list[str] = []
    closed = QObject()
    around.apps.detail("todoist", lambda app: arrived.append(app.key), owner=closed)
    delete(closed)
    open_ = QObject()
    around.apps.detail("github", lambda app: arrived.append(app.key), owner=open_)

    qtbot.waitUntil(lambda: "github" in arrived)
    assert arrived == ["github"]
