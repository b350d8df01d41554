"""The import dialog: the flows in a file and their steps, before anything is imported."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.app_store import AppStore
from patchbay.desktop.core.language import tr, tr_count
from patchbay.desktop.flows.view_models.import_export import FlowPreview, ImportPlan, StepPreview
from patchbay.desktop.kit.accessibility import AccessibleText
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import set_available
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.icons import paint_app_tile, paint_icon
from patchbay.desktop.kit.layout import ListArea, surface
from patchbay.desktop.kit.messages import MessageBox
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import theme
from patchbay.desktop.kit.toggles import CheckBox
from patchbay.domain.apps import AppInfo
from patchbay.domain.flows import FlowExport


class ImportDialog(Dialog):
    """Shows an `ImportPlan`; `on_import` gets the selected flows."""

    def __init__(
        self,
        parent: QWidget | None,
        plan: ImportPlan,
        apps: AppStore,
        on_import: Callable[[tuple[FlowExport, ...]], Any],
    ) -> None:
        has_several = len(plan.flows) > 1
        super().__init__(parent, tr("Import flows") if has_several else tr("Import flow"), 560)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._plan, self._on_import = plan, on_import
        self.checkboxes: list[tuple[CheckBox, FlowExport]] = []
        self.body.addWidget(Label(tr("From {file}", file=plan.source), "body", "text_secondary"))
        if plan.error:
            self.body.addWidget(MessageBox("failure", tr("This file can't be imported"), plan.error))
        else:
            self.body.addWidget(self._build_flows(plan, apps, has_several))
            text = tr("Imported flows are drafts: nothing runs until you publish them.")
            self.body.addWidget(Label(text, "caption", "text_tertiary", wrap=True))
        self.import_button, self.cancel_button = self.add_buttons(tr("Import", "verb, button"), self._import)
        self._update_import_button()
        if not plan.importable:
            self.cancel_button.setFocus()

    def _build_flows(self, plan: ImportPlan, apps: AppStore, has_several: bool) -> QWidget:
        content = QWidget()
        surface(content, "surface")
        column = vbox(parent=content, margins=(0, 0, 4, 0), spacing=16)
        for flow in plan.flows:
            column.addWidget(self._build_flow(flow, apps, has_several))
        column.addStretch(1)
        scroll = ListArea(tr("Flows in the file"))
        scroll.setWidget(content)
        rows = sum(len(flow.steps) + 2 for flow in plan.flows)
        scroll.setFixedHeight(theme().px(min(340, 40 + rows * 34)))
        return scroll

    def _build_flow(self, flow: FlowPreview, apps: AppStore, has_several: bool) -> QWidget:
        flow_block = QWidget()
        column = vbox(parent=flow_block, spacing=4)
        if has_several and flow.export is not None:
            checkbox = CheckBox(flow.name)
            checkbox.setChecked(flow.existing is None)
            checkbox.toggled.connect(self._update_import_button)
            self.checkboxes.append((checkbox, flow.export))
            column.addWidget(checkbox)
        else:
            column.addWidget(Label(flow.name, "semibold"))
        if flow.error:
            column.addWidget(MessageBox("failure", tr("This flow can't be imported"), flow.error))
        if flow.existing is not None:
            column.addWidget(
                _note_row(
                    tr("Already imported as “{name}”. Importing it again creates a copy.", name=flow.existing)
                )
            )
        for step in flow.steps:
            column.addWidget(_StepLine(step, apps.get(step.app_key)))
        for note in flow.notes:
            column.addWidget(_note_row(note))
        return flow_block

    def _selected_flows(self) -> tuple[FlowExport, ...]:
        if not self.checkboxes:
            return self._plan.importable
        return tuple(export for checkbox, export in self.checkboxes if checkbox.isChecked())

    def _update_import_button(self) -> None:
        total = len(self._selected_flows())
        missing = (
            tr("Select a flow first.")
            if self._plan.importable
            else tr("None of the flows in this file can be imported.")
        )
        set_available(self.import_button, None if total else missing)
        self.import_button.setText(
            tr("Import", "verb, button")
            if total < 2
            else tr_count(total, "Import {n} flow", "Import {n} flows")
        )

    def _import(self) -> None:
        chosen = self._selected_flows()
        self.accept()
        self._on_import(chosen)


def _note_row(text: str) -> QWidget:
    row = QWidget()
    hbox((Label(text, "caption", "text_secondary", wrap=True), 1), parent=row, margins=(38, 2, 0, 0))
    return row


class _StepLine(AccessibleText, QWidget):
    """A step of the preview: icon, name, app, and what is missing."""

    def __init__(self, step: StepPreview, app: AppInfo | None) -> None:
        super().__init__()
        self._step, self._app = step, app
        px = theme().px
        self.setMinimumHeight(px(32))
        row = hbox(
            Label(f"{step.position}. {step.title}", "body"),
            Label(step.app_name, "caption", "text_tertiary"),
            Stretch(),
            parent=self,
            margins=(38, 0, 0, 0),
            spacing=8,
        )
        if step.problem:
            row.addWidget(Label(step.problem, "caption", "warning"))
        self.setAccessibleName(f"{step.position}. {step.title}, {step.app_name} {step.problem}".strip())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        side = theme().px(26)
        tile = QRectF(theme().px(2), (self.height() - side) / 2, side, side)
        if self._step.problem:
            paint_icon(painter, tile, "triangle-alert", "warning")
        else:
            paint_app_tile(painter, tile, self._app)
