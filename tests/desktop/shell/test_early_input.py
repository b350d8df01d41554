"""What is typed after a shortcut while the window still loads."""

import asyncio
import threading
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.shell import Broken, StubTab, stub_tabs

from patchbay.desktop.core.frame_options import FrameOptions
from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.desktop.shell.main_window import MainWindow
from patchbay.desktop.tasks import Tasks
from patchbay.domain.flows import Flow

CONTROL = Qt.KeyboardModifier.ControlModifier


class Slow(FakeBackend):
    """A workspace whose flows can be read once `opened` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = threading.Event()

    def flow(self) -> Flow:
        """A flow whose name can be typed in tests, which only know ASCII keys."""
        return next(flow for flow in self.flows.values() if flow.name.isascii())

    async def list_flows(self, where: Any, page: Any) -> Any:
        await asyncio.to_thread(self.opened.wait, 30)
        return await super().list_flows(where, page)


@pytest.fixture
def frame(qtbot: QtBot) -> MainWindow:
    """A frame in which the palette was requested."""
    made = MainWindow(FrameOptions("local"))
    qtbot.addWidget(made)
    made.show()
    qtbot.keyClick(made, Qt.Key.Key_K, CONTROL)
    return made


def load(window: MainWindow, tasks: Tasks, backend: FakeBackend | None = None) -> None:
    window.complete(None, stub_tabs(), ShellOptions(), tasks=tasks)
    loaded = services(tasks, backend)
    loaded.apps.load()
    window.open_workspace(loaded, ShellOptions(workspace="local"))


def places(window: MainWindow) -> list[Any]:
    assert window.area is not None
    view = window.area.views.get(Tab.FLOWS)
    return view.places if isinstance(view, StubTab) else []


def test_an_early_enter_runs_the_best_match(qtbot: QtBot, tasks: Tasks, frame: MainWindow) -> None:
    qtbot.keyClicks(frame, "go to my appz")
    qtbot.keyClick(frame, Qt.Key.Key_Backspace)
    qtbot.keyClicks(frame, "s")
    qtbot.keyClick(frame, Qt.Key.Key_Return)
    qtbot.keyClicks(frame, "more")

    load(frame, tasks)

    qtbot.waitUntil(lambda: frame.area.tab is Tab.MY_APPS)
    qtbot.waitUntil(lambda: frame.palette_view is None)


def test_an_early_enter_waits_for_the_flow_whose_name_was_typed(
    qtbot: QtBot, tasks: Tasks, frame: MainWindow
) -> None:
    backend = Slow()
    flow = backend.flow()
    qtbot.keyClicks(frame, flow.name)
    qtbot.keyClick(frame, Qt.Key.Key_Enter)

    load(frame, tasks, backend)
    qtbot.waitUntil(lambda: frame.palette_view is not None)
    assert (frame.palette_view.field.text(), places(frame)) == (flow.name, [])
    backend.opened.set()

    qtbot.waitUntil(lambda: [place.id for place in places(frame)] == [flow.id])


def test_enter_waits_in_the_open_palette_if_only_what_loads_can_match(
    qtbot: QtBot, tasks: Tasks, frame: MainWindow
) -> None:
    backend = Slow()
    flow = backend.flow()
    load(frame, tasks, backend)
    qtbot.waitUntil(lambda: frame.palette_view is not None)
    qtbot.keyClicks(frame.palette_view.field, flow.name)

    qtbot.keyClick(frame.palette_view.field, Qt.Key.Key_Return)
    backend.opened.set()

    qtbot.waitUntil(lambda: [place.id for place in places(frame)] == [flow.id])


def test_nothing_runs_that_was_edited_after_an_early_enter(
    qtbot: QtBot, tasks: Tasks, frame: MainWindow
) -> None:
    backend = Slow()
    qtbot.keyClicks(frame, "go to my apps")
    qtbot.keyClick(frame, Qt.Key.Key_Return)
    load(frame, tasks, backend)
    qtbot.waitUntil(lambda: frame.palette_view is not None)

    qtbot.keyClicks(frame.palette_view.field, "!")
    backend.opened.set()
    qtbot.waitUntil(lambda: frame.area.objects.is_loaded)

    assert frame.palette_view.field.text() == "go to my apps!"
    assert frame.area.tab is Tab.FLOWS


def test_the_palette_stays_open_with_the_text_if_flows_cannot_be_loaded(
    qtbot: QtBot, tasks: Tasks, frame: MainWindow
) -> None:
    backend = Broken()
    backend.reachable = False
    qtbot.keyClicks(frame, "go to my apps")
    qtbot.keyClick(frame, Qt.Key.Key_Return)

    load(frame, tasks, backend)
    qtbot.waitUntil(lambda: frame.palette_view is not None)
    assert frame.palette_view.field.text() == "go to my apps"

    qtbot.keyClick(frame.palette_view.field, Qt.Key.Key_Return)
    assert frame.area.tab is Tab.MY_APPS


def test_an_early_enter_runs_nothing_after_keys_that_select(
    qtbot: QtBot, tasks: Tasks, frame: MainWindow
) -> None:
    qtbot.keyClicks(frame, "go to")
    qtbot.keyClick(frame, Qt.Key.Key_Down)
    qtbot.keyClick(frame, Qt.Key.Key_Return)

    load(frame, tasks)
    qtbot.waitUntil(lambda: frame.area.objects.is_loaded)

    assert frame.palette_view.field.text() == "go to"
    assert frame.area.tab is Tab.FLOWS


def test_an_early_escape_drops_the_palette(qtbot: QtBot, tasks: Tasks, frame: MainWindow) -> None:
    qtbot.keyClicks(frame, "new")
    qtbot.keyClick(frame, Qt.Key.Key_Escape)

    load(frame, tasks)
    qtbot.waitUntil(lambda: frame.area.has_view)

    assert frame.palette_view is None


def test_letters_between_the_frame_and_the_first_view_are_kept(
    qtbot: QtBot, tasks: Tasks, frame: MainWindow
) -> None:
    qtbot.keyClicks(frame, "fo")
    load(frame, tasks)
    assert not frame.area.has_view

    qtbot.keyClicks(frame, "ld")
    qtbot.waitUntil(lambda: frame.palette_view is not None)

    assert frame.palette_view.field.text() == "fold"


def test_a_shortcut_between_the_frame_and_the_first_view_replaces_the_early_one(
    qtbot: QtBot, tasks: Tasks, frame: MainWindow
) -> None:
    load(frame, tasks)
    assert not frame.area.has_view

    qtbot.keyClick(frame, Qt.Key.Key_K, CONTROL)
    qtbot.waitUntil(lambda: frame.area.has_view)

    assert frame.palette_view is not None
