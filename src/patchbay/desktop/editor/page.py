"""The page of the flow editor: header, three panes, publish bar."""

import sys
from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QSplitter, QStackedLayout, QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.services import Services
from patchbay.desktop.editor.flow_settings_dialog import FlowSettingsDialog
from patchbay.desktop.editor.form_pane import FormPane
from patchbay.desktop.editor.header import AttentionBanner, EditorHeader, PausedBanner
from patchbay.desktop.editor.publish_bar import PublishBar
from patchbay.desktop.editor.steps_pane import StepsPane
from patchbay.desktop.editor.test_pane import TestPane
from patchbay.desktop.editor.view_models.attention import FlowAttention
from patchbay.desktop.editor.view_models.blockers import TEST_FIELD
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.flow_settings import FlowSettingsModel
from patchbay.desktop.editor.view_models.form import StepFormModel
from patchbay.desktop.editor.view_models.step_commands import StepCommands
from patchbay.desktop.editor.view_models.step_test import StepTestModel
from patchbay.desktop.kit.boxes import vbox
from patchbay.desktop.kit.layout import surface
from patchbay.desktop.kit.list_states import StatePage
from patchbay.desktop.kit.shortcuts import DELETE_STEP, DUPLICATE_STEP, PUBLISH, REDO, TEST_STEP, UNDO
from patchbay.desktop.kit.tab_view import FocusArea
from patchbay.desktop.kit.theme import theme
from patchbay.domain.base import AppKey, FlowId, StepId
from patchbay.domain.blockers import INNER_STEPS_FIELD, Blocker

FLOW_SHORTCUTS = (TEST_STEP, PUBLISH)
_UNUSED_KEYS = () if sys.platform == "darwin" else (QKeySequence("Backspace"),)
"""Outside of the list of steps, only Del deletes; small keyboards of Macs have only Backspace."""
"""Deletes a step only in the list of steps."""

EDITOR_HELP = "reference/variables.md"
STRUCTURE_HELP = "guides/branches-and-loops.md"
APP_HELP = {
    AppKey("http-request"): "guides/http-request.md",
    AppKey("webhook"): "guides/webhooks.md",
    AppKey("forms"): "guides/webhooks.md",
    AppKey("scheduler"): "guides/schedules.md",
    AppKey("filter"): "reference/conditions.md",
}
"""The page of the documentation about a step, by its app."""


class EditorPage(QWidget):
    """The editor page. `closed` when returning to the list."""

    closed = Signal()

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "surface")
        self.editor = EditorViewModel(services, self)
        self.commands = StepCommands(self.editor, self)
        self.form = StepFormModel(self.editor, self)
        self.test = StepTestModel(self.editor, self.form, self)
        self.header = EditorHeader(self.editor, self.commands)
        self.steps = StepsPane(self.editor, self.commands, self.test)
        self.form_pane = FormPane(self.editor, self.form, self.commands)
        self.test_pane = TestPane(self.editor, self.test)
        self.bar = PublishBar(self.editor)
        self.banner = PausedBanner(self.editor, self.commands)
        self.attention = AttentionBanner(FlowAttention(self.editor, self))
        self.dialog: FlowSettingsDialog | None = None
        self.state = StatePage()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._build_panes())
        self._stack.addWidget(self.state)
        self._connect()
        self._add_shortcuts()

    def _build_panes(self) -> QWidget:
        px = theme().px
        body = QWidget()
        self.panes = QSplitter(Qt.Orientation.Horizontal)
        self.panes.setHandleWidth(1)
        self.panes.setChildrenCollapsible(False)
        for pane, min_width in ((self.steps, 280), (self.form_pane, 440), (self.test_pane, 292)):
            pane.setMinimumWidth(px(min_width))
            self.panes.addWidget(pane)
        self.panes.setStretchFactor(1, 1)
        self.panes.setSizes([px(292), px(548), px(440)])
        vbox(self.header, self.banner, self.attention, (self.panes, 1), self.bar, parent=body, spacing=0)
        return body

    def _connect(self) -> None:
        editor = self.editor
        editor.loading_changed.connect(self._show_loading)
        editor.opened.connect(lambda: QTimer.singleShot(0, self, self._focus_first_step))
        editor.removed.connect(self._on_removed)
        editor.focus_requested.connect(self.focus_blocker)
        self.header.back_requested.connect(self.leave)
        self.header.settings_requested.connect(self.open_settings)
        self.steps.form_requested.connect(self.form_pane.focus_first)
        self.steps.rename_requested.connect(self.form_pane.rename)
        self.steps.view.clicked.connect(lambda _: self.form_pane.focus_chooser())
        self.commands.step_added.connect(lambda _: self.form_pane.focus_first())
        self.form_pane.more.clicked.connect(self._open_step_menu)
        self.test.invalid.connect(self.form_pane.focus_field)
        self.bar.test_requested.connect(self.test.test)

    def _add_shortcuts(self) -> None:
        """Add shortcuts: flow commands work anywhere in the window; step and edit commands only in the

        editor, and text fields keep their own editing keys.
        """
        for keys, run in (
            (TEST_STEP, self.test.test),
            (PUBLISH, self.editor.publish),
            (UNDO, self.editor.history.undo),
            (REDO, self.editor.history.redo),
            (DUPLICATE_STEP, lambda: self._with_step(self.commands.duplicate)),
            (DELETE_STEP, lambda: self._with_step(self.commands.delete)),
        ):
            shortcut = QShortcut(self)
            shortcut.setKeys([sequence for sequence in keys.sequences() if sequence not in _UNUSED_KEYS])
            if keys not in FLOW_SHORTCUTS:
                shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(run)

    def _with_step(self, action: Callable[[StepId], object]) -> None:
        if self.editor.step_id is not None:
            action(self.editor.step_id)

    # Opening and closing

    def open(
        self, flow_id: FlowId, step_id: StepId | None = None, blockers: tuple[Blocker, ...] = ()
    ) -> None:
        """Open a flow, at a step, with what prevents publishing."""
        self.editor.open(flow_id, step_id, blockers)

    def _focus_first_step(self) -> None:
        """Focus the event search if the first step of a shown flow has no event yet."""
        step = self.editor.step
        if (
            step is not None
            and not step.key
            and self.editor.unavailable_reason is None
            and not self.editor.samples
        ):
            self.form_pane.focus_first()

    def save(self) -> bool:
        """Save edits that weren't sent yet. Returns whether there were none."""
        draft = self.editor.draft
        saved = draft is None or draft.saved
        self.editor.leave()
        return saved

    def leave(self) -> None:
        """Save and return to the list."""
        focus = self.focusWidget()
        if focus is not None:
            focus.clearFocus()
        self.editor.leave()
        self.closed.emit()

    def _on_removed(self) -> None:
        tab = self.parentWidget()
        if tab is None or self.isVisibleTo(tab):  # otherwise the user has closed the flow
            self.editor.services.notices.post(tr("This flow was deleted"))
        self.closed.emit()

    def _show_loading(self) -> None:
        editor = self.editor
        if editor.draft is not None:
            self._stack.setCurrentIndex(0)
            return
        self._stack.setCurrentIndex(1)
        if editor.error is not None:
            back = (tr("Back to the list"), self.leave)
            self.state.show_error(editor.error, editor.retry_open, [back])
        else:
            self.state.show_loading(tr("Opening the flow"), self.leave)

    def open_settings(self) -> None:
        """Open flow settings; changes can be undone in the editor."""
        flow, editor = self.editor.flow, self.editor
        if flow is not None:
            model = FlowSettingsModel(editor.services, flow, add_undo=editor.history.add)
            self.dialog = FlowSettingsDialog(self, model)
            self.dialog.destroyed.connect(self._dialog_closed)
            self.dialog.open()

    def _dialog_closed(self) -> None:
        self.dialog = None

    # Focus

    @property
    def help_page(self) -> str:
        """The page of the documentation about the selected step, or about values in general."""
        step = self.editor.step
        if step is None or step.app_key is None:
            is_container = step is not None and step.structural_type.is_container
            return STRUCTURE_HELP if is_container else EDITOR_HELP
        return APP_HELP.get(step.app_key, EDITOR_HELP)

    def focus_areas(self) -> tuple[FocusArea, ...]:
        """Return the areas for F6; the whole page if the flow couldn't be opened."""
        if self._stack.currentIndex() == 1:
            return (FocusArea(self),)
        return (
            FocusArea(self.header),
            FocusArea(self.steps, self.steps.view),
            FocusArea(self.form_pane, self.form_pane.content),
            FocusArea(self.test_pane, self.test_pane.button),
            FocusArea(self.bar, self.bar.publish),
        )

    def focus_blocker(self, blocker: Blocker) -> None:
        """Go to a blocker: a field, the test pane, or the step list."""
        self.bar.unfold()
        if blocker.step_id is None:
            self.steps.add.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif blocker.field == INNER_STEPS_FIELD:
            self.steps.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif blocker.field == TEST_FIELD or blocker.field is None:
            self.test_pane.button.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self.form_pane.focus_field(blocker.field, blocker.reason)

    def _open_step_menu(self) -> None:
        if self.editor.step_id:
            button = self.form_pane.more
            self.steps.menu(self.editor.step_id, button.mapToGlobal(QPoint(0, button.height())))
