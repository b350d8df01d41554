"""The header of the editor: name, versions, saving state, Run now, and the warning banners."""

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.core.new_flows import is_default_name
from patchbay.desktop.editor.view_models.attention import FlowAttention
from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.editor.view_models.step_commands import StepCommands
from patchbay.desktop.kit.badges import Tag
from patchbay.desktop.kit.boxes import Stretch, hbox, vbox
from patchbay.desktop.kit.buttons import Button, IconButton
from patchbay.desktop.kit.inputs import InlineName
from patchbay.desktop.kit.layout import line, surface
from patchbay.desktop.kit.mark_painting import paint_mark
from patchbay.desktop.kit.marks import flow_status_label
from patchbay.desktop.kit.messages import without_full_stop
from patchbay.desktop.kit.text import ElidedLabel, Label, clock_time, plain_tip
from patchbay.desktop.kit.theme import theme
from patchbay.domain.backend import Feature
from patchbay.domain.flows import FlowStatus

EVENTS_ARE_QUEUED = tr("New events are queued and run when you resume it.")


class _WarningBanner(QWidget):
    """A strip in the colours of a warning, with its mark at the left."""

    def paintEvent(self, event: QPaintEvent) -> None:
        px, tokens = theme().px, theme().tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.warning_soft)
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), tokens.warning_border)
        mark = QRectF(px(16), 0, px(16), self.height())
        paint_mark(painter, mark, "triangle-alert", tokens.warning, tokens.warning_soft)


class AttentionBanner(_WarningBanner):
    """The banner of a flow that can't work now: why, and what to do about it."""

    def __init__(self, attention: FlowAttention) -> None:
        super().__init__()
        self.model = attention
        self.reason = Label("", "semibold", wrap=True)
        self.todo = Label("", "body", "text_secondary", wrap=True)
        vbox(self.reason, self.todo, parent=self, margins=(44, 9, 16, 10), spacing=2)
        attention.changed.connect(self.show_state)
        self.hide()

    def show_state(self) -> None:
        """Show why the flow can't work; hidden if it can."""
        reason, todo = self.model.reason, self.model.todo
        self.reason.setText(without_full_stop(reason))
        self.todo.setText(todo)
        self.todo.setVisible(bool(todo))
        self.setAccessibleName(f"{reason} {todo}".strip())
        self.setVisible(bool(reason))


class PausedBanner(_WarningBanner):
    """The banner of a paused flow, with Resume."""

    def __init__(self, editor: EditorViewModel, commands: StepCommands) -> None:
        super().__init__()
        self._editor = editor
        self._title = Label(tr("This flow is paused"), "semibold")
        self._reason = ElidedLabel("", "body", "text_secondary")
        self.resume = Button(tr("Resume", "verb, button"), icon="play", small=True)
        self.resume.clicked.connect(lambda: commands.set_paused(False))
        px = theme().px
        hbox(self._title, (self._reason, 1), self.resume, parent=self, margins=(44, 0, 12, 0), spacing=8)
        self.setFixedHeight(px(40))
        for signal in (editor.opened, editor.flow_changed):
            signal.connect(self.show_state)
        self.hide()

    def show_state(self) -> None:
        """Show why the flow is paused; hidden if it isn't."""
        flow = self._editor.flow
        paused = flow is not None and flow.status is FlowStatus.PAUSED
        self.setVisible(paused)
        if flow is not None and paused:
            reason = (flow.paused_reason or "").rstrip(".")
            self._reason.setText(f"{reason}. {EVENTS_ARE_QUEUED}" if reason else EVENTS_ARE_QUEUED)
            self.setAccessibleName(tr("This flow is paused. {reason}", reason=self._reason.text()))
            self.resume.setVisible(self._editor.unavailable_reason is None)


# Header

SAVED_WIDTH = 340


class EditorHeader(QWidget):
    """The header, 48 px. `back_requested` returns to the list; `settings_requested` opens flow settings."""

    back_requested = Signal()
    settings_requested = Signal()

    def __init__(self, editor: EditorViewModel, commands: StepCommands) -> None:
        super().__init__()
        surface(self, "surface")
        self._editor = editor
        self.back = IconButton("arrow-left", tr("Back to the list (Alt+Left)"))
        self.back.clicked.connect(self.back_requested)
        self.folder = Label("", "body", "text_secondary")
        self.name = InlineName(tr("Flow name"), tr("Rename: flow name"))
        self.name.renamed.connect(commands.rename_flow)
        self._version = Tag("")
        self._draft = Tag(tr("Editing a draft"), "accent")
        self.saved = ElidedLabel("", "caption", "text_secondary")
        self.saved.setMaximumWidth(theme().px(SAVED_WIDTH))
        self.retry = Button(tr("Retry saving"), "link")
        self.retry.clicked.connect(self._retry)
        self.settings = IconButton("sliders-horizontal", tr("Flow settings"))
        self.settings.clicked.connect(self.settings_requested)
        self.pause = IconButton("circle-pause", tr("Pause this flow"))
        self.pause.clicked.connect(self._toggle_pause)
        self._commands = commands
        self.stop = Button(tr("Unpublish"))
        self.stop.clicked.connect(editor.unpublish)
        self.run = Button(tr("Run now"), icon="play")
        self.run.clicked.connect(commands.run_now)
        self._lay_out()
        for signal in (editor.opened, editor.flow_changed, editor.save_changed):
            signal.connect(self.show_state)

    def _lay_out(self) -> None:
        px = theme().px
        row = hbox(
            self.back,
            self.folder,
            Label("/", "body", "text_tertiary"),
            self.name,
            self._version,
            self._draft,
            Stretch(),
            self.saved,
            self.retry,
            self.settings,
            self.pause,
            self.stop,
            self.run,
            margins=(12, 0, 12, 0),
            spacing=8,
        )
        vbox(Stretch(), row, Stretch(), line(), parent=self, spacing=0)
        self.setFixedHeight(px(48))

    def show_state(self) -> None:
        """Show the name, folder, and status of the flow."""
        flow = self._editor.flow
        if flow is None:
            return
        self.folder.setText(self._editor.folder_name)
        if not self.name.editing:
            self.name.show_name(flow.name, is_default=is_default_name(flow.name))
        self.name.set_editable(self._editor.unavailable_reason is None)
        live = flow.active and flow.published_version is not None
        label, tone = flow_status_label(flow.status)
        paused = flow.status is FlowStatus.PAUSED
        self._version.set(_version_text(flow.published_version, paused=paused) if live else label, tone)
        self.pause.setVisible(flow.active and self._editor.unavailable_reason is None)
        self.pause.set_icon("circle-play" if paused else "circle-pause")
        self.pause.set_name(tr("Resume this flow") if paused else tr("Pause this flow"))
        self._draft.setVisible(live and flow.has_unpublished_edits)
        self.stop.setVisible(flow.active)
        read_only_reason = self._editor.services.backend.capabilities.reason(Feature.CHANGES)
        self.stop.setEnabled(read_only_reason is None)
        self.stop.setToolTip(plain_tip(read_only_reason or ""))
        reason = self._editor.services.backend.capabilities.reason(Feature.RUN_FLOWS)
        self.run.setEnabled(reason is None)
        self.run.setToolTip(
            plain_tip(
                reason or (tr("Run the published version") if live else tr("Run the draft once, as a test"))
            )
        )
        self._show_saving()

    def _show_saving(self) -> None:
        draft = self._editor.draft
        if draft is None:
            return
        write_error = draft.write_queue.write_error
        self.retry.setVisible(write_error is not None)
        if write_error is not None:
            text, token = tr("Not saved. {error}", error=write_error.text()), "failure"
        elif not draft.saved:
            text, token = tr("Saving"), "text_secondary"
        else:
            saved_at = draft.saved_at
            text = tr("Draft saved {time}", time=clock_time(saved_at)) if saved_at else ""
            token = "text_secondary"
        self.saved.setText(text)
        self.saved.set_style("caption", token)

    def _toggle_pause(self) -> None:
        if flow := self._editor.flow:
            self._commands.set_paused(flow.status is not FlowStatus.PAUSED)

    def _retry(self) -> None:
        if self._editor.draft is not None:
            self._editor.draft.write_queue.retry()


def _version_text(number: int | None, *, paused: bool) -> str:
    if paused:
        return tr("Version {number} paused", number=number)
    return tr("Version {number} published", number=number)
