"""The inbox: one notification at a time, and one summary after the quiet hours."""

from dataclasses import replace
from datetime import datetime, time

import pytest
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.core.flow_alerts import (
    DesktopNotification,
    failure_notification,
    paused_notification,
)
from patchbay.desktop.core.navigation import Place, Tab
from patchbay.desktop.core.notification_inbox import NotificationInbox
from patchbay.domain.executions import ExecutionState
from patchbay.domain.notification_settings import QuietHours

NIGHT = datetime(2026, 11, 23, 23, 30)
MORNING = datetime(2026, 11, 24, 7, 0)


class Now:
    """The time that the test chooses."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> int:
        return round(self.at.timestamp() * 1000)


@pytest.fixture
def backend():
    return FakeBackend(executions=40)


@pytest.fixture
def now():
    return Now(NIGHT)


@pytest.fixture
def inbox(tasks, backend, now):
    made = NotificationInbox(replace(services(tasks, backend), clock=now))
    yield made
    made.deleteLater()


@pytest.fixture
def shown(inbox):
    found: list[DesktopNotification] = []
    inbox.show_requested.connect(found.append)
    return found


def failures(backend):
    return [run for run in backend.executions if run.state is ExecutionState.FAILURE]


def test_what_follows_an_unseen_notification_is_added_to_it(inbox, shown, backend):
    first, second = failures(backend)[:2]

    inbox.add(failure_notification([first]))
    inbox.add(failure_notification([second]))

    assert shown[0].action is not None
    assert shown[0].action.label == "Retry"
    assert {run.id for run in shown[1].runs} == {first.id, second.id}
    assert shown[1].action is None


def test_what_follows_a_seen_notification_is_shown_alone(inbox, shown, backend):
    first, second = failures(backend)[:2]
    inbox.add(failure_notification([first]))
    inbox.mark_seen()

    inbox.add(failure_notification([second]))

    assert shown[-1].runs == (second,)


def test_different_kinds_are_named_together(inbox, shown, backend):
    flow = next(iter(backend.flows.values()))
    inbox.add(failure_notification(failures(backend)[:1]))
    inbox.add(paused_notification([flow]))

    assert shown[-1].title == "2 notifications"
    assert f"“{flow.name}” was paused" in shown[-1].text


def test_quiet_hours_end_with_one_summary(inbox, shown, backend, now, tasks):
    inbox._preferences.set_quiet_hours(QuietHours(True, time(22), time(7)))
    for run in failures(backend)[:2]:
        inbox.add(failure_notification([run]))
    inbox.end_quiet_hours()
    assert (shown, inbox.waiting) == ([], 2)

    now.at = MORNING
    inbox.end_quiet_hours()

    assert len(shown) == 1
    assert len(shown[0].runs) == 2
    assert shown[0].text.startswith("During quiet hours. ")
    assert inbox.waiting == 0


def test_turning_quiet_hours_off_ends_them(inbox, shown, backend):
    inbox._preferences.set_quiet_hours(QuietHours(True, time(22), time(7)))
    inbox.add(DesktopNotification("“Ada” needs attention", "Refused", Place(Tab.MY_APPS)))

    inbox._preferences.set_quiet_hours(QuietHours())

    assert [one.title for one in shown] == ["“Ada” needs attention"]
