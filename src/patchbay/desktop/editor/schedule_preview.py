"""The preview below the fields of a schedule trigger."""

from PySide6.QtWidgets import QWidget

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.view_models.schedule_preview import SchedulePreviewModel
from patchbay.desktop.kit.boxes import vbox
from patchbay.desktop.kit.text import Label


class SchedulePreviewBox(QWidget):
    """A sentence about the schedule and its next starts, or what to do to see them."""

    def __init__(self, model: SchedulePreviewModel) -> None:
        super().__init__()
        self._model = model
        self.sentence = Label("", "semibold", wrap=True)
        self._heading = Label(tr("Next starts", "of a schedule"), "caption", "text_secondary")
        self.starts = Label("", "body", "text_secondary", wrap=True)
        self.starts.setAccessibleDescription(tr("Next starts", "of a schedule"))
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
