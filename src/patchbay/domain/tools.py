"""Tools: flows that programs and language models call by name, with arguments, and whose output they get.

A flow is a tool if it starts with the trigger `MCP_TRIGGER` of the app `MCP_APP` and is published.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Protocol

from patchbay.domain.access import Audience, Scope, requires_scope
from patchbay.domain.base import AppKey, ExecutionId, FlowId, Json, JsonObject, Model
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.flows import Step
from patchbay.domain.json_limits import read_json, size_of
from patchbay.domain.variables import as_text

MCP_APP = AppKey("mcp")
MCP_TRIGGER = "mcpTool"
"""Trigger: a client of the MCP server, an agent, or the HTTP API calls this flow as a tool."""

MAX_NAME_LENGTH = 64
MAX_DESCRIPTION_LENGTH = 4_000
MAX_SCHEMA_LENGTH = 64_000
_MAX_SCHEMA_VALUES = 5_000
_MAX_UNKNOWN_NAMES = 10
"""In an error: the caller decides how many arguments it sends."""
_OTHER_CHARACTERS = re.compile(r"[^A-Za-z0-9_-]+")
_SUFFIX_LENGTH = 8
"""Characters of the flow's ID that tell tools with the same name apart."""
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


class Tool(Model):
    """A tool, as it is described to those who call it."""

    flow_id: FlowId
    name: str
    """Letters, digits, hyphens, and underscores. Several tools can have the same name."""
    description: str
    input_schema: JsonObject
    """The JSON Schema of the arguments, whose type is `object`."""
    problem: str = ""
    """Why the tool can't be called, for example because its schema is invalid; empty if it can."""


class ToolResult(Model):
    """The result of a call."""

    output: str
    """The output of the flow, or what went wrong."""
    is_error: bool = False
    execution_id: ExecutionId


class ToolBackend(Protocol):
    """Tools. See `Backend`."""

    @requires_scope(Scope.READ, Audience.OWNED)
    async def list_tools(self) -> tuple[Tool, ...]:
        """List the published flows that are tools, by name."""
        ...

    @requires_scope(Scope.OPERATE, Audience.OWNED, starts_runs=True)
    async def call_tool(self, flow_id: FlowId, arguments: JsonObject) -> ToolResult:
        """Run a published flow that is a tool, and return its output.

        A run that fails or takes too long is a result as well (`is_error`). Raises `NotFound`, `Conflict` if
        the flow isn't a tool or is paused, `ValidationFailed` if the arguments don't match its schema, and
        `RateLimited` while too many calls are waiting.
        """
        ...


def is_tool(step: Step) -> bool:
    """Whether a flow with this trigger is a tool."""
    return (step.app_key, step.key) == (MCP_APP, MCP_TRIGGER)


def read_tool(flow_id: FlowId, parameters: JsonObject) -> Tool:
    """The tool that is defined by the parameters of its trigger; an invalid one has a `problem`."""
    name = _OTHER_CHARACTERS.sub("_", as_text(parameters.get("toolName")).strip()).strip("_")
    description = as_text(parameters.get("toolDescription")).strip()
    schema: JsonObject = {"type": "object", "properties": {}}
    problem = ""
    try:
        schema = read_schema(parameters.get("inputSchema"))
        if not name:
            raise _error("toolName", "The tool has no name.", "Enter a name, such as find_order.")
        if len(name) > MAX_NAME_LENGTH:
            raise _error("toolName", f"The name has more than {MAX_NAME_LENGTH} characters.", "Shorten it.")
        if len(description) > MAX_DESCRIPTION_LENGTH:
            raise _error(
                "toolDescription",
                f"The description has more than {MAX_DESCRIPTION_LENGTH:,} characters.",
                "Shorten it.",
            )
    except ValidationFailed as error:
        problem = error.text()
    return Tool(
        flow_id=flow_id,
        name=name[:MAX_NAME_LENGTH],
        description=description[:MAX_DESCRIPTION_LENGTH],
        input_schema=schema,
        problem=problem,
    )


def named_tools(tools: Sequence[Tool]) -> dict[str, Tool]:
    """The tools that can be called, by unique names: the same names get the beginning of their flow's ID.

    So does a tool whose name is another one's name with its suffix, and would replace that one.
    """
    usable = [tool for tool in tools if not tool.problem]
    counts = Counter(tool.name for tool in usable)
    repeated = {tool.flow_id for tool in usable if counts[tool.name] > 1}
    while True:
        suffixed = {_with_suffix(tool) for tool in usable if tool.flow_id in repeated}
        clashing = {tool.flow_id for tool in usable if tool.name in suffixed} - repeated
        if not clashing:
            return {_with_suffix(tool) if tool.flow_id in repeated else tool.name: tool for tool in usable}
        repeated |= clashing


def _with_suffix(tool: Tool) -> str:
    suffix = tool.flow_id[:_SUFFIX_LENGTH]
    return f"{tool.name[: MAX_NAME_LENGTH - len(suffix) - 1]}-{suffix}"


def read_schema(value: Json) -> JsonObject:
    """The schema of the arguments, given as JSON text or object; one without properties if it's empty.

    Raises `ValidationFailed` if it isn't a JSON Schema of an object, or too large.
    """
    if isinstance(value, str):
        if len(value) > MAX_SCHEMA_LENGTH:
            raise _schema_error(f"The input schema has more than {MAX_SCHEMA_LENGTH:,} characters.")
        try:
            value = read_json(value, _MAX_SCHEMA_VALUES) if value.strip() else {}
        except ValueError:
            raise _schema_error("The input schema isn't valid JSON.") from None
    elif size_of(value, MAX_SCHEMA_LENGTH) > MAX_SCHEMA_LENGTH:
        raise _schema_error(f"The input schema has more than {MAX_SCHEMA_LENGTH:,} characters.")
    schema = {} if value is None else value
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        raise _schema_error("The input schema doesn't describe an object.")
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not all(
        isinstance(one, dict | bool) for one in properties.values()
    ):
        raise _schema_error("“properties” in the input schema isn't an object of schemas.")
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise _schema_error("“required” in the input schema isn't a list of names.")
    return {"type": "object", "properties": {}, **schema}


def check_arguments(schema: JsonObject, arguments: JsonObject) -> None:
    """Raise `ValidationFailed` for missing, unknown, or wrong arguments, as far as the flow relies on them.

    Checks required properties, and types and choices of properties; not what is inside lists and objects.
    """
    properties, required = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, dict) else {}
    problems = [
        f"“{name}” is missing."
        for name in (required if isinstance(required, list) else ())
        if isinstance(name, str) and name not in arguments
    ]
    if schema.get("additionalProperties") is False:
        unknown = (f"“{name[:60]}” is unknown." for name in arguments if name not in known)
        problems += islice(unknown, _MAX_UNKNOWN_NAMES)
    for name, described in known.items():
        if name in arguments and isinstance(described, dict):
            problems += _value_problems(name, described, arguments[name])
    if problems:
        raise ValidationFailed(
            {"arguments": problems},
            happened="The arguments don't match the input schema of the tool.",
            meaning=" ".join(problems[:10]),
        )


def _value_problems(name: str, described: JsonObject, value: Json) -> list[str]:
    wanted = described.get("type")
    types = wanted if isinstance(wanted, list) else [wanted]
    names = [one for one in types if isinstance(one, str) and one in _TYPES]
    if names and len(names) == len(types) and not any(_has_type(value, one) for one in names):
        return [f"“{name}” must be of type {' or '.join(names)}."]
    choices = described.get("enum")
    if isinstance(choices, list) and value not in choices:
        return [f"“{name}” must be one of {json.dumps(choices, ensure_ascii=False)[:200]}."]
    return []


def _has_type(value: Json, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[name])


def sample_arguments(schema: JsonObject) -> JsonObject:
    """Arguments that match a schema, for setting up the steps of a flow."""
    properties = schema.get("properties")
    return {
        name: _sample(described)
        for name, described in (properties if isinstance(properties, dict) else {}).items()
        if isinstance(described, dict)
    }


def _sample(described: JsonObject) -> Json:
    for key in ("default", "const"):
        if key in described:
            return described[key]
    for key in ("examples", "enum"):
        given = described.get(key)
        if isinstance(given, list) and given:
            return given[0]
    wanted = described.get("type")
    name = next((one for one in wanted if one != "null"), None) if isinstance(wanted, list) else wanted
    samples: dict[str, Json] = {"string": "text", "number": 1.5, "integer": 1, "boolean": True, "array": []}
    if name == "object":
        return {}
    return samples.get(name) if isinstance(name, str) else None


def _schema_error(message: str) -> ValidationFailed:
    todo = 'Enter a JSON Schema such as {"type": "object", "properties": {"city": {"type": "string"}}}.'
    return _error("inputSchema", message, todo)


def _error(key: str, message: str, todo: str) -> ValidationFailed:
    return ValidationFailed({key: [message]}, happened=message, todo=todo)
