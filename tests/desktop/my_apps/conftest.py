import pytest
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend, browser_app


@pytest.fixture
def backend():
    made = FakeBackend(executions=5)
    made.apps["forge"] = browser_app()
    return made


@pytest.fixture
def shared(qtbot, tasks, backend):
    made = services(tasks, backend)
    qtbot.waitUntil(lambda: bool(made.apps.all))
    return made


@pytest.fixture
def opened():
    """The addresses that the system browser was asked to open."""
    return []


@pytest.fixture
def on_loop(loop_thread):
    """Call something on the thread where the backend lives."""
    return loop_thread.loop.call_soon_threadsafe
