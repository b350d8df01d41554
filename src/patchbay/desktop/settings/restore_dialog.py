"""The dialog that checks a backup, shows what is in it, and only then replaces the workspace with it."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from patchbay.desktop.core.backups import counts_text
from patchbay.desktop.core.language import formats, tr
from patchbay.desktop.core.times import full_moment
from patchbay.desktop.kit.buttons import Button
from patchbay.desktop.kit.dialogs import Dialog, make_default
from patchbay.desktop.kit.inputs import EditRow, FormField
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.secret_fields import SecretField
from patchbay.desktop.kit.text import Label
from patchbay.domain.backups import BackupContents
from patchbay.domain.errors import AppError

Inspect = Callable[
    [Path, str, Callable[[BackupContents], object], Callable[[AppError], object]],
    object,
]
"""Checks a backup with its passphrase; calls the first function with its contents, or the second."""
_FILES = tr("Backups (*.patchbay);;All files (*)")
_ABOUT = tr(
    "Patchbay checks the backup first and shows what it contains. Flows stop while it's restored. The "
    "current database is kept in the data folder under another name."
)


class RestoreDialog(Dialog):
    """Asks for a file and its passphrase. “Restore” appears once the backup was checked."""

    def __init__(
        self,
        parent: QWidget,
        inspect: Inspect,
        restore: Callable[[Path, str], object],
        folder: Path | None,
    ) -> None:
        super().__init__(parent, tr("Restore a backup"), 520)
        self._inspect, self._restore, self._folder = inspect, restore, folder
        self._checked: tuple[Path, str] | None = None
        self.file = LineEdit("", tr("/path/to/backup.patchbay"), large=True)
        self.choose = Button(tr("Choose…"), large=True)
        self.choose.clicked.connect(self.choose_file)
        self.secret = SecretField(large=True)
        self.file_field = FormField(tr("Backup", "file"), EditRow(self.file, self.choose), required=True)
        self.secret_field = FormField(tr("Backup passphrase"), self.secret, required=True)
        self.outcome = MessageBox("success", parent=self)
        self.outcome.hide()
        self.body.addWidget(Label(_ABOUT, "body", "text_secondary", wrap=True))
        for part in (self.file_field, self.secret_field, self.outcome):
            self.body.addWidget(part)
        self.setAccessibleDescription(_ABOUT)
        self.submit, self.cancel = self.add_buttons(tr("Check backup"), self._submit)
        self.file.textChanged.connect(self._on_edited)
        self.secret.changed.connect(self._on_edited)
        self.choose.setAutoDefault(False)
        self.file.setFocus()

    def choose_file(self) -> None:
        """Let the person choose the file."""
        chooser = QFileDialog(self, tr("Backup", "file"), str(self._folder or Path.home()), _FILES)
        chooser.setFileMode(QFileDialog.FileMode.ExistingFile)
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.fileSelected.connect(self.file.setText)
        chooser.open()

    def _on_edited(self, _: str) -> None:
        """A changed file or passphrase must be checked again."""
        self._checked = None
        self.outcome.hide()
        if not self.submit.busy:
            self.submit.setText(tr("Check backup"))
            self.submit.set_kind("primary")
            make_default(self.submit, self.submit, self.cancel)

    def _submit(self) -> None:
        if self._checked is not None:
            self.accept()
            self._restore(*self._checked)
            return
        file, passphrase = Path(self.file.text().strip()).expanduser(), self.secret.text()
        is_named = bool(self.file.text().strip())
        self.file_field.set_error(None if is_named else tr("Choose a file."))
        self.secret_field.set_error(None if passphrase else tr("Enter the passphrase."))
        if is_named and passphrase:
            self.submit.set_busy(True, tr("Checking"))
            self._inspect(file, passphrase, self._on_checked, self._on_failed)
        else:
            (self.secret if is_named else self.file).setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_checked(self, contents: BackupContents) -> None:
        self.submit.set_busy(False)
        self._checked = (contents.file, self.secret.text())
        title = tr(
            "The backup from {time} is intact ({size})",
            time=full_moment(contents.written_at),
            size=formats().formattedDataSize(contents.size, 1, QLocale.DataSizeFormat.DataSizeSIFormat),
        )
        text = tr(
            "Contents: {contents}. Restoring it replaces the flows, connections, executions, and settings "
            "that you have now.",
            contents=counts_text(contents.counts),
        )
        self.outcome.set("warning", title, text)
        self.outcome.show()
        self.submit.setText(tr("Restore", "button"))
        self.submit.set_kind("danger")
        make_default(self.cancel, self.submit, self.cancel)
        self.cancel.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_failed(self, error: AppError) -> None:
        self.submit.set_busy(False)
        self.outcome.show_error(error, [])
        self.outcome.show()
