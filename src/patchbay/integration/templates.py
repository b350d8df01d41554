"""Fills the templates with which apps describe requests: paths, queries, bodies, labels, and IDs.

A placeholder names a value: `{title}` an argument of the step, `{auth.userId}` a value of the connection,
`{owner.login}` a value inside an item. `{title|name}` takes the first that isn't empty. A text that is
nothing but one placeholder keeps the type of the value. What follows a colon converts it: `{limit:number}`,
`{isPrivate:bool}`, `{labels:list}` (a text with commas becomes a list), `{fields:json}`, `{id:text}`.
`{followers[].id}` is the list of the `id` of each row.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.fields import is_empty
from patchbay.domain.json_limits import read_json
from patchbay.integration.request import segment
from patchbay.integration.values import as_bool, as_number, as_text, json_number, parameter_error

Values = Mapping[str, Json]
"""What placeholders stand for: arguments under their keys, and the connection under `auth`."""

_NAME = r"[\w$@-]+(?:\[\])?(?:\.[\w$@-]+(?:\[\])?)*"
PLACEHOLDER = re.compile(rf"\{{({_NAME}(?:\|{_NAME})*)(?::(\w+))?\}}")
_MISSING = object()


def find_value(value: Any, path: str) -> Any:
    """The value at a dotted path, None if there is none; a name with `[]` stands for each item of a list."""
    found = _walk(value, path.split(".") if path else [])
    return None if found is _MISSING else found


def require_value(value: Any, path: str) -> Any:
    """The value at a dotted path. Raises `KeyError` with the first name that is missing in an object.

    An index beyond the end of a list gives None, because an empty list of results is a valid response.
    """
    for position, name in enumerate(names := list(filter(None, path.split(".")))):
        if not isinstance(value, list) and not (isinstance(value, dict) and name.removesuffix("[]") in value):
            raise KeyError(name.removesuffix("[]"))
        if name.endswith("[]"):
            return find_value(value, ".".join(names[position:]))
        value = find_value(value, name)
        if value is None:
            return None
    return value


def _walk(value: Any, names: list[str]) -> Any:
    for position, name in enumerate(names):
        key, every = name.removesuffix("[]"), name.endswith("[]")
        if isinstance(value, dict):
            rest = ".".join(names[position:])
            if key not in value and rest in value:
                return value[rest]  # a name with dots, such as @odata.nextLink
            value = value.get(key, _MISSING)
        elif isinstance(value, list) and key.lstrip("-").isdecimal() and -len(value) <= int(key) < len(value):
            value = value[int(key)]
        else:
            return _MISSING
        if every and value is not _MISSING:
            return _each(value, names[position + 1 :])
    return value


def _each(value: Any, names: list[str]) -> list[Any]:
    """The values at the rest of the path in each item. Lists are joined, empty values left out."""
    found: list[Any] = []
    for item in value if isinstance(value, list) else ():
        inner = _walk(item, names)
        if isinstance(inner, list):
            found.extend(inner)
        elif inner is not _MISSING and inner not in (None, ""):
            found.append(inner)
    return found


def fill(template: Json, values: Values) -> Json:
    """The template with its placeholders replaced, at any depth. Empty values are left out of objects.

    Constants are kept, even if they are empty. Raises `ValidationFailed` for a value that can't be converted.
    """
    if isinstance(template, str):
        whole = PLACEHOLDER.fullmatch(template)
        return _value_of(whole, values) if whole else fill_text(template, values)
    if isinstance(template, dict):
        filled = {key: (inner, fill(inner, values)) for key, inner in template.items()}
        return {key: value for key, (inner, value) in filled.items() if not is_empty(value) or value == inner}
    if isinstance(template, list):
        items = [(inner, fill(inner, values)) for inner in template]
        return [value for inner, value in items if not is_empty(value) or value == inner]
    return template


def fill_object(template: Mapping[str, Json] | None, values: Values) -> JsonObject:
    """A filled object of query parameters, headers, or a body, without empty values."""
    filled = fill(dict(template or {}), values)
    assert isinstance(filled, dict)
    return filled


def fill_text(template: str, values: Values) -> str:
    """The template as text; values that are missing become empty."""
    return PLACEHOLDER.sub(lambda match: as_text(_value_of(match, values)), template)


def fill_path(template: str, values: Values) -> str:
    """The path with each value as one escaped segment, `{repo:path}` with its slashes, and `{url:raw}` as is.

    Raises `ValidationFailed` for an empty value: the path would lead elsewhere.
    """

    def replace(match: re.Match[str]) -> str:
        value = as_text(_first(match[1], values)).strip()
        key = match[1].partition("|")[0]
        if match[2] == "raw":
            return value
        if not value:
            raise parameter_error(key, f"Enter a value for {key}.")
        parts = value.strip("/").split("/") if match[2] == "path" else [value]
        if any(part in ("", ".", "..") for part in parts):
            raise parameter_error(key, f"“{value[:60]}” can't be part of an address.")
        return "/".join(map(segment, parts))

    return PLACEHOLDER.sub(replace, template)


def paths_in(template: Json) -> frozenset[str]:
    """The dotted path of each placeholder, at any depth of the template."""
    if isinstance(template, str):
        return frozenset(name for match in PLACEHOLDER.finditer(template) for name in match[1].split("|"))
    inner = (
        template.values() if isinstance(template, dict) else template if isinstance(template, list) else ()
    )
    return frozenset[str]().union(*map(paths_in, inner))


def _value_of(match: re.Match[str], values: Values) -> Json:
    value = _first(match[1], values)
    if match[2] is None or is_empty(value):
        return value
    convert = _CONVERSIONS.get(match[2])
    if convert is None:
        raise ValueError(f"unknown conversion: {match[2]}")
    return convert(match[1], value)


def _first(names: str, values: Values) -> Json:
    """The first of the values that isn't empty; the last one if all are."""
    value: Json = None
    for name in names.split("|"):
        value = find_value(dict(values), name)
        if not is_empty(value):
            break
    return value


def _to_number(key: str, value: Json) -> Json:
    number = as_number(value)
    if number is None:
        raise parameter_error(key, f"{key}: “{as_text(value)[:60]}” isn't a number.")
    return json_number(number)


def _to_list(key: str, value: Json) -> Json:
    if isinstance(value, list):
        return value
    return [part for part in map(str.strip, as_text(value).split(",")) if part]


def _to_json(key: str, value: Json) -> Json:
    if not isinstance(value, str):
        return value
    try:
        return read_json(value)
    except ValueError:
        raise parameter_error(key, f"{key} isn't valid JSON.") from None


_CONVERSIONS: dict[str, Callable[[str, Json], Json]] = {
    "number": _to_number,
    "bool": lambda key, value: as_bool(value),
    "list": _to_list,
    "json": _to_json,
    "text": lambda key, value: as_text(value),
}
