"""`PublishController`: publishes the open flow, one publication at a time."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from patchbay.desktop.core.language import tr
from patchbay.desktop.editor.view_models.blockers import remove_covered
from patchbay.desktop.editor.view_models.flow_naming import publish_and_name
from patchbay.domain.base import StepId
from patchbay.domain.blockers import Blocker
from patchbay.domain.errors import AppError, FlowNotReady
from patchbay.domain.flows import Flow

if TYPE_CHECKING:
    from patchbay.desktop.editor.view_models.draft import FlowDraft
    from patchbay.desktop.editor.view_models.editor import EditorViewModel


class PublishController(QObject):
    """A publication, one at a time.

    `rejected_blockers`: blockers of the last failure that may still apply.
    """

    def __init__(self, editor: "EditorViewModel") -> None:
        super().__init__(editor)
        self._editor = editor
        self.running = False
        self.rejected_blockers: tuple[Blocker, ...] = ()

    def publish(self) -> None:
        """Publish the draft once its changes are written."""
        draft = self._editor.draft
        if draft is None or self.running:
            return
        self.running = True
        draft.flush()
        self._editor.blockers_changed.emit()
        draft.write_queue.run_when_idle(partial(self._publish_now, draft), self._on_save_failed)

    def clear_step(self, step_id: StepId) -> None:
        """Drop the blockers of an edited step, as they may no longer apply."""
        self.rejected_blockers = tuple(
            item for item in self.rejected_blockers if item.step_id not in (step_id, None)
        )

    def remove_covered_by(self, live: tuple[Blocker, ...]) -> None:
        """Drop blockers that the window also finds itself."""
        self.rejected_blockers = remove_covered(self.rejected_blockers, live)

    def _publish_now(self, draft: "FlowDraft") -> None:
        """Publish the flow of a saved draft, even if another one was opened meanwhile."""
        flow, services = draft.flow, self._editor.services
        task = services.tasks.run(
            self,
            publish_and_name(services.backend, flow),
            done=self._on_published,
            failed=partial(self._on_publish_failed, flow),
        )
        task.ended.connect(self._on_ended)

    def _on_save_failed(self, error: AppError) -> None:
        self._editor.services.notices.failed(error)
        self._on_ended()

    def _on_ended(self) -> None:
        self.running = False
        self._editor.blockers_changed.emit()

    def _on_published(self, flow: Flow) -> None:
        if self._editor.flow_id == flow.id:
            self.rejected_blockers = ()
        if self._editor.draft:
            self._editor.draft.apply_server_flow(flow)
        self._editor.update_blockers()
        text = tr("Published “{name}” as version {version}", name=flow.name, version=flow.published_version)
        self._editor.services.notices.post(text)

    def _on_publish_failed(self, flow: Flow, error: AppError) -> None:
        if not isinstance(error, FlowNotReady) or self._editor.flow_id != flow.id:
            self._editor.services.notices.failed(error)
            return
        self.rejected_blockers = error.blockers
        self._editor.update_blockers()
        self._editor.focus_first_blocker()
