"""Switching to another workspace asks first if published flows of this computer would stop."""

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot
from tests.support.fake_backend import FakeBackend
from tests.support.shell import Attached, Broken, Hanging, Unpublished, window

from patchbay.desktop.core.services import EngineOwner
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.desktop.shell import workspace_switch
from patchbay.desktop.shell.main_window import MainWindow
from patchbay.desktop.tasks import Tasks

SERVER = "https://flows.example.org"


class Requests:
    """What a window asks the program for: (signal, workspace)."""

    def __init__(self, main: MainWindow) -> None:
        self.made: list[tuple[str, str]] = []
        main.workspace_requested.connect(lambda name: self.made.append(("switch", name)))
        main.new_window_requested.connect(lambda name: self.made.append(("new window", name)))


@pytest.fixture
def opened(qtbot: QtBot, tasks: Tasks) -> Callable[..., MainWindow]:
    def open_window(workspace: str = "local", backend: FakeBackend | None = None) -> MainWindow:
        main = window(tasks, ShellOptions(workspace=workspace, on_close="quit", servers=(SERVER,)), backend)
        qtbot.addWidget(main)
        main.show()
        qtbot.waitUntil(lambda: bool(main.area and main.area.model.info))
        return main

    return open_window


def choose(main: MainWindow, name: str) -> None:
    """Choose a workspace in the menu at the top left."""
    menu = main.area.header.switcher.build_menu()
    next(entry for entry in menu.actions() if entry.text() == name).trigger()


@pytest.mark.parametrize(("name", "workspace"), [("Demo", "demo"), ("flows.example.org", SERVER)])
@pytest.mark.parametrize(
    ("button", "kind"), [("new_window", "new window"), ("switch", "switch"), ("cancel", None)]
)
def test_the_answer_decides(
    qtbot: QtBot,
    opened: Callable[..., MainWindow],
    name: str,
    workspace: str,
    button: str,
    kind: str | None,
) -> None:
    main = opened()
    requests = Requests(main)

    choose(main, name)
    qtbot.waitUntil(lambda: main.switching.dialog is not None)
    assert requests.made == []
    getattr(main.switching.dialog, button).click()

    assert requests.made == ([] if kind is None else [(kind, workspace)])
    assert main.switching.dialog is None


def test_the_question_says_what_stops_and_a_new_window_is_the_default(
    qtbot: QtBot, opened: Callable[..., MainWindow]
) -> None:
    main = opened()

    main.actions_by_id.get("workspace.demo").run()
    qtbot.waitUntil(lambda: main.switching.dialog is not None)
    dialog = main.switching.dialog

    assert dialog.windowTitle() == "Flows on this computer stop while another workspace is open"
    assert dialog.accessibleDescription().startswith(
        "This window runs 3 published flows. 3 executions haven't "
    )
    assert "no flow starts until you open “This computer” again" in dialog.accessibleDescription()
    assert dialog.new_window.isDefault()
    dialog.reject()


@pytest.mark.parametrize(
    ("workspace", "backend", "wanted"),
    [
        ("demo", FakeBackend, "local"),
        (SERVER, FakeBackend, "demo"),
        ("local", Unpublished, "demo"),
        ("local", Attached, "demo"),
    ],
)
def test_otherwise_it_just_switches(
    qtbot: QtBot,
    opened: Callable[..., MainWindow],
    workspace: str,
    backend: type[FakeBackend],
    wanted: str,
) -> None:
    main = opened(workspace, backend())
    requests = Requests(main)

    main.switching.request(wanted)

    qtbot.waitUntil(lambda: requests.made == [("switch", wanted)])
    assert main.switching.dialog is None


def test_it_switches_if_no_program_runs_the_flows(opened: Callable[..., MainWindow]) -> None:
    main = opened()
    requests = Requests(main)
    main.area.services.engine_owner.report(EngineOwner.NONE)

    main.switching.request("demo")

    assert requests.made == [("switch", "demo")]


def test_it_switches_if_the_workspace_cannot_be_reached(
    qtbot: QtBot, opened: Callable[..., MainWindow]
) -> None:
    backend = Broken()
    main = opened(backend=backend)
    requests = Requests(main)
    backend.reachable = False

    main.switching.request("demo")

    qtbot.waitUntil(lambda: requests.made == [("switch", "demo")])


def test_a_second_request_takes_the_place_of_the_first(
    qtbot: QtBot, opened: Callable[..., MainWindow]
) -> None:
    backend = Hanging()
    main = opened(backend=backend)
    requests, stayed = Requests(main), []
    backend.hangs = True
    main.switching.confirm(SERVER, lambda: None, lambda: stayed.append(True))

    backend.hangs = False
    main.switching.request("demo")

    qtbot.waitUntil(lambda: main.switching.dialog is not None)
    assert stayed == [True]
    main.switching.dialog.switch.click()
    assert requests.made == [("switch", "demo")]


def test_a_workspace_that_hangs_is_not_waited_for(
    qtbot: QtBot, opened: Callable[..., MainWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace_switch, "SEARCH_SECONDS", 0.05)
    backend = Hanging()
    main = opened(backend=backend)
    requests = Requests(main)
    backend.hangs = True

    main.switching.request("demo")

    qtbot.waitUntil(lambda: main.switching.dialog is not None)
    assert "it isn't known which flows it runs" in main.switching.dialog.accessibleDescription()
    main.switching.dialog.switch.click()
    assert requests.made == [("switch", "demo")]
