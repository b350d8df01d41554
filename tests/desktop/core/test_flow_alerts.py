"""Notifications about flows that the engine paused and, where enabled, about failures."""

from dataclasses import replace
from typing import Any

import pytest
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_backups import FakeBackups
from tests.support.fake_workspace import NOW

from patchbay.desktop.core import flow_alerts
from patchbay.desktop.core.flow_alerts import DesktopNotifier
from patchbay.desktop.core.navigation import Tab
from patchbay.domain.backups import BackupStatus
from patchbay.domain.changes import ResourceType
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import PAUSED_BY_USER
from patchbay.domain.notification_settings import NotifyOnFailure

REASON = "Paused after 20 failures in a row."


@pytest.fixture
def backend():
    return FakeBackend(executions=12)


@pytest.fixture
def around(tasks, backend):
    return services(tasks, backend)


@pytest.fixture
def notification_requested(around, qtbot, backend, monkeypatch):
    monkeypatch.setattr(flow_alerts, "FAILURE_DELAY_MS", 0)
    follower = DesktopNotifier(around)
    notification_requested: list[Any] = []
    follower.notification_requested.connect(notification_requested.append)
    follower.start()
    qtbot.waitUntil(lambda: follower._paused is not None)
    yield notification_requested
    follower.deleteLater()


def pause(loop_thread, backend, flow_id, reason=REASON):
    flow = backend.flows[flow_id]
    backend.flows[flow_id] = flow.model_copy(update={"paused_at": NOW, "paused_reason": reason})
    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.FLOW, flow_id)


def fail(loop_thread, backend, **more):
    number = len(backend.executions)
    made = backend.executions[-1].model_copy(
        update={
            "id": f"failed-{number}",
            "state": ExecutionState.FAILURE,
            "note": "No answer.",
            "created_at": NOW,
            "finished_at": NOW + 5,
            "test_run": False,
            **more,
        }
    )
    backend.executions.insert(0, made)
    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.EXECUTION, made.id)
    return made


def test_a_flow_that_the_engine_paused_causes_a_notification_with_reason_and_link(
    qtbot, loop_thread, backend, notification_requested
):
    pause(loop_thread, backend, "flow-issues")
    qtbot.waitUntil(lambda: bool(notification_requested))

    assert notification_requested[0].title == "“New GitHub issue → Todoist task” was paused"
    assert notification_requested[0].text == REASON
    assert (notification_requested[0].place.tab, notification_requested[0].place.id) == (
        Tab.FLOWS,
        "flow-issues",
    )


def test_a_flow_that_a_user_paused_causes_no_notification(
    qtbot, loop_thread, backend, notification_requested
):
    pause(loop_thread, backend, "flow-issues", PAUSED_BY_USER)
    pause(loop_thread, backend, "flow-uptime")
    qtbot.waitUntil(lambda: bool(notification_requested))

    assert [alarm.place.id for alarm in notification_requested] == ["flow-uptime"]


def test_failures_cause_no_notification_if_turned_off(
    qtbot, loop_thread, backend, around, notification_requested
):
    around.notifications.set_failures(NotifyOnFailure.NEVER)
    fail(loop_thread, backend)
    pause(loop_thread, backend, "flow-uptime")
    qtbot.waitUntil(lambda: bool(notification_requested))

    assert [alarm.place.tab for alarm in notification_requested] == [Tab.FLOWS]


def test_a_failure_causes_one_notification_that_opens_it(
    qtbot, loop_thread, backend, around, notification_requested
):
    around.notifications.set_failures(NotifyOnFailure.ALWAYS)
    first = fail(loop_thread, backend)
    qtbot.waitUntil(lambda: len(notification_requested) == 1)
    second = fail(loop_thread, backend)
    qtbot.waitUntil(lambda: len(notification_requested) == 2)

    assert notification_requested[0].title == f"“{first.flow.name}” failed"
    assert notification_requested[0].text == "No answer."
    assert [alarm.place.id for alarm in notification_requested] == [first.id, second.id]


def test_a_failing_test_is_nobodys_alarm(qtbot, loop_thread, backend, around, notification_requested):
    around.notifications.set_failures(NotifyOnFailure.ALWAYS)
    fail(loop_thread, backend, test_run=True)
    live = fail(loop_thread, backend)
    qtbot.waitUntil(lambda: bool(notification_requested))

    assert [alarm.place.id for alarm in notification_requested] == [live.id]


def succeed(loop_thread, backend, after):
    made = after.model_copy(
        update={"id": f"succeeded-{len(backend.executions)}", "state": ExecutionState.SUCCESS}
    )
    backend.executions.insert(0, made.model_copy(update={"finished_at": (after.finished_at or 0) + 1}))
    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.EXECUTION, made.id)


def test_only_the_first_failure_after_a_success_causes_a_notification(
    qtbot, loop_thread, backend, around, notification_requested
):
    backend.executions[:] = backend.executions[:1]
    first = fail(loop_thread, backend, finished_at=NOW + 1)
    qtbot.waitUntil(lambda: len(notification_requested) == 1)
    fail(loop_thread, backend, finished_at=NOW + 2)
    succeed(loop_thread, backend, backend.executions[0])
    again = fail(loop_thread, backend, finished_at=NOW + 4)

    qtbot.waitUntil(lambda: len(notification_requested) == 2)
    assert [alarm.place.id for alarm in notification_requested] == [first.id, again.id]


def test_a_flow_can_have_its_own_choice(qtbot, loop_thread, backend, around, notification_requested):
    loud = fail(loop_thread, backend)
    around.notifications.set_failures(NotifyOnFailure.NEVER)
    around.notifications.set_for_flow(loud.flow.id, NotifyOnFailure.ALWAYS)
    again = fail(loop_thread, backend)

    qtbot.waitUntil(lambda: bool(notification_requested))
    assert {run.id for alarm in notification_requested for run in alarm.runs} >= {again.id}


def test_a_failed_backup_causes_one_notification_until_one_is_made(qtbot, tasks, loop_thread, backend):
    backups = FakeBackups()
    around = replace(services(tasks, backend), backups=backups)
    follower = DesktopNotifier(around)
    shown: list[Any] = []
    follower.notification_requested.connect(shown.append)
    follower.start()

    seen: list[BackupStatus] = []
    follower.backup_checked.connect(seen.append)

    def told(status: BackupStatus, times: int) -> None:
        backups.made = status
        loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.WORKSPACE)
        qtbot.waitUntil(lambda: seen[-1:] == [status])
        assert len(shown) == times

    failed = BackupStatus(problem="The disk is full.", problem_at=NOW)
    told(failed, 1)
    told(replace(failed, problem_at=NOW + 3_600_000), 1)
    told(BackupStatus(made_at=NOW), 1)
    told(failed, 2)

    assert (shown[0].title, shown[0].text) == ("The backup failed", "The disk is full.")
    assert shown[0].settings == "Data"
    follower.deleteLater()
