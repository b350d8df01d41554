"""The parameters of a step as the app gets them: references replaced, JSON texts read."""

import json
from collections.abc import Iterable

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import Argument, ArgumentType
from patchbay.domain.variables import Outputs, missing, resolve


def resolve_parameters(arguments: Iterable[Argument], parameters: JsonObject, outputs: Outputs) -> JsonObject:
    """Replace references by values of this execution, then read the arguments declared `parse` as JSON.

    Arguments declared `verbatim` stay as they are.
    """
    arguments = tuple(arguments)
    fixed = {argument.key for argument in arguments if argument.value_type == "verbatim"}
    resolved = {key: value if key in fixed else resolve(value, outputs) for key, value in parameters.items()}
    _parse_fields(arguments, resolved)
    return resolved


def warnings(parameters: JsonObject, outputs: Outputs) -> list[Json]:
    """One sentence for each reference that found nothing."""
    found = missing(parameters, outputs)
    return [f"{reference.token} had no value and was left empty." for reference in found]


def parse(value: Json) -> Json:
    """Text read as JSON. Numbers stay text, so that long ids survive; so does what is no JSON."""
    if not isinstance(value, str):
        return value
    try:
        parsed: Json = json.loads(value)
    except ValueError:
        return value
    return value if isinstance(parsed, (int, float)) and not isinstance(parsed, bool) else parsed


def _parse_fields(arguments: Iterable[Argument], values: JsonObject) -> None:
    for argument in arguments:
        value = values.get(argument.key)
        if argument.type is ArgumentType.DYNAMIC and isinstance(value, list):
            for row in value:
                if isinstance(row, dict):
                    _parse_fields(argument.fields, row)
        elif argument.value_type == "parse" and value is not None:
            values[argument.key] = parse(value)
