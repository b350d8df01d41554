"""Desktop notifications about broken connections: shown once, and in the window while it is active."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QSystemTrayIcon, QWidget
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.shell import StubTab, stub_tabs

from patchbay.desktop.core.flow_alerts import failure_notification, paused_notification
from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.desktop.shell.desktop_notifications import Notifier
from patchbay.desktop.shell.main_window import open_main_window
from patchbay.desktop.shell.view_models.workspace_status import ConnectionHealthWatcher, WorkspaceViewModel
from patchbay.domain.base import AppKey, ConnectionId, ExecutionId, FlowId
from patchbay.domain.changes import ResourceType
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.errors import NotSupported
from patchbay.domain.executions import ExecutionState
from patchbay.domain.flows import Flow


class Tray(QSystemTrayIcon):
    """Remembers what it was to show; there is no tray to show it in."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, str]] = []
        self.shown = False

    def show(self) -> None:
        self.shown = True

    def hide(self) -> None:
        self.shown = False

    def showMessage(self, title: str, text: str, *more: object) -> None:
        self.told.append((title, text))


@pytest.fixture
def owner(qtbot):
    made = QWidget()
    qtbot.addWidget(made)
    return made


def _connections(**health):
    return [
        Connection(
            id=ConnectionId(key),
            app_key=AppKey("app"),
            screen_name=key.title(),
            health=state,
            reason="Refused",
        )
        for key, state in health.items()
    ]


class ShowInWindow:
    """Remembers what the window was to tell, and where that leads."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.show = None

    def __call__(self, text, *, show):
        self.told.append(text)
        self.show = show


def nothing():
    """Leads nowhere."""


def test_behind_other_windows_the_system_tells(owner):
    tray, in_window = Tray(), ShowInWindow()
    notifier = Notifier(owner, in_window, lambda: tray)

    notifier.show_message("“Ada” needs attention", "Refused", nothing)

    assert tray.told == [("“Ada” needs attention", "Refused")]
    assert in_window.told == []


def test_a_click_on_the_message_leads_to_what_it_is_about_and_takes_the_icon_away(owner):
    tray, shown = Tray(), []
    notifier = Notifier(owner, ShowInWindow(), lambda: tray)
    notifier.show_message("A", "b", lambda: shown.append("A"))

    tray.messageClicked.emit()

    assert shown == ["A"]
    assert not tray.shown


def test_the_message_in_the_window_leads_there_too(qtbot, owner):
    in_window: Any = ShowInWindow()
    shown: list[Any] = []
    owner.show()
    owner.activateWindow()
    qtbot.waitUntil(owner.isActiveWindow)

    Notifier(owner, in_window, lambda: None).show_message("A", "b", lambda: shown.append("A"))
    in_window.show()

    assert shown == ["A"]


def test_where_the_system_has_no_messages_the_window_tells_once_it_is_active(qtbot, owner):
    in_window, seen = ShowInWindow(), []
    notifier = Notifier(owner, in_window, lambda: None)
    notifier.seen.connect(lambda: seen.append(True))

    notifier.show_message("“Ada” needs attention", "Refused", nothing)
    assert (in_window.told, seen) == ([], [])
    owner.show()
    owner.activateWindow()

    qtbot.waitUntil(lambda: in_window.told == ["“Ada” needs attention. Refused"])
    assert seen == [True]


def test_in_front_the_window_tells(qtbot, owner):
    owner.show()
    owner.activateWindow()
    qtbot.waitUntil(owner.isActiveWindow)
    tray, in_window = Tray(), ShowInWindow()

    Notifier(owner, in_window, lambda: tray).show_message("A", "b", nothing)

    assert (tray.told, in_window.told) == ([], ["A. b"])


class Desktop:
    """A notification service: it keeps what it is to show, and clicks the button that the test chooses."""

    def __init__(self, click: str | None = None, *, is_missing: bool = False) -> None:
        self.shown: list[tuple[str, Mapping[str, str]]] = []
        self._click, self._is_missing = click, is_missing

    async def __call__(self, title: str, text: str, buttons: Mapping[str, str]) -> str | None:
        if self._is_missing:
            raise NotSupported("This desktop has no notification service.")
        self.shown.append((title, buttons))
        return self._click


@pytest.mark.parametrize(("click", "done"), [("default", ["shown"]), ("Retry", ["retried"]), (None, [])])
def test_the_desktop_shows_it_with_buttons(qtbot, owner, tasks, click, done):
    desktop, answers, closed = Desktop(click), [], []
    notifier = Notifier(owner, ShowInWindow(), tasks=tasks, notify=desktop)
    notifier.show_message(
        "“Orders” failed", "", lambda: answers.append("shown"), {"Retry": lambda: answers.append("retried")}
    )
    notifier._notification.ended.connect(lambda: closed.append(True))

    qtbot.waitUntil(lambda: bool(closed))
    assert answers == done
    assert desktop.shown == [("“Orders” failed", {"default": "Open", "Retry": "Retry"})]


def test_the_tray_shows_it_where_the_desktop_cannot(qtbot, owner, tasks):
    tray = Tray()
    notifier = Notifier(owner, ShowInWindow(), lambda: tray, tasks=tasks, notify=Desktop(is_missing=True))

    notifier.show_message("“Orders” failed", "Refused", nothing)

    qtbot.waitUntil(lambda: tray.told == [("“Orders” failed", "Refused")])


class Asked(FakeBackend):
    """Keeps which operations it was asked for by a notification."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, str]] = []

    async def retry_execution(self, execution_id: ExecutionId) -> ExecutionId:
        self.asked.append(("retry", execution_id))
        return execution_id

    async def resume_flow(self, flow_id: FlowId) -> Flow:
        self.asked.append(("resume", flow_id))
        return self.flows[flow_id]


@pytest.mark.parametrize("button", ["Retry", "Resume"])
def test_a_single_failure_can_be_retried_and_a_paused_flow_resumed(qtbot, tasks, button):
    backend, desktop = Asked(), Desktop(button)
    main = open_main_window(
        replace(services(tasks, backend), notify=desktop), stub_tabs(), ShellOptions(workspace="local")
    )
    qtbot.addWidget(main)
    failed = next(run for run in backend.executions if run.state is ExecutionState.FAILURE)
    flow = next(iter(backend.flows.values()))
    one = failure_notification([failed]) if button == "Retry" else paused_notification([flow])

    main.area.alarms.notification_requested.emit(one)

    qtbot.waitUntil(lambda: bool(backend.asked))
    assert backend.asked == [("retry", failed.id) if button == "Retry" else ("resume", flow.id)]


class Looking(StubTab):
    """A tab that shows one execution."""

    seen_id = ""

    def shows(self, place):
        return place.id == self.seen_id


def test_nothing_is_shown_about_what_the_person_is_looking_at(qtbot, tasks):
    backend = FakeBackend()
    main = open_main_window(
        services(tasks, backend), dict.fromkeys(Tab, Looking), ShellOptions(workspace="local")
    )
    qtbot.addWidget(main)
    main.show()
    main.activateWindow()
    qtbot.waitUntil(lambda: main.isActiveWindow() and main.area.has_view)
    area: Any = main.area
    added: list[Any] = []
    area.inbox.add = added.append
    failed = [run for run in backend.executions if run.state is ExecutionState.FAILURE][:2]
    area.show_tab(Tab.EXECUTIONS)
    area.view.seen_id = failed[0].id

    area.notify(failure_notification(failed[:1]))
    assert added == []
    area.notify(failure_notification(failed))
    area.show_tab(Tab.FLOWS)
    area.view.seen_id = failed[0].id
    area.notify(failure_notification(failed[:1]))

    assert [len(one.runs) for one in added] == [2, 1]


def test_only_what_was_good_can_break():
    breakage = ConnectionHealthWatcher()

    assert (
        breakage.find_newly_broken(
            _connections(ada=ConnectionHealth.NEEDS_ATTENTION, bob=ConnectionHealth.NEVER_TESTED)
        )
        is None
    )
    assert (
        breakage.find_newly_broken(
            _connections(ada=ConnectionHealth.NEEDS_ATTENTION, bob=ConnectionHealth.NEEDS_ATTENTION)
        )
        is None
    )


def test_a_broken_connection_is_reported_once_until_it_works_again():
    breakage = ConnectionHealthWatcher()
    good, bad = _connections(ada=ConnectionHealth.VALID), _connections(ada=ConnectionHealth.NEEDS_ATTENTION)
    assert breakage.find_newly_broken(good) is None

    assert breakage.find_newly_broken(bad).title == "“Ada” needs attention"
    assert breakage.find_newly_broken(bad) is None
    assert breakage.find_newly_broken(good) is None
    assert breakage.find_newly_broken(bad).text == "Refused"


def test_several_at_once_are_one_message():
    breakage = ConnectionHealthWatcher()
    breakage.find_newly_broken(_connections(ada=ConnectionHealth.VALID, bob=ConnectionHealth.EXPIRES_SOON))

    broken = breakage.find_newly_broken(
        _connections(ada=ConnectionHealth.NEEDS_ATTENTION, bob=ConnectionHealth.NEEDS_ATTENTION)
    )

    assert (broken.title, broken.text) == ("2 connections need attention", "Ada, Bob")


def test_the_workspace_tells_when_a_connection_breaks(qtbot, tasks):
    backend = FakeBackend(executions=5)
    model = WorkspaceViewModel(services(tasks, backend))
    model.start()
    qtbot.waitUntil(lambda: model.attention == 2)
    broken = ConnectionId("con-gh")
    backend.connections[broken] = backend.connections[broken].model_copy(
        update={"health": ConnectionHealth.NEEDS_ATTENTION, "reason": "GitHub withdrew access"}
    )

    with qtbot.waitSignal(model.connections_broke) as told:
        tasks.run(model, _announce(backend))

    assert told.args[0].text == "GitHub withdrew access"
    assert model.attention == 3


async def _announce(backend):
    backend.announce(ResourceType.CONNECTION, "con-gh")
