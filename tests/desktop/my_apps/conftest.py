import pytest
from PySide6.QtWidgets import QWidget
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_workspace import browser_app

from patchbay.desktop.my_apps.connection_dialog import ConnectionDialog
from patchbay.desktop.my_apps.view_models.connection_form import ConnectionFormViewModel


@pytest.fixture
def backend():
    made = FakeBackend(executions=5)
    forge = browser_app()
    made.apps[forge.key] = forge
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


@pytest.fixture
def page(qtbot):
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(1024, 640)
    made.show()
    return made


@pytest.fixture
def open_dialog(qtbot, shared, page, opened):
    def make(app_key, existing=None):
        form = ConnectionFormViewModel(
            shared, app_key, existing, open_url=lambda url: opened.append(url) is None
        )
        dialog = ConnectionDialog(form, page)
        qtbot.addWidget(dialog)
        dialog.open()
        form.load()
        qtbot.waitUntil(lambda: bool(dialog.fields) and dialog.where.isVisible())
        return dialog, form

    return make
