"""What the trigger of a flow asks, as it is remembered by the flow; see `domain/sources.py`."""

from collections.abc import Sequence

from patchbay.domain.connections import Connection
from patchbay.domain.errors import NotFound
from patchbay.domain.fields import SCREEN_NAME, Argument
from patchbay.domain.flows import Step
from patchbay.domain.sources import TriggerSource
from patchbay.domain.variables import as_text
from patchbay.integration.contract import Trigger
from patchbay.integration.registry import AppRegistry


def source_of(apps: AppRegistry, step: Step, connections: Sequence[Connection]) -> TriggerSource:
    """The source of a trigger step, with the account that its connection has now."""
    connection = next((item for item in connections if item.id == step.connection_id), None)
    shown = connection.formatted_data if connection else {}
    return TriggerSource(
        app_key=step.app_key,
        key=step.key,
        connection_id=step.connection_id,
        account=connection.account if connection else None,
        address={key: value for key, value in shown.items() if key != SCREEN_NAME},
        names=_source_names(_trigger(apps, step), step),
    )


def _trigger(apps: AppRegistry, step: Step) -> Trigger | None:
    """None where the app or the event is gone."""
    try:
        app = apps.get(step.app_key or "")
    except NotFound:
        return None
    return next((trigger for trigger in app.triggers if trigger.key == step.key), None)


def _source_names(trigger: Trigger | None, step: Step) -> dict[str, str]:
    if trigger is None:
        return {}
    return {
        argument.key: _source_value(argument, step)
        for argument in trigger.arguments
        if argument.key in trigger.source
    }


def _source_value(argument: Argument, step: Step) -> str:
    """What was entered; the preset where nothing was."""
    return as_text(step.parameters.get(argument.key)).strip() or as_text(argument.value)
