"""Settings → Data: the schedule of backups, restoring one, and the check of the database."""

from datetime import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton
from tests.support.fake_backups import FakeBackups

from patchbay.desktop.settings.backups_section import BackupsSection
from patchbay.desktop.settings.database_section import DatabaseSection
from patchbay.desktop.settings.view_models.backups import BackupsViewModel
from patchbay.domain.backups import BackupInterval, BackupSchedule, BackupStatus
from patchbay.domain.errors import ValidationFailed

WEEKLY = BackupSchedule(BackupInterval.WEEKLY, time(4, 15), 2, Path("/backups"), 5)


@pytest.fixture
def backups():
    return FakeBackups()


@pytest.fixture
def restored():
    return []


@pytest.fixture
def section_of(qtbot, tasks, restored, tmp_path):
    def build(backups):
        model = BackupsViewModel(backups, tasks, tmp_path)
        section = BackupsSection(model, lambda *request: restored.append(request))
        qtbot.addWidget(section)
        section.show()
        qtbot.waitUntil(lambda: model.overview is not None)
        return section

    return build


@pytest.fixture
def section(section_of, backups):
    return section_of(backups)


def test_the_first_schedule_gets_a_folder_and_each_change_is_stored(qtbot, section, backups, tmp_path):
    section.every.set_value(BackupInterval.DAILY)
    section.at.set_value(time(22, 30))
    section.keep.set_value(30)

    wanted = BackupSchedule(BackupInterval.DAILY, time(22, 30), 6, tmp_path, 30)
    qtbot.waitUntil(lambda: backups.schedule == wanted)
    assert section.folder.text() == str(tmp_path)
    assert not section.weekday.isVisible()


def test_what_the_settings_file_says_is_shown_unchanged(qtbot, section_of):
    backups = FakeBackups(WEEKLY)

    section = section_of(backups)

    assert (section.every.value(), section.weekday.value()) == (BackupInterval.WEEKLY, 2)
    assert (section.at.value(), section.keep.value()) == (time(4, 15), 5)
    assert backups.schedule == WEEKLY


def test_without_a_passphrase_no_backup_can_be_made(qtbot, section_of, backups):
    section = section_of(FakeBackups(WEEKLY))

    assert section.problem.accessibleName().startswith("No passphrase is set")
    assert section.back_up.toolTip() == "Set a passphrase first."


def test_the_passphrase_is_asked_for_twice(qtbot, section_of):
    backups = FakeBackups(WEEKLY)
    section = section_of(backups)
    section.passphrase.click()
    dialog = section.dialog
    dialog.secret.edit.setText("correct horse")
    dialog.repeated_secret.edit.setText("correct house")
    dialog.submit.click()
    assert dialog.repeated.error == "The passphrases don't match."

    dialog.repeated_secret.edit.setText("correct horse")
    dialog.submit.click()

    qtbot.waitUntil(lambda: section.passphrase.text() == "Change passphrase…")
    assert backups.passphrase == "correct horse"
    assert not section.problem.isVisible()


def test_a_backup_is_made_now_and_the_last_one_is_shown(qtbot, section_of):
    backups = FakeBackups(WEEKLY)
    backups.passphrase = "correct horse"
    section = section_of(backups)

    section.back_up.click()

    qtbot.waitUntil(lambda: section.state.text().endswith("1 backup in total."))
    assert not section.back_up.busy


def test_a_failed_backup_says_why(section_of):
    backups = FakeBackups(WEEKLY)
    backups.made = BackupStatus(problem="The disk is full.", problem_at=1_763_649_660_000)

    section = section_of(backups)

    assert "The disk is full." in section.problem.accessibleName()
    assert section.problem.isVisible()


def test_a_backup_is_restored_only_after_it_was_checked(qtbot, section, restored):
    section.restore_button.click()
    dialog = section.dialog
    dialog.file.setText("/backups/one.patchbay")
    dialog.secret.edit.setText("correct horse")
    dialog.submit.click()
    qtbot.waitUntil(lambda: dialog.submit.text() == "Restore")
    assert "24 flows, 1 connection" in dialog.outcome.accessibleName()
    assert (dialog.cancel.isDefault(), dialog.submit.isDefault()) == (True, False)  # what Enter presses
    assert restored == []

    dialog.secret.edit.setText("correct house")
    assert dialog.submit.text() == "Check backup"
    dialog.secret.edit.setText("correct horse")
    dialog.submit.click()
    qtbot.waitUntil(lambda: dialog.submit.text() == "Restore")
    dialog.submit.click()

    assert restored == [(Path("/backups/one.patchbay"), "correct horse")]


def test_enter_after_the_check_restores_nothing(qtbot, section, restored):
    section.restore_button.click()
    dialog = section.dialog
    dialog.file.setText("/backups/one.patchbay")
    dialog.secret.edit.setText("correct horse")
    qtbot.keyClick(dialog.secret.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.submit.text() == "Restore")

    qtbot.keyClick(dialog.cancel, Qt.Key.Key_Return)

    assert not dialog.isVisible()
    assert restored == []


def test_a_backup_that_cannot_be_opened_is_not_restored(qtbot, section, backups, restored):
    backups.fails = ValidationFailed({}, happened="The passphrase doesn't open this backup.")
    section.restore_button.click()
    dialog = section.dialog
    dialog.file.setText("/backups/one.patchbay")
    dialog.secret.edit.setText("wrong")

    dialog.submit.click()

    qtbot.waitUntil(dialog.outcome.isVisible)
    assert "doesn't open this backup" in dialog.outcome.accessibleName()
    assert dialog.submit.text() == "Check backup"
    assert restored == []
    dialog.reject()


def test_the_schedule_can_be_reset_and_restored(qtbot, section_of):
    backups = FakeBackups(WEEKLY)
    section = section_of(backups)

    section.reset.button.click()
    qtbot.waitUntil(lambda: backups.schedule == BackupSchedule())
    section.reset.undo.click()

    qtbot.waitUntil(lambda: backups.schedule == WEEKLY)


def test_damage_is_shown_and_repaired_after_a_question(qtbot, tasks, backups, tmp_path):
    repaired: list[bool] = []
    backups.problems = ("index “run_by_time” is missing",)
    section = DatabaseSection(BackupsViewModel(backups, tasks, tmp_path), lambda: repaired.append(True))
    qtbot.addWidget(section)
    section.show()
    assert not section.repair.isVisible()

    section.check.click()
    qtbot.waitUntil(section.repair.isVisible)
    section.repair.click()
    buttons = section.dialog.findChildren(QAbstractButton)
    next(button for button in buttons if button.text() == "Repair").click()

    assert repaired == [True]
    assert "run_by_time" in section.result.accessibleName()


def test_an_intact_database_needs_no_repair(qtbot, tasks, backups, tmp_path):
    section = DatabaseSection(BackupsViewModel(backups, tasks, tmp_path), lambda: None)
    qtbot.addWidget(section)
    section.show()

    section.check.click()

    qtbot.waitUntil(lambda: section.result.accessibleName() == "The database is intact")
    assert not section.repair.isVisible()
