"""Connections for the steps of a flow that was brought in: flows travel without them."""

from patchbay.domain.apps import TriggerInfo, connection_app
from patchbay.domain.backend import Backend
from patchbay.domain.flows import Flow, StepChange


async def use_only_accounts(backend: Backend, flow: Flow) -> Flow:
    """Give each step that uses a connection the one of its app, where there is exactly one.

    Whom a webhook lets in is not guessed.
    """
    for step in flow.steps:
        if not (step.app_key and step.key) or step.connection_id:
            continue
        app = await backend.get_app(step.app_key)
        event = app.trigger(step.key) or app.action(step.key)
        guess = event is not None and not (isinstance(event, TriggerInfo) and event.connection_optional)
        wanted = connection_app(app, event) if event and guess else None
        accounts = await backend.list_connections(wanted) if wanted else ()
        if len(accounts) == 1:
            flow = await backend.update_step(step.id, StepChange(connection_id=accounts[0].id))
    return flow
