"""The folders whose files steps can use, on the engine page of the settings."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.kit.boxes import hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.inputs import FormField
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.text import ElidedLabel, Label
from patchbay.desktop.settings.view_models.engine_settings import EngineSettingsViewModel

_HELP = tr(
    "Steps can use files of this computer only in these folders. Everyone who can edit flows can then read, "
    "change, and delete everything in them."
)
_WIDTH = 480


class AllowedFoldersSection(QWidget):
    """The allowed folders, with buttons to remove and add one."""

    def __init__(self, model: EngineSettingsViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: tuple[str, ...] | None = None
        self.rows: dict[str, FolderRow] = {}
        self.dialog: FolderDialog | None = None
        self.add = Button(tr("Allow folder…"), icon="plus")
        self.add.clicked.connect(self.open_dialog)
        self._list = vbox(spacing=2)
        vbox(
            Label(tr("Folders for files"), "medium"),
            Label(_HELP, "caption", "text_tertiary", wrap=True),
            self._list,
            (self.add, 0, Qt.AlignmentFlag.AlignLeft),
            parent=self,
            spacing=8,
        )

    def show_folders(self) -> None:
        """Show the current folders; rows are recreated only if one has changed."""
        folders = self._model.settings.allowed_folders if self._model.settings else ()
        if folders == self._shown:
            return
        self._shown = folders
        for row in self.rows.values():
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = {folder: FolderRow(folder, self) for folder in folders}
        for folder, row in self.rows.items():
            row.remove.clicked.connect(partial(self._remove, folder))
            self._list.addWidget(row)

    def open_dialog(self) -> None:
        """Ask for a folder."""
        dialog = FolderDialog(self, self._model.allow_folder, can_browse=self._model.is_local)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self._on_dialog_closed)
        self.dialog = dialog
        dialog.open()

    def _remove(self, folder: str) -> None:
        self.add.setFocus(Qt.FocusReason.OtherFocusReason)  # the row is deleted
        self._model.remove_folder(folder)

    def _on_dialog_closed(self) -> None:
        self.dialog = None
        self.add.setFocus(Qt.FocusReason.OtherFocusReason)


class FolderRow(QWidget):
    """An allowed folder, and a button to remove it."""

    def __init__(self, folder: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.remove = IconButton("x", tr("Remove {name}", name=folder), small=True)
        hbox((ElidedLabel(folder, "body"), 1), self.remove, parent=self, spacing=8)
        self.setAccessibleName(folder)


class FolderDialog(Dialog):
    """Asks for the full path of a folder. `can_browse`: whether the flows run on this computer."""

    def __init__(self, parent: QWidget, on_folder: Callable[[str], object], *, can_browse: bool) -> None:
        super().__init__(parent, tr("Allow folder"), _WIDTH)
        self._on_folder = on_folder
        self.folder = LineEdit("")
        self.browse = Button(tr("Browse…"))
        self.browse.setVisible(can_browse)
        self.browse.clicked.connect(self._browse)
        row = QWidget()
        hbox((self.folder, 1), self.browse, parent=row, spacing=8)
        row.setFocusProxy(self.folder)
        self.folder.setAccessibleName(tr("Folder"))
        if can_browse:
            help_text = tr("The full path of a folder on this computer.")
        else:
            help_text = tr("The full path of a folder on the server.")
        self.field = FormField(tr("Folder"), row, help=help_text)
        self.folder.textEdited.connect(lambda: self.field.set_error(None))
        self.body.addWidget(self.field)
        self.add_buttons(tr("Allow"), self._submit)
        self.folder.setFocus()

    def _browse(self) -> None:
        chooser = QFileDialog(self, tr("Choose a folder"))
        chooser.setFileMode(QFileDialog.FileMode.Directory)
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.fileSelected.connect(self.folder.setText)
        chooser.open()

    def _submit(self) -> None:
        folder = self.folder.text().strip()
        if not folder:
            self.field.set_error(tr("Enter a folder."))
            self.folder.setFocus()
            return
        self.accept()
        self._on_folder(folder)
