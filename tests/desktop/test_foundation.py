"""Tasks, change feed and app store: the joints between the window and the loop thread."""

import ast
import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, QTimer
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.forms import long_form

from patchbay import desktop
from patchbay.desktop.core.change_feed import merge
from patchbay.desktop.tasks import LatestRequest, Tasks
from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.errors import NotFound


def test_a_result_arrives_on_the_window_thread(qtbot, tasks: Tasks):
    owner = QObject()
    got: list[Any] = []

    async def work() -> int:
        return 42

    tasks.run(owner, work(), done=got.append)

    qtbot.waitUntil(lambda: got == [42])


def test_an_app_error_is_distinguished_from_a_result(qtbot, tasks: Tasks):
    owner = QObject()
    failed: list[Any] = []

    async def work() -> None:
        raise NotFound("Gone.")

    tasks.run(owner, work(), failed=failed.append)

    qtbot.waitUntil(lambda: len(failed) == 1)
    assert isinstance(failed[0], NotFound)


def test_a_cancelled_task_says_so_and_delivers_nothing(qtbot, tasks: Tasks):
    owner = QObject()
    got: list[Any] = []
    task = tasks.run(owner, asyncio.sleep(30, "late"), done=got.append)

    with qtbot.waitSignal(task.cancelled):
        task.cancel()

    assert got == []


def test_the_newest_question_wins(qtbot, tasks: Tasks):
    owner = QObject()
    got: list[Any] = []
    latest = LatestRequest(tasks, owner)

    latest.run(asyncio.sleep(0.05, "old"), done=got.append)
    latest.run(asyncio.sleep(0, "new"), done=got.append)

    qtbot.waitUntil(lambda: got == ["new"])


def test_refreshes_that_come_faster_than_a_read_all_lead_to_results(qtbot, tasks: Tasks):
    owner = QObject()
    started: list[Any] = []
    got: list[Any] = []
    latest = LatestRequest(tasks, owner)

    def read():
        started.append(len(started))
        return asyncio.sleep(0.02, len(started))

    timer = QTimer(owner)
    timer.timeout.connect(lambda: latest.refresh(read, done=got.append))
    timer.start(1)

    qtbot.waitUntil(lambda: len(got) >= 3)
    timer.stop()
    qtbot.waitUntil(lambda: not latest.is_running)
    assert got == list(range(1, len(started) + 1))


def test_a_new_question_drops_the_refresh_that_waits(qtbot, tasks: Tasks):
    owner = QObject()
    got: list[Any] = []
    latest = LatestRequest(tasks, owner)

    latest.refresh(lambda: asyncio.sleep(0.05, "old"), done=got.append)
    latest.refresh(lambda: asyncio.sleep(0, "again"), done=got.append)
    latest.run(asyncio.sleep(0, "new"), done=got.append)

    qtbot.waitUntil(lambda: not latest.is_running)
    assert got == ["new"]


def test_changes_reach_the_window_merged(qtbot, tasks: Tasks):
    backend = FakeBackend()
    shared = services(tasks, backend)
    got: list[Change] = []
    shared.feed.changed.connect(got.append)
    qtbot.waitUntil(lambda: bool(backend._listeners))

    asyncio.run_coroutine_threadsafe(_announce(backend, 50), tasks._loop.loop)

    qtbot.waitUntil(lambda: sum(len(change.ids) for change in got) == 50)
    assert len(got) == 1


async def _announce(backend: FakeBackend, count: int) -> None:
    for number in range(count):
        backend.announce(ResourceType.EXECUTION, f"e{number}", action="created")


@long_form
def test_no_single_shot_timer_outlives_its_owner():
    """Without a context object, Qt calls the method of an object that was deleted meanwhile."""
    calls = [
        (file.name, call.lineno, len(call.args))
        for file in Path(desktop.__file__).parent.rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("singleShot")
    ]

    assert calls
    assert [call for call in calls if call[2] < 3] == []


def test_merging_keeps_nouns_and_actions_apart():
    merged = merge(
        [
            Change(noun=ResourceType.FLOW, ids=("a",)),
            Change(noun=ResourceType.FLOW, ids=("b", "a")),
            Change(noun=ResourceType.FOLDER),
        ]
    )

    assert merged == (Change(noun=ResourceType.FLOW, ids=("a", "b")), Change(noun=ResourceType.FOLDER))


def test_apps_are_loaded_once_and_answered_at_once(qtbot, tasks: Tasks):
    shared = services(tasks)
    with qtbot.waitSignal(shared.apps.changed):
        pass

    app = shared.apps.get(AppKey("todoist"))

    assert app is not None
    assert app.name == "Todoist"


@pytest.mark.parametrize("name", [name for name in vars(Backend) if not name.startswith("_")])
def test_the_fake_offers_every_operation(name: str):
    assert hasattr(FakeBackend(executions=0), name)
