"""Settings → Data: backups, the database, what is stored where on this computer, log, and crash reports."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QUrl
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from patchbay.desktop.core.language import formats, tr
from patchbay.desktop.core.times import full_moment
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton
from patchbay.desktop.kit.dialogs import Dialog, confirm
from patchbay.desktop.kit.layout import FormScroll, line
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.secret_fields import copy_text
from patchbay.desktop.kit.text import Label, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.settings.backups_section import BackupsSection
from patchbay.desktop.settings.database_section import DatabaseSection
from patchbay.desktop.settings.list_page import RowList, TwoLineRow
from patchbay.desktop.settings.view_models.backups import BackupsViewModel
from patchbay.desktop.settings.view_models.stored_files import StoredFilesViewModel
from patchbay.domain.stored_files import CrashReport, StoredPlace

if TYPE_CHECKING:
    from patchbay.desktop.settings.dialog import SettingsDialog

PLACE_LABELS = {
    "Flows, executions, and encrypted credentials": tr("Flows, executions, and encrypted credentials"),
    "Key of the credentials, encrypted by the passphrase": tr(
        "Key of the credentials, encrypted by the passphrase"
    ),
    "Settings": tr("Settings"),
    "Your own apps": tr("Your own apps"),
    "Copies of what servers have": tr("Copies of what servers have"),
    "Log and crash reports": tr("Log and crash reports"),
    "Copy of the database from before an upgrade, a restore, or a repair": tr(
        "Copy of the database from before an upgrade, a restore, or a repair"
    ),
}
"""The shown titles, by the English ones."""
_NOTHING = tr("This workspace stores nothing on this computer.")
_ABOUT = tr("Credentials are encrypted. The log and crash reports contain no credentials and are never sent.")
_NO_REPORTS = tr("No internal error has been reported on this computer.")


class DataPage(QWidget):
    """Lists files and folders, opens them, shows the log, and shows and deletes crash reports."""

    def __init__(self, dialog: "SettingsDialog") -> None:
        super().__init__()
        self._open_address = dialog.open_address
        self._model = dialog.options.stored_files
        self.text_dialog: TextDialog | None = None
        self.log_button = Button(tr("Show log"), icon="list")
        self.places = RowList(tr("Files and folders"), self.log_button)
        self.reports = RowList(tr("Crash reports"), self.log_button)
        self.problem = MessageBox("failure")
        self.problem.hide()
        self._no_reports = Label(_NO_REPORTS, "body", "text_secondary", wrap=True)
        scroll = FormScroll(tr("Data"))
        column = scroll.inside.column
        column.setContentsMargins(theme().px(4), 0, theme().px(14), theme().px(4))
        column.setSpacing(theme().px(10))
        vbox((scroll, 1), parent=self, spacing=0)
        if self._model is None:
            column.addWidget(Label(_NOTHING, "body", "text_secondary", wrap=True))
            column.addStretch(1)
            return
        column.addWidget(Label(_ABOUT, "body", "text_secondary", wrap=True))
        self.backups: BackupsSection | None = None
        self.database: DatabaseSection | None = None
        if dialog.options.backups is not None:
            self._add_backups(dialog, dialog.options.backups, column)
        column.addWidget(Label(tr("Files and folders"), "semibold"))
        column.addWidget(self.places)
        column.addLayout(hbox(self.log_button, Stretch()))
        column.addWidget(line())
        column.addWidget(Label(tr("Crash reports"), "semibold"))
        column.addWidget(self.problem)
        column.addWidget(self._no_reports)
        column.addWidget(self.reports)
        column.addStretch(1)
        self._connect(self._model)
        self._show()
        self._model.load()

    def _add_backups(self, dialog: "SettingsDialog", model: BackupsViewModel, column: QVBoxLayout) -> None:
        self.backups = BackupsSection(model, dialog.restore)
        self.database = DatabaseSection(model, dialog.repair)
        column.addWidget(Label(tr("Backups"), "semibold"))
        column.addWidget(self.backups)
        column.addWidget(line())
        column.addWidget(self.database)
        column.addWidget(line())

    def _connect(self, model: StoredFilesViewModel) -> None:
        self.log_button.clicked.connect(model.read_log)
        model.changed.connect(self._show)
        model.log_read.connect(self._show_log)
        model.report_read.connect(self._show_report)

    def _show(self) -> None:
        model = self._model
        assert model is not None
        self.places.show_rows(
            [(str(place.path), place, partial(self._place_row, place)) for place in model.places or ()]
        )
        self.reports.show_rows(
            [(report.path.name, report, partial(self._report_row, report)) for report in model.reports]
        )
        self._no_reports.setVisible(model.places is not None and not model.reports)
        if model.error is not None:
            self.problem.show_error(model.error, [], takes_focus=False)
        self.problem.setVisible(model.error is not None)

    def _place_row(self, place: StoredPlace) -> QWidget:
        title = PLACE_LABELS.get(place.title, place.title)
        row = TwoLineRow(title, str(place.path))
        row.about.setToolTip(plain_tip(str(place.path)))
        copy = IconButton("copy", tr("Copy the path of “{name}”", name=title))
        copy.clicked.connect(lambda: copy_text(str(place.path)))
        show = IconButton("folder-open", tr("Open the folder of “{name}”", name=title))
        show.clicked.connect(partial(self._open_folder, place.path))
        row.tail.addWidget(
            Label(
                formats().formattedDataSize(place.size, 1, QLocale.DataSizeFormat.DataSizeSIFormat),
                "body",
                "text_secondary",
            )
        )
        row.tail.addWidget(copy)
        row.tail.addWidget(show)
        return row

    def _report_row(self, report: CrashReport) -> QWidget:
        assert self._model is not None
        when = full_moment(report.happened_at)
        row = TwoLineRow(when, report.summary)
        show = Button(tr("Show", "button"), "link")
        show.setAccessibleName(tr("Show the crash report of {time}", time=when))
        show.clicked.connect(partial(self._model.read_report, report))
        delete = IconButton("trash-2", tr("Delete the crash report of {time}", time=when))
        delete.clicked.connect(partial(self._confirm_delete, report, when))
        row.tail.addWidget(show)
        row.tail.addWidget(delete)
        return row

    def show_log(self) -> None:
        """Show the log, if there is one here."""
        if self._model is not None:
            self._model.read_log()

    def _open_folder(self, path: Path) -> None:
        folder = path if path.is_dir() else path.parent
        self._open_address(QUrl.fromLocalFile(str(folder)))

    def _show_log(self, text: str) -> None:
        self._show_text(tr("Log", "title"), text or tr("The log is empty."), at_end=True)

    def _show_report(self, report: CrashReport, text: str) -> None:
        self._show_text(tr("Crash report of {time}", time=full_moment(report.happened_at)), text)

    def _show_text(self, title: str, text: str, *, at_end: bool = False) -> None:
        self.text_dialog = TextDialog(self, title, text, at_end=at_end)
        self.text_dialog.finished.connect(self.text_dialog.deleteLater)
        self.text_dialog.open()

    def _confirm_delete(self, report: CrashReport, when: str) -> None:
        assert self._model is not None
        confirm(
            self,
            tr("Delete this crash report?"),
            tr("The report of {time} helps to find the cause of the error.", time=when),
            tr("Delete"),
            True,
            partial(self._model.delete_report, report),
        )


class TextDialog(Dialog):
    """A long text to read and to copy."""

    def __init__(self, parent: QWidget, title: str, text: str, *, at_end: bool = False) -> None:
        super().__init__(parent, title, 720)
        self.area = QPlainTextEdit(text)
        self.area.setReadOnly(True)
        self.area.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.area.setFont(theme().font("code"))
        self.area.setAccessibleName(title)
        self.area.setFixedHeight(theme().px(380))
        self.body.addWidget(self.area)
        if at_end:
            self.area.moveCursor(self.area.textCursor().MoveOperation.End)
        close, cancel = self.add_buttons(tr("Close"), self.accept)
        cancel.hide()
        self.copy = Button(tr("Copy all"), icon="copy", large=True)
        self.copy.clicked.connect(lambda: copy_text(text))
        self.footer.insertWidget(self.footer.indexOf(close), self.copy)
        self.area.setFocus()
