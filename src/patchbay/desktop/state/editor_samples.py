"""Newer sample data for the open flow: what a webhook caught, or a run brought, while its editor is open."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.tasks import Latest
from patchbay.domain.backend import Feature
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.executions import ExecutionStep

if TYPE_CHECKING:
    from patchbay.desktop.state.editor import EditorViewModel

WAIT_MS = 1000
"""Executions of all flows are announced; samples are read at most this often."""


class SampleWatch(QObject):
    """Keeps `EditorViewModel.samples` as new as the executions. `arrived` names the steps with newer ones."""

    arrived = Signal(object)

    def __init__(self, editor: "EditorViewModel", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._slot = Latest(editor.services.tasks, self)
        self._wait = QTimer(self, interval=WAIT_MS, singleShot=True)
        self._wait.timeout.connect(self._read)
        editor.services.feed.changed.connect(self._on_change)

    def _on_change(self, change: Change) -> None:
        if (
            change.noun is ResourceType.EXECUTION
            and self._editor.draft is not None
            and not self._wait.isActive()
        ):
            self._wait.start()

    def _read(self) -> None:
        draft, backend = self._editor.draft, self._editor.services.backend
        if draft is not None and backend.capabilities.reason(Feature.STEP_RESULTS) is None:
            work = backend.step_samples(draft.id)
            self._slot.ask(work, done=self._read_samples, failed=lambda _: None)

    def _read_samples(self, samples: tuple[ExecutionStep, ...]) -> None:
        known = self._editor.samples
        newer = [item for item in samples if item.step.id not in known or known[item.step.id].id != item.id]
        if newer:
            known.update({item.step.id: item for item in newer})
            self.arrived.emit(tuple(item.step.id for item in newer))
            self._editor.surroundings_changed.emit()
