"""The parameters of a step as the app gets them: references replaced, JSON texts read."""

import json
from collections.abc import Iterable

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import Argument, ArgumentType, replaceable
from patchbay.domain.variables import Outputs, Reference, missing, resolve


def resolved(
    arguments: Iterable[Argument], parameters: JsonObject, outputs: Outputs
) -> tuple[JsonObject, tuple[str, ...]]:
    """Replace references by values of this execution, then read the arguments declared `parse` as JSON.

    Arguments declared `verbatim` stay as they are. Beside the values: a sentence for each reference that
    found nothing and was left empty.
    """
    arguments, missed = tuple(arguments), list[Reference]()
    values = {**parameters, **_resolved(replaceable(arguments, parameters), outputs, missed)}
    _parse_fields(arguments, values)
    return values, _sentences(missed) if missed else ()


def resolve_parameters(arguments: Iterable[Argument], parameters: JsonObject, outputs: Outputs) -> JsonObject:
    """As `resolved`, without the sentences."""
    return resolved(arguments, parameters, outputs)[0]


def missing_values(
    arguments: Iterable[Argument], parameters: JsonObject, outputs: Outputs
) -> list[Reference]:
    """The references of a step that would be left empty."""
    return missing(replaceable(arguments, parameters), outputs)


def told_missing(value: Json, outputs: Outputs) -> tuple[str, ...]:
    """A sentence for each reference in a value that finds nothing, as `resolved` gives them."""
    missed = missing(value, outputs)
    return _sentences(missed) if missed else ()


def _resolved(values: JsonObject, outputs: Outputs, missed: list[Reference]) -> JsonObject:
    return {key: resolve(value, outputs, missed) for key, value in values.items()}


def _sentences(missed: list[Reference]) -> tuple[str, ...]:
    return tuple(
        f"{token} had no value and was left empty."
        for token in dict.fromkeys(reference.token for reference in missed)
    )


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
