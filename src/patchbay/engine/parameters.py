"""Resolves the parameters of a step: replaces references, and parses JSON texts."""

from collections.abc import Iterable
from datetime import datetime, tzinfo
from functools import lru_cache

from patchbay.domain.base import EpochMs, Json, JsonObject
from patchbay.domain.errors import PayloadTooLarge
from patchbay.domain.fields import Argument, ArgumentType, parameters_with_references
from patchbay.domain.json_limits import read_json
from patchbay.domain.variables import Outputs, Reference, missing, resolve, single_value

MAX_PARSED_CHARACTERS = 5_000_000
"""Maximum length of JSON text in an argument with value type `parse`."""
MAX_WARNINGS = 50
_MAX_TOKEN_LENGTH = 300


def resolve_with_warnings(
    arguments: Iterable[Argument], parameters: JsonObject, outputs: Outputs
) -> tuple[JsonObject, tuple[str, ...]]:
    """Replace references by values of this execution, then read the arguments declared `parse_json_text` as
    JSON.

    Arguments without `variables`, and those declared `verbatim`, stay as they are. Beside the values: a
    sentence for each reference that found nothing and was left empty.
    """
    if not parameters:
        return {}, ()
    arguments, unresolved = tuple(arguments), list[Reference]()
    found = resolve(parameters_with_references(arguments, parameters), outputs, unresolved)
    values = _merge_unresolved(arguments, parameters, found if isinstance(found, dict) else {})
    _keep_types(arguments, parameters, values, outputs)
    _parse_fields(arguments, values)
    return values, _missing_value_sentences(unresolved) if unresolved else ()


def _merge_unresolved(arguments: Iterable[Argument], entered: JsonObject, found: JsonObject) -> JsonObject:
    """The resolved values, plus entered values of fields that can't have references, also in rows."""
    values = {**entered, **found}
    for argument in arguments:
        before, after = entered.get(argument.key), values.get(argument.key)
        if argument.type is ArgumentType.DYNAMIC and isinstance(before, list) and isinstance(after, list):
            values[argument.key] = [
                _merge_unresolved(argument.fields, old, new)
                if isinstance(old, dict) and isinstance(new, dict)
                else new
                for old, new in zip(before, after, strict=True)
            ]
    return values


def resolve_parameters(arguments: Iterable[Argument], parameters: JsonObject, outputs: Outputs) -> JsonObject:
    """As `resolve_with_warnings`, without the warnings."""
    return resolve_with_warnings(arguments, parameters, outputs)[0]


def missing_values(
    arguments: Iterable[Argument], parameters: JsonObject, outputs: Outputs
) -> list[Reference]:
    """The references of a step that have no value."""
    return missing(parameters_with_references(arguments, parameters), outputs)


def missing_value_warnings(value: Json, outputs: Outputs) -> tuple[str, ...]:
    """A sentence for each reference in a value that has no value, as in `resolve_with_warnings`."""
    unresolved = missing(value, outputs)
    return _missing_value_sentences(unresolved) if unresolved else ()


def _missing_value_sentences(unresolved: list[Reference]) -> tuple[str, ...]:
    tokens = [*dict.fromkeys(reference.token for reference in unresolved)]
    warnings = [f"{_shorten(token)} had no value and was left empty." for token in tokens[:MAX_WARNINGS]]
    more = len(tokens) - len(warnings)
    return (*warnings, f"{more:,} more values were left empty.") if more else tuple(warnings)


def _shorten(token: str) -> str:
    return token if len(token) <= _MAX_TOKEN_LENGTH else f"{token[:_MAX_TOKEN_LENGTH]}…"


def iso_time(at: EpochMs, time_zone: tzinfo) -> str:
    """A moment as `{{now}}` inserts it, such as 2026-03-31T09:00:00+02:00."""
    return _iso_second(at // 1000, time_zone)


@lru_cache(maxsize=64)
def _iso_second(second: int, time_zone: tzinfo) -> str:
    """Cached, since it is inserted into the values of every step."""
    return datetime.fromtimestamp(second, time_zone).isoformat(timespec="seconds")


def parse_json_text(value: Json) -> Json:
    """Parse a text as JSON. Numbers stay text to keep long IDs exact, and so does invalid JSON.

    Raises `PayloadTooLarge` for a text that would take long to parse.
    """
    if not isinstance(value, str):
        return value
    if len(value) > MAX_PARSED_CHARACTERS and value.lstrip()[:1] in ("[", "{"):
        raise PayloadTooLarge(
            f"The JSON text in this step is longer than {MAX_PARSED_CHARACTERS:,} characters.",
            meaning="Parsing it would block other runs.",
            todo="Insert the value itself instead of its JSON text, or only the part you need.",
        )
    try:
        parsed = read_json(value)
    except ValueError:
        return value
    return value if isinstance(parsed, (int, float)) and not isinstance(parsed, bool) else parsed


def _keep_types(
    arguments: Iterable[Argument], entered: JsonObject, values: JsonObject, outputs: Outputs
) -> None:
    for argument in arguments:
        text = entered.get(argument.key)
        if argument.value_type == "typed" and isinstance(text, str):
            value = single_value(text, outputs)
            if isinstance(value, (bool, int, float)):
                values[argument.key] = value


def _parse_fields(arguments: Iterable[Argument], values: JsonObject) -> None:
    for argument in arguments:
        value = values.get(argument.key)
        if argument.type is ArgumentType.DYNAMIC and isinstance(value, list):
            for row in value:
                if isinstance(row, dict):
                    _parse_fields(argument.fields, row)
        elif argument.value_type == "parse" and value is not None:
            values[argument.key] = parse_json_text(value)
