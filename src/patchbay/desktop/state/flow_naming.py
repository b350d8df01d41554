"""Publishing flows that nobody has named: they are called by what starts them and what they do."""

from contextlib import suppress

from patchbay.desktop.state.editor_blockers import event_of
from patchbay.desktop.state.editor_words import step_title
from patchbay.domain.backend import Backend
from patchbay.domain.errors import AppError
from patchbay.domain.flows import DEFAULT_FLOW_NAME, Flow, Step

LONGEST_TITLE = 100


async def publish_named(backend: Backend, flow: Flow) -> Flow:
    """Publish a flow as it was last seen, and name it if it still has the name of new flows."""
    published = await backend.publish_flow(flow.id, seen=flow.updated_at)
    if published.name == DEFAULT_FLOW_NAME:
        with suppress(AppError):  # it is published, whatever it is called
            return await backend.update_flow(flow.id, name=await derived_name(backend, published))
    return published


async def derived_name(backend: Backend, flow: Flow) -> str:
    """The first and the last step with an event: “Every hour → Send email”."""
    steps = [step for step in flow.steps if step.app_key and step.key]
    return " → ".join([await _title(backend, step) for step in (*steps[:1], *steps[1:][-1:])])


async def _title(backend: Backend, step: Step) -> str:
    event = event_of(step, await backend.get_app(step.app_key or ""))
    return step_title(step, event.name if event else "")[:LONGEST_TITLE]
