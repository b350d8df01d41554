"""Shows the preview of the selected step's output below its fields."""

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.view_models.output_preview import OutputPreview, PreviewState
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
