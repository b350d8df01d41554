"""The values that a template asks for: where they are used, and how they are filled in."""

import re
from collections.abc import Iterator, Mapping

from patchbay.domain.base import Json
from patchbay.domain.flows import FlowExport
from patchbay.domain.folders import Template

_PLACEHOLDER = re.compile(r"\{\{input\.([A-Za-z][A-Za-z0-9]*)\}\}")


def input_keys(value: Json) -> Iterator[str]:
    """The keys of the inputs that a value refers to, at any depth."""
    if isinstance(value, str):
        yield from _PLACEHOLDER.findall(value)
    elif isinstance(value, list):
        for item in value:
            yield from input_keys(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from input_keys(item)


def fill_template(template: Template, values: Mapping[str, str] | None = None) -> FlowExport:
    """Return the template's flow with the values, or else the defaults, of its inputs.

    Raises `pydantic.ValidationError` if the template's flow can't be read.
    """
    filled = {item.key: item.value for item in template.inputs} | dict(values or {})
    return FlowExport.model_validate(_replace(template.flow_data, filled) if filled else template.flow_data)


def _replace(value: Json, values: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), value)
    if isinstance(value, list):
        return [_replace(item, values) for item in value]
    if isinstance(value, dict):
        return {key: _replace(item, values) for key, item in value.items()}
    return value
