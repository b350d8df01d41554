"""The head of the editor: back, folder and name, versions, how saving goes, Run now."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from patchbay.desktop.state.editor import EditorViewModel
from patchbay.desktop.state.editor_steps import StepCommands
from patchbay.desktop.ui.flows.editor.inline_name import InlineName
from patchbay.desktop.ui.kit.buttons import Button, IconButton
from patchbay.desktop.ui.kit.chips import Tag
from patchbay.desktop.ui.kit.marks import flow_word
from patchbay.desktop.ui.kit.surface import line, surface
from patchbay.desktop.ui.kit.text import ElidedLabel, Label, clock_time, plain_tip
from patchbay.desktop.ui.kit.theme import theme
from patchbay.domain.backend import Feature
from patchbay.domain.flows import DEFAULT_FLOW_NAME, FlowStatus

SAVED_WIDTH = 340


class EditorHeader(QWidget):
    """48 px. `back_wanted` returns to the list; `settings_wanted` asks how the flow is run."""

    back_requested = Signal()
    settings_requested = Signal()

    def __init__(self, editor: EditorViewModel, commands: StepCommands) -> None:
        super().__init__()
        surface(self, "surface")
        self._editor = editor
        self.back = IconButton("arrow-left", "Back to the list (Alt+Left)")
        self.back.clicked.connect(self.back_requested)
        self.folder = Label("", "body", "text_secondary")
        self.name = InlineName("Name of the flow")
        self.name.renamed.connect(commands.rename_flow)
        self._version = Tag("")
        self._draft = Tag("Editing a draft", "accent")
        self.saved = ElidedLabel("", "caption", "text_secondary")
        self.saved.setMaximumWidth(theme().px(SAVED_WIDTH))
        self.retry = Button("Save again", "link")
        self.retry.clicked.connect(self._retry)
        self.settings = IconButton("sliders-horizontal", "Flow settings")
        self.settings.clicked.connect(self.settings_requested)
        self.pause = IconButton("circle-pause", "Pause this flow")
        self.pause.clicked.connect(self._toggle_pause)
        self._commands = commands
        self.stop = Button("Unpublish")
        self.stop.clicked.connect(editor.unpublish)
        self.run = Button("Run now", icon="play")
        self.run.clicked.connect(commands.run_now)
        self._lay_out()
        for signal in (editor.opened, editor.flow_changed, editor.save_changed):
            signal.connect(self.show_state)

    def _lay_out(self) -> None:
        px = theme().px
        row = QHBoxLayout()
        row.setContentsMargins(px(12), 0, px(12), 0)
        row.setSpacing(px(8))
        row.addWidget(self.back)
        row.addWidget(self.folder)
        row.addWidget(Label("/", "body", "text_tertiary"))
        row.addWidget(self.name)
        for tag in (self._version, self._draft):
            row.addWidget(tag)
        row.addStretch(1)
        for widget in (self.saved, self.retry, self.settings, self.pause, self.stop, self.run):
            row.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addStretch(1)
        column.addLayout(row)
        column.addStretch(1)
        column.addWidget(line())
        self.setFixedHeight(px(48))

    def show_state(self) -> None:
        flow = self._editor.flow
        if flow is None:
            return
        self.folder.setText(self._editor.folder_name)
        if not self.name.editing:
            self.name.show_name(flow.name, is_default=flow.name == DEFAULT_FLOW_NAME)
        self.name.set_editable(self._editor.read_only is None)
        live = flow.active and flow.published_version is not None
        label, tone = flow_word(flow.status)
        self._version.set(f"Version {flow.published_version} {label.lower()}" if live else label, tone)
        paused = flow.status is FlowStatus.PAUSED
        self.pause.setVisible(flow.active and self._editor.read_only is None)
        self.pause.set_icon("circle-play" if paused else "circle-pause")
        self.pause.set_name("Resume this flow" if paused else "Pause this flow")
        self._draft.setVisible(live and flow.has_unpublished_edits)
        self.stop.setVisible(flow.active)
        read_only_reason = self._editor.services.backend.capabilities.reason(Feature.CHANGES)
        self.stop.setEnabled(read_only_reason is None)
        self.stop.setToolTip(plain_tip(read_only_reason or ""))
        reason = self._editor.services.backend.capabilities.reason(Feature.RUN_FLOWS)
        self.run.setEnabled(reason is None)
        self.run.setToolTip(
            plain_tip(reason or ("Run the published version" if live else "Run the draft once, as a test"))
        )
        self._show_saving()

    def _show_saving(self) -> None:
        draft = self._editor.draft
        if draft is None:
            return
        stuck = draft.lane.stuck
        self.retry.setVisible(stuck is not None)
        if stuck is not None:
            text, token = f"Not saved. {stuck.text()}", "failure"
        elif not draft.saved:
            text, token = "Saving", "text_secondary"
        else:
            text, token = (
                (f"Draft saved {clock_time(draft.saved_at)}" if draft.saved_at else ""),
                "text_secondary",
            )
        self.saved.setText(text)
        self.saved.set_style("caption", token)

    def _toggle_pause(self) -> None:
        if flow := self._editor.flow:
            self._commands.set_paused(flow.status is not FlowStatus.PAUSED)

    def _retry(self) -> None:
        if self._editor.draft is not None:
            self._editor.draft.lane.retry()
