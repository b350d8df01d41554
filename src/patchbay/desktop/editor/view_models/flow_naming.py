"""Names of flows that were published with the default name."""

from contextlib import suppress

from patchbay.desktop.core.new_flows import is_default_name
from patchbay.desktop.editor.view_models.step_events import event_of
from patchbay.desktop.editor.view_models.step_labels import step_title
from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey
from patchbay.domain.errors import AppError
from patchbay.domain.flows import Flow, Step

MAX_STEP_TITLE_LENGTH = 100
"""Characters of each of the two titles in the name of a flow."""


async def publish_and_name(backend: Backend, flow: Flow) -> Flow:
    """Publish a flow as last loaded, and name it if it still has the default name."""
    published = await backend.publish_flow(flow.id, seen=flow.updated_at)
    if is_default_name(published.name):
        with suppress(AppError):  # it is published, whatever it is called
            return await backend.update_flow(flow.id, name=await derive_name(backend, published))
    return published


async def derive_name(backend: Backend, flow: Flow) -> str:
    """Return a name from the first and last event: “Every hour → Send email”."""
    steps = [step for step in flow.steps if step.app_key and step.key]
    return " → ".join([await _title(backend, step) for step in (*steps[:1], *steps[1:][-1:])])


async def _title(backend: Backend, step: Step) -> str:
    event = event_of(step, await backend.get_app(step.app_key or AppKey("")))
    return step_title(step, event.name if event else "")[:MAX_STEP_TITLE_LENGTH]
