"""Settings → Data: files of a real data folder, its log, and its crash reports."""

from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QUrl
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLabel

from patchbay.desktop.settings.dialog import SettingsDialog
from patchbay.desktop.settings.view_models.stored_files import StoredFilesViewModel
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.platform.paths import AppPaths
from patchbay.platform.stored_files import SHOWN_OF_A_LOG, StoredFiles

OLDER, NEWER = "crash-20260102-030405-0123456789ab.txt", "crash-20260203-040506-ba9876543210.txt"


@pytest.fixture
def paths(tmp_path: Path) -> AppPaths:
    made = AppPaths.choose(tmp_path / "data")
    made.prepare()
    made.database.write_bytes(b"x" * 2_500_000)
    (made.logs / "patchbay.log").write_text("first line\nlast line\n", "utf-8")
    (made.logs / OLDER).write_text("Patchbay 1.0\n\nTraceback\nKeyError: 'name'\n", "utf-8")
    (made.logs / NEWER).write_text(
        "Patchbay 1.0\n\nTraceback\nZeroDivisionError: division by zero\n", "utf-8"
    )
    (made.logs / "crash-holiday.txt").write_text("not a report", "utf-8")
    return made


@pytest.fixture
def opened() -> list[QUrl]:
    return []


@pytest.fixture
def page(qtbot, tasks, paths, opened):
    model = StoredFilesViewModel(StoredFiles(paths), tasks)
    main = QDialog()
    qtbot.addWidget(main)
    main.show()
    dialog = SettingsDialog(main, ShellOptions(stored_files=model), open_address=opened.append)
    dialog.show_page("Data")
    dialog.show()
    page = dialog.page("Data")
    qtbot.waitUntil(lambda: bool(page.places.rows))
    yield page
    dialog.close()


def button(widget, name: str) -> QAbstractButton:
    return next(one for one in widget.findChildren(QAbstractButton) if one.accessibleName().startswith(name))


def test_it_lists_what_is_stored_where_and_opens_the_folder(page, paths, opened):
    row = page.places.rows[str(paths.database)]
    names = [one.accessibleName() for one in page.places.rows.values()]

    button(row, "Open the folder").click()
    button(row, "Copy the path").click()

    assert QLocale().formattedDataSize(2_500_000, 1, QLocale.DataSizeFormat.DataSizeSIFormat) in [
        label.text() for label in row.findChildren(QLabel)
    ]
    assert opened == [QUrl.fromLocalFile(str(paths.data))]
    assert QApplication.clipboard().text() == str(paths.database)
    assert not any("passphrase" in name for name in names)  # there is no vault


def test_the_log_is_shown_and_copied(qtbot, page):
    page.log_button.click()

    qtbot.waitUntil(lambda: page.text_dialog is not None)
    page.text_dialog.copy.click()
    assert page.text_dialog.area.toPlainText() == "first line\nlast line\n"
    assert QApplication.clipboard().text() == "first line\nlast line\n"
    page.text_dialog.accept()


def test_crash_reports_are_shown_newest_first_and_deleted_after_a_question(qtbot, page, paths):
    assert list(page.reports.rows) == [NEWER, OLDER]
    assert "ZeroDivisionError" in page.reports.rows[NEWER].accessibleName()

    button(page.reports.rows[NEWER], "Show").click()
    qtbot.waitUntil(lambda: page.text_dialog is not None)
    assert "Traceback" in page.text_dialog.area.toPlainText()
    page.text_dialog.accept()

    button(page.reports.rows[NEWER], "Delete").click()
    question = next(one for one in page.findChildren(QDialog) if one.windowTitle().startswith("Delete"))
    next(one for one in question.findChildren(QAbstractButton) if one.text() == "Delete").click()
    qtbot.waitUntil(lambda: list(page.reports.rows) == [OLDER])
    assert not (paths.logs / NEWER).exists()


def test_a_report_that_cannot_be_deleted_says_why(qtbot, page, paths):
    (paths.logs / OLDER).unlink()
    (paths.logs / OLDER).mkdir()

    page._model.delete_report(page._model.reports[1])

    qtbot.waitUntil(page.problem.isVisible)
    assert "couldn't be deleted" in page.problem.accessibleName()


def test_only_the_end_of_a_long_log_is_read(paths):
    (paths.logs / "patchbay.log").write_text("".join(f"line {n}\n" for n in range(100_000)), "utf-8")

    text = StoredFiles(paths).log()

    assert len(text) <= SHOWN_OF_A_LOG
    assert text.startswith("line ")
    assert text.endswith("line 99999\n")


def test_a_workspace_that_stores_nothing_says_so(qtbot):
    main = QDialog()
    qtbot.addWidget(main)
    page = SettingsDialog(main, ShellOptions()).page("Data")

    assert not page.log_button.isVisibleTo(page)
