"""The folders for files, and the programs, on the engine's page of the settings."""

import pytest
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.settings.engine_page import EnginePage
from patchbay.desktop.settings.view_models.engine_settings import EngineSettingsViewModel
from patchbay.domain.engine import EngineSettings
from patchbay.domain.errors import ValidationFailed


@pytest.fixture
def backend():
    made = FakeBackend(executions=1)
    made.settings = EngineSettings(allowed_folders=("/srv/files",))
    return made


@pytest.fixture
def page(qtbot, tasks, backend):
    around = services(tasks, backend)
    made = EnginePage(EngineSettingsViewModel(around), around.clock)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: "/srv/files" in made.folders.rows)
    return made


def test_a_folder_is_allowed_and_removed_again(qtbot, page, backend):
    page.folders.add.click()
    dialog = page.folders.dialog
    dialog._submit()
    assert dialog.isVisible()
    dialog.path.setText("/srv/inbox ")
    dialog._submit()
    qtbot.waitUntil(lambda: list(page.folders.rows) == ["/srv/files", "/srv/inbox"])
    assert backend.settings.allowed_folders == ("/srv/files", "/srv/inbox")

    page.folders.rows["/srv/files"].remove.click()

    qtbot.waitUntil(lambda: list(page.folders.rows) == ["/srv/inbox"])
    page.undo.click()
    qtbot.waitUntil(lambda: list(page.folders.rows) == ["/srv/files", "/srv/inbox"])


def test_a_folder_of_a_server_is_entered_and_not_browsed(qtbot, page):
    page._model.is_local = False
    page.folders.open_dialog()

    assert not page.folders.dialog.browse.isVisible()
    assert "the server" in page.folders.dialog.field._help_text


def test_a_program_is_allowed_and_removed_again(qtbot, page, backend):
    page.programs.add.click()
    dialog = page.programs.dialog
    dialog._submit()
    assert dialog.isVisible()
    dialog.path.setText("/usr/bin/convert")
    dialog._submit()
    qtbot.waitUntil(lambda: list(page.programs.rows) == ["/usr/bin/convert"])
    assert backend.settings.allowed_programs == ("/usr/bin/convert",)
    assert backend.settings.allowed_folders == ("/srv/files",)

    page.programs.rows["/usr/bin/convert"].remove.click()

    qtbot.waitUntil(lambda: not page.programs.rows)


def test_a_path_that_cant_be_allowed_stays_in_the_dialog_with_the_error(qtbot, page, backend):
    why = "“/bin/sh” is a shell."
    backend.failing["change_engine_settings"] = ValidationFailed({"allowedPrograms": [why]}, happened=why)
    page.programs.add.click()
    dialog = page.programs.dialog
    dialog.path.setText("/bin/sh")

    dialog._submit()

    qtbot.waitUntil(lambda: dialog.field.error == why)
    assert page.programs.dialog is dialog
    assert dialog.isVisible()
    assert dialog.path.text() == "/bin/sh"
    assert page._model.error is None
    del backend.failing["change_engine_settings"]
    dialog.path.setText("/usr/bin/convert")
    dialog._submit()
    qtbot.waitUntil(lambda: list(page.programs.rows) == ["/usr/bin/convert"])
    assert page.programs.dialog is None


def test_a_path_that_is_allowed_already_closes_the_dialog(page):
    page.folders.add.click()
    page.folders.dialog.path.setText("/srv/files")

    page.folders.dialog._submit()

    assert page.folders.dialog is None
