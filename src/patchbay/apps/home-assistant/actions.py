"""Actions."""

import re

from patchbay.domain.base import Json, JsonObject
from patchbay.integration import YES_NO, OnInterrupted, dropdown, request_action, text
from patchbay.integration.templates import fill_object
from patchbay.integration.values import as_bool, parameter_error, text_of

_SERVICE = re.compile(r"([a-z0-9_]+)\.([a-z0-9_]+)")


def _line(parameters: JsonObject) -> str:
    service = text_of(parameters, "service").strip()
    found = _SERVICE.fullmatch(service)
    if found is None:
        raise parameter_error(
            "service",
            f"“{service[:60]}” isn't an action.",
            "Enter it with its domain, such as light.turn_on.",
        )
    return f"POST /api/services/{found[1]}/{found[2]}"


def _body(parameters: JsonObject) -> JsonObject:
    data = fill_object({"data": "{data:json}"}, parameters).get("data", {})
    if not isinstance(data, dict):
        raise parameter_error(
            "data", "The data must be a JSON object.", 'Enter, for example, {"brightness": 120}.'
        )
    entity = text_of(parameters, "entityId").strip()
    return {**data, "entity_id": entity} if entity else data


def _query(parameters: JsonObject) -> JsonObject:
    return {"return_response": "true"} if as_bool(parameters.get("returnResponse")) else {}


def _output(result: Json) -> Json:
    """Without a response of the service, Home Assistant returns only the list of changed states."""
    return {"changed_states": result} if isinstance(result, list) else result


call_service = request_action(
    key="callService",
    name="Perform action",
    description="Calls a service, such as light.turn_on, and outputs the states that changed.",
    arguments=(
        dropdown("service", "Action", source="listServices", required=True, variables=True),
        dropdown(
            "entityId",
            "Entity",
            source="listEntities",
            variables=True,
            description="The entity it applies to. Separate several with commas.",
        ),
        text(
            "data",
            "Data",
            multiline=True,
            placeholder='{"brightness": 120}',
            description="Further values for the action, as a JSON object.",
        ),
        dropdown(
            "returnResponse",
            "Output the response",
            YES_NO,
            value=False,
            description="Yes: for actions that return data, such as weather.get_forecasts. Others fail.",
        ),
    ),
    request=_line,
    query=_query,
    body=_body,
    output=_output,
    on_interrupted=OnInterrupted.ASK,
)
