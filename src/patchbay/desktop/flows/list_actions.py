"""Menus, confirmations, and file dialogs of the Flows list."""

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.core.names import PERMANENT_DELETE_WARNING
from patchbay.desktop.core.notification_preferences import FAILURE_CHOICES
from patchbay.desktop.core.services import Services
from patchbay.desktop.flows.view_models.commands import FlowCommands
from patchbay.desktop.flows.view_models.flow_list import FlowsViewModel
from patchbay.desktop.flows.view_models.folders import FlowFolders
from patchbay.desktop.flows.view_models.import_export import FlowFiles, ImportPlan, file_name
from patchbay.desktop.kit.dialogs import Dialog, confirm
from patchbay.desktop.kit.menu import Menu
from patchbay.desktop.kit.popups import ChecklistPopup
from patchbay.desktop.kit.shortcuts import DELETE
from patchbay.desktop.kit.text import Label, plain_tip
from patchbay.desktop.kit.toggles import CheckBox
from patchbay.domain.backend import Feature
from patchbay.domain.base import FlowId, FolderId
from patchbay.domain.flows import FlowStatus
from patchbay.domain.notification_settings import NotifyOnFailure

JSON_FILES = tr("Flows (*.json);;All files (*)", "file dialog: keep the brackets and ;;")


_LIKE_ALL_LABELS = {
    NotifyOnFailure.ALWAYS: tr("Like all flows (every failure)"),
    NotifyOnFailure.FIRST: tr("Like all flows (first failure)"),
    NotifyOnFailure.NEVER: tr("Like all flows (never)"),
}


class FlowActions(QObject):
    """Opens menus, dialogs, and file choosers over `host` and calls the commands."""

    def __init__(
        self,
        host: QWidget,
        flows: FlowsViewModel,
        commands: FlowCommands,
        folders: FlowFolders,
        files: FlowFiles,
        services: Services,
    ) -> None:
        super().__init__(host)
        self._host = host
        self._flows = flows
        self._commands = commands
        self._folders = folders
        self._files = files
        self._services = services
        self.dialog: Dialog | None = None
        self.popup: ChecklistPopup | None = None
        files.planned.connect(self.preview)

    # Menu of a row

    def menu(self, flow_ids: tuple[FlowId, ...], at: QPoint, *, open_flow: Any, rename: Any) -> Menu:
        """Open the menu of one flow, or of all selected ones."""
        flow = self._flows.flow(flow_ids[0])
        single = len(flow_ids) == 1 and flow is not None
        name = (
            tr("Actions for {name}", name=flow.name)
            if single and flow is not None
            else tr_count(len(flow_ids), "Actions for {n} flow", "Actions for {n} flows")
        )
        menu = Menu(self._host, name)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        change_missing, edit_missing = (
            self._flows.reason(Feature.CHANGES),
            self._flows.reason(Feature.EDIT_FLOWS),
        )
        if single and flow is not None:
            menu.add(tr("Open", "verb"), partial(open_flow, flow.id), "pencil", "Return")
            run = partial(self._commands.run_now, flow.id)
            menu.add(tr("Run now"), run, "play", reason=self._flows.reason(Feature.RUN_FLOWS))
            menu.add(tr("Flow settings…"), partial(self.settings, flow.id), "sliders-horizontal")
            self._add_notification_choices(menu, flow.id)
            menu.addSeparator()
        self._add_publish_items(menu, flow_ids)
        menu.addSeparator()
        if single and flow is not None:
            menu.add(tr("Rename"), partial(rename, flow.id), "text-cursor-input", "F2", reason=edit_missing)
        move = partial(self.choose_folder, flow_ids, self._host, at)
        menu.add(tr("Move to…"), move, "folder-input", "M", reason=edit_missing)
        menu.add(
            tr("Duplicate"), partial(self._commands.duplicate, flow_ids), "copy-plus", reason=edit_missing
        )
        menu.add(tr("Export…"), partial(self.export, flow_ids), "file-down")
        if single and flow is not None:
            save = partial(self._commands.save_as_template, flow.id)
            missing = self._flows.reason(Feature.TEMPLATES) or change_missing
            menu.add(tr("Save as template"), save, "layout-template", reason=missing)
        menu.addSeparator()
        menu.add(
            tr("Delete…"), partial(self.delete, flow_ids), "trash-2", DELETE.keys[0], reason=change_missing
        )
        menu.popup(at)
        return menu

    def _add_publish_items(self, menu: Menu, flow_ids: tuple[FlowId, ...]) -> None:
        change_missing, edit_missing = (
            self._flows.reason(Feature.CHANGES),
            self._flows.reason(Feature.EDIT_FLOWS),
        )
        found = [flow for key in flow_ids if (flow := self._flows.flow(key))]
        if any(not flow.active for flow in found):
            publish = partial(self._commands.set_published, flow_ids, True)
            menu.add(tr("Publish"), publish, "circle-play", reason=change_missing)
        if any(flow.active for flow in found):
            stop = partial(self._commands.set_published, flow_ids, False)
            menu.add(tr("Unpublish"), stop, "power", reason=change_missing)
        if any(flow.status is FlowStatus.PUBLISHED for flow in found):
            pause = partial(self._commands.set_paused, flow_ids, True)
            menu.add(tr("Pause", "verb, a flow"), pause, "circle-pause", reason=edit_missing)
        if any(flow.status is FlowStatus.PAUSED for flow in found):
            resume = partial(self._commands.set_paused, flow_ids, False)
            menu.add(tr("Resume", "verb, a flow"), resume, "play", reason=edit_missing)

    def _add_notification_choices(self, menu: Menu, flow_id: FlowId) -> None:
        preferences = self._services.notifications
        of_all = _LIKE_ALL_LABELS[preferences.value.failures]
        menu.add_choices(
            tr("Notifications"),
            "bell",
            [(None, of_all), *FAILURE_CHOICES],
            preferences.value.flows.get(flow_id),
            partial(preferences.set_for_flow, flow_id),
        )

    def settings(self, flow_id: FlowId) -> None:
        """Open the settings of a flow."""
        from patchbay.desktop.editor.flow_settings_dialog import FlowSettingsDialog
        from patchbay.desktop.editor.view_models.flow_settings import FlowSettingsModel

        if flow := self._flows.flow(flow_id):
            dialog = FlowSettingsDialog(self._host, FlowSettingsModel(self._services, flow))
            dialog.destroyed.connect(self._dialog_closed)
            self.dialog = dialog
            dialog.open()

    def folder_menu(self, folder_id: FolderId, at: QPoint, *, rename: Any) -> Menu:
        """The menu with the actions for a folder."""
        folder = self._flows.folder(folder_id)
        title = tr("Actions for {name}", name=folder.name) if folder else tr("Actions")
        menu = Menu(self._host, title)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.add(tr("Rename"), partial(rename, folder_id), "text-cursor-input", "F2")
        menu.add(tr("Delete"), partial(self.delete_folder, folder_id), "trash-2", DELETE.keys[0])
        menu.popup(at)
        return menu

    def delete_folder(self, folder_id: FolderId) -> None:
        """Delete a folder; confirm first if its flows can't be moved back."""
        folder = self._flows.folder(folder_id)
        if (
            folder is not None
            and not self._folders.unavailable_reason
            and self._folders.is_delete_permanent(folder_id)
        ):
            delete = partial(self._folders.delete, folder_id)
            title = tr("Delete “{name}”?", name=folder.name)
            self.dialog = confirm(
                self._host, title, PERMANENT_DELETE_WARNING, tr("Delete folder"), True, delete
            )
            self.dialog.destroyed.connect(self._dialog_closed)
        else:
            self._folders.delete(folder_id)

    # Move

    def choose_folder(self, flow_ids: tuple[FlowId, ...], anchor: QWidget, at: QPoint | None = None) -> None:
        """Open a searchable list of folders under `anchor`, or at `at`."""
        if not flow_ids:
            return
        options: list[tuple[Any, str]] = [(None, tr("Uncategorised"))]
        options += [(folder.id, folder.name) for folder in self._flows.folders]
        flow = self._flows.flow(flow_ids[0])
        chosen = (flow.folder_id,) if flow and len(flow_ids) == 1 else ()
        popup = ChecklistPopup(anchor, options, chosen, multiple=False)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popup.changed.connect(lambda values: self._commands.move(flow_ids, values[0]))
        self.popup = popup
        popup.open_under(anchor)
        if at is not None:
            popup.move(at - QPoint(10, 10))

    # Delete

    def delete(self, flow_ids: tuple[FlowId, ...]) -> None:
        """Confirm, then delete the flows; an export can be saved before."""
        flow = self._flows.flow(flow_ids[0]) if flow_ids else None
        if flow is None:
            return
        several = len(flow_ids) > 1
        title = (
            tr_count(len(flow_ids), "Delete {n} flow?", "Delete {n} flows?")
            if several
            else tr("Delete “{name}”?", name=flow.name)
        )
        dialog = Dialog(self._host, title, 420)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.destroyed.connect(self._dialog_closed)
        undo_missing = self._commands.undo_disabled_reason
        show_count = partial(_show_execution_count, can_undo=undo_missing is None)
        explanation = Label(
            _consequence(several, None, undo_missing is None), "body", "text_secondary", wrap=True
        )
        dialog.body.addWidget(explanation)
        export_first = CheckBox(tr("Save an export first"))
        export_first.setEnabled(undo_missing is None)
        export_first.setToolTip(plain_tip(undo_missing or ""))
        dialog.body.addWidget(export_first)

        def on_confirm() -> None:
            dialog.accept()
            if export_first.isChecked():
                self.export(flow_ids, on_exported=lambda: self._commands.delete(flow_ids))
            else:
                self._commands.delete(flow_ids)

        verb = (
            tr_count(len(flow_ids), "Delete {n} flow", "Delete {n} flows") if several else tr("Delete flow")
        )
        dialog.add_buttons(verb, on_confirm, danger=True)
        if not several:
            on_counted = partial(show_count, explanation)
            self._commands.executions_counted.connect(on_counted)
            dialog.finished.connect(lambda _: self._commands.executions_counted.disconnect(on_counted))
            self._commands.count_executions(flow.id)
        self.dialog = dialog
        dialog.open()

    def _dialog_closed(self) -> None:
        self.dialog = None

    # Files

    def export(self, flow_ids: tuple[FlowId, ...], on_exported: Any = None) -> None:
        """Choose a file and export the flows to it, then call `on_exported`."""
        flow = self._flows.flow(flow_ids[0]) if flow_ids else None
        if flow is None:
            return
        name = file_name(flow.name) if len(flow_ids) == 1 else "flows.json"
        chooser = QFileDialog(self._host, tr("Export flows"), str(Path.home() / name), JSON_FILES)
        chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        chooser.setDefaultSuffix("json")
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.fileSelected.connect(lambda path: self._files.export(flow_ids, Path(path), on_exported))
        chooser.open()

    def choose_import(self) -> None:
        """Let the user choose files to import."""
        chooser = QFileDialog(self._host, tr("Import flows"), str(Path.home()), JSON_FILES)
        chooser.setFileMode(QFileDialog.FileMode.ExistingFile)
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.fileSelected.connect(lambda path: self._files.read(Path(path)))
        chooser.open()

    def read_file(self, path: Path) -> None:
        """Preview a file that was dropped on the page."""
        self._files.read(path)

    def preview(self, plan: ImportPlan) -> None:
        """Show what an import would create."""
        from patchbay.desktop.flows.import_dialog import ImportDialog

        dialog = ImportDialog(self._host, plan, self._services.apps, self._files.import_exports)
        dialog.destroyed.connect(self._dialog_closed)
        self.dialog = dialog
        dialog.open()


def _show_execution_count(explanation: Label, total: int, *, can_undo: bool) -> None:
    explanation.setText(_consequence(False, total, can_undo))


def _consequence(several: bool, executions: int | None, can_undo: bool) -> str:
    if can_undo:
        undo = tr("You can undo this for 10 seconds.")
    elif several:
        undo = tr("This server can't restore them.", "flows")
    else:
        undo = tr("This server can't restore it.", "a flow")
    if several:
        return f"{tr('The flows stop immediately. Their connections are kept.')} {undo}"
    if not executions:
        return f"{tr('The flow stops immediately. Its connections are kept.')} {undo}"
    consequence = tr_count(
        executions,
        "The flow stops immediately. It has {n} execution. Its connections are kept.",
        "The flow stops immediately. It has {n} executions. Its connections are kept.",
    )
    return f"{consequence} {undo}"
