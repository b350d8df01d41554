"""An offline server: the window says since when, shows cached data, and keeps retrying."""

import pytest
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import NOW

from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.desktop.shell.work_area import WorkArea
from patchbay.desktop.tasks import LoopThread
from patchbay.domain.changes import ResourceType


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def area(qtbot, tasks, backend) -> WorkArea:
    around = services(tasks, backend)
    around.feed.start()
    area = WorkArea(around, {}, ShellOptions(workspace="https://flows.example.org"))
    area.resize(1280, 800)
    qtbot.addWidget(area)
    area.model.start()
    qtbot.waitUntil(lambda: area.model.info is not None and area.model.health is not None)
    return area


def say(loop: LoopThread, backend: FakeBackend, since: int | None) -> None:
    backend.offline_since = since
    loop.loop.call_soon_threadsafe(backend.announce, ResourceType.WORKSPACE)


def test_while_the_service_answers_nothing_is_said(area):
    assert area.offline.isHidden()


def test_going_offline_and_coming_back_is_seen(qtbot, area, backend, loop_thread):
    say(loop_thread, backend, NOW - 60_000)
    qtbot.waitUntil(lambda: not area.offline.isHidden())
    assert "isn't responding. You're viewing data from today" in area.offline.words.text()
    assert " offline, data from " in area.status.engine.words()

    say(loop_thread, backend, None)
    qtbot.waitUntil(area.offline.isHidden)


def test_trying_now_asks_the_service(qtbot, area, backend, loop_thread):
    say(loop_thread, backend, NOW)
    qtbot.waitUntil(lambda: not area.offline.isHidden())
    backend.calls.clear()

    area.offline.try_now.click()

    qtbot.waitUntil(lambda: any(name == "health" for name, _ in backend.calls))
