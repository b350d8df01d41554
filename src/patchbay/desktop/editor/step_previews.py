"""Previews below the fields of a step: of its output, and of the starts of a schedule."""

from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.view_models.output_preview import OutputPreview, PreviewState
from patchbay.desktop.editor.view_models.schedule_preview import SchedulePreviewModel
from patchbay.desktop.kit.boxes import vbox
from patchbay.desktop.kit.layout import Card
from patchbay.desktop.kit.text import Label

MAX_SHOWN = 2_000
_MAX_SPOKEN = 300


class OutputPreviewBox(Card):
    """The result for the latest data, or why there is none; hidden for steps without a preview."""

    def __init__(self, preview: OutputPreview) -> None:
        super().__init__(padding=12)
        self.fill_token = "sidebar"
        self._preview = preview
        self._title = Label(tr("Result with the latest data"), "caption_strong", "text_secondary")
        self.output = Label("", "code", wrap=True)
        self.message = Label("", "caption", "text_secondary", wrap=True)
        self.error = Label("", "caption", "failure", wrap=True)
        for label in (self._title, self.output, self.message, self.error):
            self.body.addWidget(label)
        preview.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        preview, state = self._preview, self._preview.state
        self.setVisible(state is not PreviewState.HIDDEN)
        shown = {
            self.output: _shortened(preview.text) if state is PreviewState.OUTPUT else "",
            self.message: _waiting_text(preview),
            self.error: preview.message if state is PreviewState.FAILED else "",
        }
        for label, text in shown.items():
            label.setText(text)
            label.setVisible(bool(text))
        spoken = next(filter(None, shown.values()), "")
        self.setAccessibleName(tr("Result with the latest data: {text}", text=spoken[:_MAX_SPOKEN]))


def _waiting_text(preview: OutputPreview) -> str:
    if preview.state is PreviewState.LOADING:
        return tr("Calculating")
    if preview.state is PreviewState.OUTPUT and preview.output in ("", None):
        return tr("The result is empty.")
    return preview.message if preview.state is PreviewState.WAITING else ""


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


class SchedulePreviewBox(QWidget):
    """A sentence about the schedule and its next starts, or what to do to see them."""

    def __init__(self, model: SchedulePreviewModel) -> None:
        super().__init__()
        self._model = model
        self.sentence = Label("", "semibold", wrap=True)
        self._heading = Label(tr("Next runs", "of a schedule"), "caption", "text_secondary")
        self.starts = Label("", "body", "text_secondary", wrap=True)
        self.starts.setAccessibleDescription(tr("Next runs", "of a schedule"))
        self.hint = Label("", "caption", "text_secondary", wrap=True)
        vbox(self.sentence, self._heading, self.starts, self.hint, parent=self, spacing=4)
        model.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        preview = self._model.preview
        self.setVisible(self._model.is_shown)
        self.sentence.setText(preview.sentence if preview else "")
        self.starts.setText("\n".join(self._model.next_starts))
        self.hint.setText(self._model.hint)
        for label in (self.sentence, self._heading, self.starts):
            label.setVisible(preview is not None)
        self.hint.setVisible(bool(self._model.hint))
