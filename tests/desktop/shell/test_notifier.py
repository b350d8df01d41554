"""Messages of the system about connections that broke: told once, in the window when that is in front."""

import pytest
from PySide6.QtWidgets import QSystemTrayIcon, QWidget
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.state.breakage import Breakage
from patchbay.desktop.state.workspace_view_model import WorkspaceViewModel
from patchbay.desktop.ui.shell.notifier import Notifier
from patchbay.domain.changes import Noun
from patchbay.domain.connections import Connection, Health


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
        Connection(id=key, app_key="app", screen_name=key.title(), health=state, reason="Refused")
        for key, state in health.items()
    ]


def test_behind_other_windows_the_system_tells(owner):
    tray, in_window = Tray(), []
    notifier = Notifier(owner, in_window.append, lambda: tray)

    notifier.tell("“Ada” needs attention", "Refused")

    assert tray.told == [("“Ada” needs attention", "Refused")]
    assert in_window == []


def test_a_click_on_the_message_asks_for_the_window_and_takes_the_icon_away(qtbot, owner):
    tray = Tray()
    notifier = Notifier(owner, print, lambda: tray)
    notifier.tell("A", "b")

    with qtbot.waitSignal(notifier.opened):
        tray.messageClicked.emit()

    assert not tray.shown


def test_where_the_system_has_no_messages_the_window_tells(owner):
    in_window = []

    Notifier(owner, in_window.append, lambda: None).tell("“Ada” needs attention", "Refused")

    assert in_window == ["“Ada” needs attention. Refused"]


def test_in_front_the_window_tells(qtbot, owner):
    owner.show()
    owner.activateWindow()
    qtbot.waitUntil(owner.isActiveWindow)
    tray, in_window = Tray(), []

    Notifier(owner, in_window.append, lambda: tray).tell("A", "b")

    assert (tray.told, in_window) == ([], ["A. b"])


def test_only_what_was_good_can_break():
    breakage = Breakage()

    assert breakage.newly(_connections(ada=Health.NEEDS_ATTENTION, bob=Health.NEVER_TESTED)) is None
    assert breakage.newly(_connections(ada=Health.NEEDS_ATTENTION, bob=Health.NEEDS_ATTENTION)) is None


def test_a_break_is_told_once_until_it_was_good_again():
    breakage = Breakage()
    good, bad = _connections(ada=Health.VALID), _connections(ada=Health.NEEDS_ATTENTION)
    assert breakage.newly(good) is None

    assert breakage.newly(bad).title == "“Ada” needs attention"
    assert breakage.newly(bad) is None
    assert breakage.newly(good) is None
    assert breakage.newly(bad).text == "Refused"


def test_several_at_once_are_one_message():
    breakage = Breakage()
    breakage.newly(_connections(ada=Health.VALID, bob=Health.EXPIRES_SOON))

    broken = breakage.newly(_connections(ada=Health.NEEDS_ATTENTION, bob=Health.NEEDS_ATTENTION))

    assert (broken.title, broken.text) == ("2 connections need attention", "Ada, Bob")


def test_the_workspace_tells_when_a_connection_breaks(qtbot, tasks):
    backend = FakeBackend(executions=5)
    model = WorkspaceViewModel(services(tasks, backend))
    model.start()
    qtbot.waitUntil(lambda: model.attention == 2)
    backend.connections["con-gh"] = backend.connections["con-gh"].model_copy(
        update={"health": Health.NEEDS_ATTENTION, "reason": "GitHub withdrew access"}
    )

    with qtbot.waitSignal(model.broke) as told:
        tasks.run(model, _announce(backend))

    assert told.args[0].text == "GitHub withdrew access"
    assert model.attention == 3


async def _announce(backend):
    backend.announce(Noun.CONNECTION, "con-gh")
