"""Connections for the steps of an imported flow: an export has none."""

from patchbay.domain.apps import AppInfo, connection_app, needs_connection_choice
from patchbay.domain.backend import Backend
from patchbay.domain.base import AppKey
from patchbay.domain.flows import Flow, StepChange, StepType


async def use_single_connections(backend: Backend, flow: Flow) -> Flow:
    """Give each step that uses a connection the one of its app, where there is exactly one.

    A step whose connection is optional gets one only if it had one where the flow was exported: a webhook
    that accepted every call shouldn't begin to refuse some, and a request that was sent without credentials
    shouldn't begin to carry some. Steps of apps that aren't installed are skipped.
    """
    installed = {app.key for app in await backend.list_apps()}
    apps: dict[AppKey, AppInfo] = {}
    for step in flow.steps:
        if step.connection_id or step.app_key not in installed:
            continue
        app = apps.get(step.app_key) or await backend.get_app(step.app_key)
        apps[step.app_key] = app
        event = app.trigger(step.key) if step.type is StepType.TRIGGER else app.action(step.key)
        asked = needs_connection_choice(app, event, undecided=step.connection_required)
        connections = await backend.list_connections(connection_app(app, event)) if asked else ()
        if len(connections) == 1:
            flow = await backend.update_step(step.id, StepChange(connection_id=connections[0].id))
    return flow
