"""The parameters of a step as the app gets them: references replaced, JSON texts read."""

from collections.abc import Iterable

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import PayloadTooLarge
from patchbay.domain.fields import Argument, ArgumentType, replaceable
from patchbay.domain.foreign_json import read_json
from patchbay.domain.variables import Outputs, Reference, missing, resolve

MOST_PARSED = 5_000_000
"""Characters of a JSON text in an argument declared `parse`."""
MOST_SENTENCES = 50
_LONGEST_TOKEN = 300


def resolved(
    arguments: Iterable[Argument], parameters: JsonObject, outputs: Outputs
) -> tuple[JsonObject, tuple[str, ...]]:
    """Replace references by values of this execution, then read the arguments declared `parse` as JSON.

    Arguments without `variables`, and those declared `verbatim`, stay as they are. Beside the values: a
    sentence for each reference that found nothing and was left empty.
    """
    arguments, missed = tuple(arguments), list[Reference]()
    found = resolve(replaceable(arguments, parameters), outputs, missed)
    values = _with_fixed(arguments, parameters, found if isinstance(found, dict) else {})
    _parse_fields(arguments, values)
    return values, _sentences(missed) if missed else ()


def _with_fixed(arguments: Iterable[Argument], entered: JsonObject, found: JsonObject) -> JsonObject:
    """What was found, and where nothing is replaced what was entered, in rows as well."""
    values = {**entered, **found}
    for argument in arguments:
        before, after = entered.get(argument.key), values.get(argument.key)
        if argument.type is ArgumentType.DYNAMIC and isinstance(before, list) and isinstance(after, list):
            values[argument.key] = [
                _with_fixed(argument.fields, old, new)
                if isinstance(old, dict) and isinstance(new, dict)
                else new
                for old, new in zip(before, after, strict=True)
            ]
    return values


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


def _sentences(missed: list[Reference]) -> tuple[str, ...]:
    tokens = [*dict.fromkeys(reference.token for reference in missed)]
    told = [f"{_shown(token)} had no value and was left empty." for token in tokens[:MOST_SENTENCES]]
    more = len(tokens) - len(told)
    return (*told, f"{more:,} more values were left empty.") if more else tuple(told)


def _shown(token: str) -> str:
    return token if len(token) <= _LONGEST_TOKEN else f"{token[:_LONGEST_TOKEN]}…"


def parse(value: Json) -> Json:
    """Text read as JSON. Numbers stay text, so that long ids survive; so does what is no JSON.

    Raises `PayloadTooLarge` for a text that would take long to read.
    """
    if not isinstance(value, str):
        return value
    if len(value) > MOST_PARSED and value.lstrip()[:1] in ("[", "{"):
        raise PayloadTooLarge(
            f"The JSON text given to this step is longer than {MOST_PARSED:,} characters.",
            meaning="Parsing it would block other runs.",
            todo="Insert the value itself instead of its text, or only the part you need.",
        )
    try:
        parsed = read_json(value)
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
