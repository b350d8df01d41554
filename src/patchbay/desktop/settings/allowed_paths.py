"""The folders whose files steps can use, and the programs that they can run, on the engine page."""

from collections.abc import Callable
from dataclasses import dataclass
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
from patchbay.desktop.settings.view_models.engine_settings import AllowedPaths, EngineSettingsViewModel
from patchbay.domain.errors import AppError

_WIDTH = 480


@dataclass(frozen=True)
class PathTexts:
    """The texts of a list of paths. `mode` is what the file chooser chooses."""

    title: str
    help: str
    add: str
    dialog_title: str
    label: str
    local_help: str
    server_help: str
    choose: str
    missing: str
    mode: QFileDialog.FileMode


_FOLDERS = PathTexts(
    title=tr("Folders for files"),
    help=tr(
        "Steps can use files on this computer only in these folders. Everyone who can edit flows can then "
        "read, change, and delete everything in them."
    ),
    add=tr("Allow folder…"),
    dialog_title=tr("Allow folder"),
    label=tr("Folder"),
    local_help=tr("The full path of a folder on this computer."),
    server_help=tr("The full path of a folder on the server."),
    choose=tr("Choose a folder"),
    missing=tr("Enter a folder."),
    mode=QFileDialog.FileMode.Directory,
)
_PROGRAMS = PathTexts(
    title=tr("Programs"),
    help=tr(
        "Steps can run only these installed programs on this computer, in flows that an admin starts or has "
        "published. The programs aren't isolated."
    ),
    add=tr("Allow program…"),
    dialog_title=tr("Allow program"),
    label=tr("Program"),
    local_help=tr(
        "The full path of a program on this computer that other users can't change or replace. "
        "Shells can't be allowed."
    ),
    server_help=tr(
        "The full path of a program on the server that other users can't change or replace. "
        "Shells can't be allowed."
    ),
    choose=tr("Choose a program"),
    missing=tr("Enter a program."),
    mode=QFileDialog.FileMode.ExistingFile,
)


class AllowedPathsSection(QWidget):
    """Allowed paths, with buttons to remove and add one."""

    def __init__(
        self,
        model: EngineSettingsViewModel,
        paths: AllowedPaths,
        texts: PathTexts,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model, self._paths, self._texts = model, paths, texts
        self._shown: tuple[str, ...] | None = None
        self.rows: dict[str, PathRow] = {}
        self.dialog: PathDialog | None = None
        self.add = Button(texts.add, icon="plus")
        self.add.clicked.connect(self.open_dialog)
        self._list = vbox(spacing=2)
        vbox(
            Label(texts.title, "medium"),
            Label(texts.help, "caption", "text_tertiary", wrap=True),
            self._list,
            (self.add, 0, Qt.AlignmentFlag.AlignLeft),
            parent=self,
            spacing=8,
        )

    def show_paths(self) -> None:
        """Show the current paths; rows are recreated only if one has changed."""
        paths = self._paths.current()
        if paths == self._shown:
            return
        self._shown = paths
        for row in self.rows.values():
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = {path: PathRow(path, self) for path in paths}
        for path, row in self.rows.items():
            row.remove.clicked.connect(partial(self._remove, path))
            self._list.addWidget(row)

    def open_dialog(self) -> None:
        """Ask for a path."""
        dialog = PathDialog(self, self._texts, self._allow, can_browse=self._model.is_local)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self._on_dialog_closed)
        self.dialog = dialog
        dialog.open()

    def _allow(self, path: str) -> None:
        self._paths.allow(path, self._on_allowed, self._on_rejected)

    def _on_allowed(self) -> None:
        if self.dialog is not None:
            self.dialog.accept()

    def _on_rejected(self, error: AppError) -> None:
        if self.dialog is not None:
            self.dialog.show_error(error)

    def _remove(self, path: str) -> None:
        self.add.setFocus(Qt.FocusReason.OtherFocusReason)  # the row is deleted
        self._paths.remove(path)

    def _on_dialog_closed(self) -> None:
        self.dialog = None
        self.add.setFocus(Qt.FocusReason.OtherFocusReason)


def folders_section(model: EngineSettingsViewModel) -> AllowedPathsSection:
    """The folders whose files steps can use."""
    return AllowedPathsSection(model, model.folders, _FOLDERS)


def programs_section(model: EngineSettingsViewModel) -> AllowedPathsSection:
    """The programs that steps can run."""
    return AllowedPathsSection(model, model.programs, _PROGRAMS)


class PathRow(QWidget):
    """An allowed path, and a button to remove it."""

    def __init__(self, path: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.remove = IconButton("x", tr("Remove {name}", name=path), small=True)
        hbox((ElidedLabel(path, "body"), 1), self.remove, parent=self, spacing=8)
        self.setAccessibleName(path)


class PathDialog(Dialog):
    """Asks for a full path, and stays open until it is allowed.

    `can_browse`: whether the flows run on this computer.
    """

    def __init__(
        self,
        parent: QWidget,
        texts: PathTexts,
        on_path: Callable[[str], object],
        *,
        can_browse: bool,
    ) -> None:
        super().__init__(parent, texts.dialog_title, _WIDTH)
        self._on_path, self._texts = on_path, texts
        self.path = LineEdit("")
        self.browse = Button(tr("Browse…"))
        self.browse.setVisible(can_browse)
        self.browse.clicked.connect(self._browse)
        row = QWidget()
        hbox((self.path, 1), self.browse, parent=row, spacing=8)
        row.setFocusProxy(self.path)
        self.path.setAccessibleName(texts.label)
        self.field = FormField(texts.label, row, help=texts.local_help if can_browse else texts.server_help)
        self.path.textEdited.connect(lambda: self.field.set_error(None))
        self.body.addWidget(self.field)
        self._submit_button = self.add_buttons(tr("Allow"), self._submit)[0]
        self.path.setFocus()

    def _browse(self) -> None:
        chooser = QFileDialog(self, self._texts.choose)
        chooser.setFileMode(self._texts.mode)
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.fileSelected.connect(self.path.setText)
        chooser.open()

    def _submit(self) -> None:
        path = self.path.text().strip()
        if not path:
            self.field.set_error(self._texts.missing)
            self.path.setFocus()
            return
        if not self._submit_button.busy:
            self._submit_button.set_busy(True, tr("Checking"))
            self._on_path(path)

    def show_error(self, error: AppError) -> None:
        """Show why the path can't be allowed; it stays entered."""
        self._submit_button.set_busy(False)
        self.field.set_error(error.text())
        self.path.setFocus()
