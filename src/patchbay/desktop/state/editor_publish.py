"""Publishing the flow in the editor: save first, ask, and keep what the workspace found missing."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from patchbay.desktop.state.editor_blockers import TEST_FIELD
from patchbay.desktop.state.flow_naming import publish_named
from patchbay.domain.base import StepId
from patchbay.domain.errors import AppError, Blocker, FlowNotReady
from patchbay.domain.flows import Flow

if TYPE_CHECKING:
    from patchbay.desktop.state.editor import EditorViewModel


class Publication(QObject):
    """One publication at a time. `refused` holds the blockers of the last refusal that still may hold."""

    def __init__(self, editor: "EditorViewModel") -> None:
        super().__init__(editor)
        self._editor = editor
        self.under_way = False
        self.refused: tuple[Blocker, ...] = ()

    def publish(self) -> None:
        draft = self._editor.draft
        if draft is None or self.under_way:
            return
        self.under_way = True
        draft.flush()
        self._editor.blockers_changed.emit()
        draft.lane.when_idle(self._ask, self._not_saved)

    def forget(self, step_id: StepId) -> None:
        """A step was edited: what was refused about it may hold no longer."""
        self.refused = tuple(item for item in self.refused if item.step_id not in (step_id, None))

    def leave_to(self, live: tuple[Blocker, ...]) -> None:
        """What the window finds missing by itself it also finds done; the refusal no longer says it."""
        found = {(item.step_id, item.field or TEST_FIELD) for item in live}
        self.refused = tuple(
            item for item in self.refused if (item.step_id, item.field or TEST_FIELD) not in found
        )

    def _ask(self) -> None:
        flow, services = self._editor.flow, self._editor.services
        if flow is None:
            return
        work = publish_named(services.backend, flow)
        task = services.tasks.run(self, work, done=self._published, failed=self._not_published)
        task.ended.connect(self._ended)

    def _not_saved(self, error: AppError) -> None:
        self._editor.services.notices.failed(error)
        self._ended()

    def _ended(self) -> None:
        self.under_way = False
        self._editor.blockers_changed.emit()

    def _published(self, flow: Flow) -> None:
        self.refused = ()
        if self._editor.draft:
            self._editor.draft.adopt(flow)
        self._editor.judge()
        text = f"“{flow.name}” is published as version {flow.published_version}"
        self._editor.services.notices.post(text)

    def _not_published(self, error: AppError) -> None:
        if not isinstance(error, FlowNotReady):
            self._editor.services.notices.failed(error)
            return
        self.refused = error.blockers
        self._editor.judge()
        self._editor.lead_to_missing()
