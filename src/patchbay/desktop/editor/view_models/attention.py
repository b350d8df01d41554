"""Why the open flow can't work now, as its workspace finds it: connections, the desktop, allowed programs."""

from PySide6.QtCore import QObject, QTimer, Signal

from patchbay.desktop.editor.view_models.editor import EditorViewModel
from patchbay.desktop.tasks import LatestRequest
from patchbay.domain.backend import Feature
from patchbay.domain.changes import Change, ResourceType
from patchbay.domain.executions import FlowActivity
from patchbay.domain.flows import FlowStatus

READ_DELAY_MS = 500
"""Delay after a change before the flow is checked again, as changes often come together."""
_CAUSES = (ResourceType.FLOW, ResourceType.CONNECTION, ResourceType.WORKSPACE)


class FlowAttention(QObject):
    """Why the open flow needs attention; `reason` is empty if it doesn't, or is paused."""

    changed = Signal()

    def __init__(self, editor: EditorViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._activity: FlowActivity | None = None
        self._request = LatestRequest(editor.services.tasks, self)
        self._delay_timer = QTimer(self, singleShot=True, interval=READ_DELAY_MS)
        self._delay_timer.timeout.connect(self.read)
        editor.loading_changed.connect(self._on_loading_changed)
        editor.opened.connect(self.read)
        editor.flow_changed.connect(self.changed)
        editor.services.feed.changed.connect(self._on_change)

    @property
    def reason(self) -> str:
        """Why the flow can't work, as a sentence with its full stop."""
        flow, activity = self._editor.flow, self._activity
        is_shown = flow is not None and activity is not None and activity.flow_id == flow.id
        if not is_shown or activity is None or not activity.attention or self._is_paused:
            return ""
        return activity.attention_sentence

    @property
    def todo(self) -> str:
        """What to do about it; empty if the reason says it."""
        return self._activity.attention_todo if self._activity is not None else ""

    def read(self) -> None:
        """Check the flow again."""
        flow, backend = self._editor.flow, self._editor.services.backend
        if flow is not None and backend.capabilities.reason(Feature.STATISTICS) is None:
            self._request.run(backend.flow_activity((flow.id,)), done=self._on_read, failed=lambda _: None)

    @property
    def _is_paused(self) -> bool:
        return self._editor.flow is not None and self._editor.flow.status is FlowStatus.PAUSED

    def _on_loading_changed(self) -> None:
        if self._editor.flow is None:
            self._activity = None
            self.changed.emit()

    def _on_change(self, change: Change) -> None:
        if self._editor.flow is not None and change.noun in _CAUSES and not self._delay_timer.isActive():
            self._delay_timer.start()

    def _on_read(self, found: tuple[FlowActivity, ...]) -> None:
        self._activity = found[0] if found else None
        self.changed.emit()
