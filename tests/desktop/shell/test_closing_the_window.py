"""Closing the window quits, asks, or goes on in the background, by what runs and by the setting."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSystemTrayIcon
from pytestqt.qtbot import QtBot
from tests.support.fake_backend import FakeBackend
from tests.support.shell import Attached, Broken, Hanging, Unpublished, window

from patchbay.desktop.core.services import EngineOwner
from patchbay.desktop.settings.window_options import OnClose, ShellOptions
from patchbay.desktop.shell import runs_dialogs
from patchbay.desktop.shell.main_window import MainWindow
from patchbay.desktop.shell.view_models.local_runs import LocalRuns
from patchbay.desktop.tasks import Tasks

Open = Callable[..., MainWindow]


class ClosedWindow:
    """Notes whether a window was closed for good."""

    def __init__(self, main: MainWindow) -> None:
        self.times = 0
        main.closed.connect(self._on_closed)

    def _on_closed(self) -> None:
        self.times += 1


@pytest.fixture
def opened(qtbot: QtBot, tasks: Tasks) -> Iterator[Open]:
    made: list[MainWindow] = []

    def open_window(
        on_close: OnClose = "ask", workspace: str = "local", backend: FakeBackend | None = None
    ) -> MainWindow:
        main = window(tasks, ShellOptions(workspace=workspace, on_close=on_close), backend)
        qtbot.addWidget(main)
        main.show()
        qtbot.waitUntil(lambda: bool(main.area and main.area.model.info))
        made.append(main)
        return main

    yield open_window
    for main in made:
        main.quit()


def test_it_asks_while_flows_are_published_here_and_stays_open_on_cancel(qtbot: QtBot, opened: Open) -> None:
    main = opened()
    closed = ClosedWindow(main)

    main.close()

    qtbot.waitUntil(lambda: main.background.dialog is not None)
    assert main.background.dialog.windowFlags() & Qt.WindowType.WindowStaysOnTopHint  # above forms of flows
    main.background.dialog.reject()
    assert (main.isVisible(), main.background.active, closed.times) == (True, False, 0)
    assert main.options.on_close == "ask"


@pytest.mark.parametrize("answer", ["background", "quit"])
def test_the_answer_takes_effect_and_becomes_the_setting(qtbot: QtBot, opened: Open, answer: OnClose) -> None:
    main = opened()
    closed = ClosedWindow(main)
    chosen: list[str] = []
    main.on_close_changed.connect(chosen.append)
    main.close()
    qtbot.waitUntil(lambda: main.background.dialog is not None)

    dialog = main.background.dialog
    (dialog.keep if answer == "background" else dialog.leave).click()

    assert chosen == [answer]
    assert main.options.on_close == answer
    assert not main.isVisible()
    assert (main.background.active, closed.times) == ((True, 0) if answer == "background" else (False, 1))


def test_in_the_background_a_tray_icon_leads_back_to_the_window(qtbot: QtBot, opened: Open) -> None:
    main = opened("background")
    main.close()
    qtbot.waitUntil(lambda: main.background.active)
    tray = main.background.tray

    assert not main.isVisible()
    assert tray.state.text() == "Engine running"
    assert tray.next_run.text().startswith("Next run ")
    assert tray.failures.text() == "7 failures today"
    qtbot.waitUntil(lambda: tray.failed[0].isVisible())

    tray.icon.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)

    assert main.isVisible()
    assert not main.background.active
    assert main.background.tray is None


def test_the_menu_of_the_tray_pauses_and_resumes(qtbot: QtBot, opened: Open) -> None:
    main = opened("background")
    main.close()
    qtbot.waitUntil(lambda: main.background.active)
    tray = main.background.tray
    assert tray.pause.isVisible()
    assert not tray.resume.isVisible()

    tray.pause.trigger()
    qtbot.waitUntil(tray.resume.isVisible)
    assert tray.state.text() == "Paused: storing webhooks"
    assert not tray.pause.isVisible()

    tray.resume.trigger()
    qtbot.waitUntil(tray.pause.isVisible)


def test_a_failure_in_the_menu_of_the_tray_opens_its_execution(qtbot: QtBot, opened: Open) -> None:
    main = opened("background")
    main.close()
    qtbot.waitUntil(lambda: main.background.active and main.background.tray.failed[0].isVisible())

    main.background.tray.failed[0].trigger()

    assert main.isVisible()
    assert main.area.tab.value == "Executions"


def test_quit_in_the_tray_ends_the_program(qtbot: QtBot, opened: Open) -> None:
    main = opened("background")
    closed = ClosedWindow(main)
    main.close()
    qtbot.waitUntil(lambda: main.background.active)

    main.background.tray.quit.trigger()

    assert closed.times == 1


@pytest.mark.parametrize(
    ("on_close", "workspace", "backend"),
    [
        ("quit", "local", FakeBackend),
        ("ask", "demo", FakeBackend),
        ("ask", "https://flows.example.org", FakeBackend),
        ("ask", "local", Unpublished),
        ("background", "local", Attached),
    ],
)
def test_otherwise_it_just_quits(
    qtbot: QtBot, opened: Open, on_close: OnClose, workspace: str, backend: type[FakeBackend]
) -> None:
    main = opened(on_close, workspace, backend())
    closed = ClosedWindow(main)

    main.close()

    qtbot.waitUntil(lambda: closed.times == 1)
    assert main.background.dialog is None
    assert not main.isVisible()


def test_it_quits_if_the_workspace_cannot_be_reached(qtbot: QtBot, opened: Open) -> None:
    backend = Broken()
    main = opened("background", backend=backend)
    closed = ClosedWindow(main)
    backend.reachable = False

    main.close()

    qtbot.waitUntil(lambda: closed.times == 1)


def test_it_quits_if_nobody_runs_the_flows(qtbot: QtBot, opened: Open) -> None:
    main = opened("background")
    closed = ClosedWindow(main)
    main.area.services.engine_owner.report(EngineOwner.NONE)

    main.close()

    assert closed.times == 1


def test_a_second_close_does_not_wait_for_a_workspace_that_hangs(qtbot: QtBot, opened: Open) -> None:
    backend = Hanging()
    main = opened("background", backend=backend)
    closed = ClosedWindow(main)
    backend.hangs = True
    main.close()
    assert main.isVisible()

    main.close()

    assert closed.times == 1


def test_quit_asks_nothing(qtbot: QtBot, opened: Open) -> None:
    main = opened()
    closed = ClosedWindow(main)

    main.actions_by_id.get("quit").run()

    assert closed.times == 1
    assert main.background.dialog is None


def test_the_question_says_what_runs_and_how_to_get_the_window_back(opened: Open) -> None:
    main = opened()

    dialog = main.background.ask(LocalRuns(published=2, unfinished=1))

    said = dialog.accessibleDescription()
    assert said.startswith(
        "2 published flows run only while Patchbay does. 1 execution hasn't finished yet. "
        f"{runs_dialogs.WITHOUT_TRAY}"
    )
    assert "unfinished executions continue at the next start" in said
    dialog.reject()
