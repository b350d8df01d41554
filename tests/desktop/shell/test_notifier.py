"""Desktop notifications about broken connections: shown once, and in the window while it is active."""

from typing import Any

import pytest
from PySide6.QtWidgets import QSystemTrayIcon, QWidget
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.shell.desktop_notifications import Notifier
from patchbay.desktop.shell.view_models.workspace_status import ConnectionHealthWatcher, WorkspaceViewModel
from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.changes import ResourceType
from patchbay.domain.connections import Connection, ConnectionHealth


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


def test_the_message_in_the_window_leads_there_too(owner):
    in_window: Any = ShowInWindow()
    shown: list[Any] = []

    Notifier(owner, in_window, lambda: None).show_message("A", "b", lambda: shown.append("A"))
    in_window.show()

    assert shown == ["A"]


def test_where_the_system_has_no_messages_the_window_tells(owner):
    in_window = ShowInWindow()

    Notifier(owner, in_window, lambda: None).show_message("“Ada” needs attention", "Refused", nothing)

    assert in_window.told == ["“Ada” needs attention. Refused"]


def test_in_front_the_window_tells(qtbot, owner):
    owner.show()
    owner.activateWindow()
    qtbot.waitUntil(owner.isActiveWindow)
    tray, in_window = Tray(), ShowInWindow()

    Notifier(owner, in_window, lambda: tray).show_message("A", "b", nothing)

    assert (tray.told, in_window.told) == ([], ["A. b"])


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
