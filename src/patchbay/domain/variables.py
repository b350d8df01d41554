"""The `{{step.<step id>.<path>}}` grammar: find, resolve and rewrite references.

A reference is `step.`, a step id, and a path of at least one segment; a segment is free of `.`, `{` and `}`,
or stands in double quotes (`{{step.1."a.b".0}}`), so that a key with dots can be addressed.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from patchbay.domain.base import Json, JsonObject, Model, StepId

_SEGMENT = r'(?:"[^"]*"|[^.{}"]+)'
_REFERENCE = re.compile(r"\{\{\s*step\.([^.{}\s]+)((?:\." + _SEGMENT + r")+)\s*\}\}")
_PATH = re.compile(r"\.(" + _SEGMENT + ")")

Outputs = Mapping[StepId, Json]
"""The data each finished step of one execution put out."""


class Reference(Model):
    """A value of an earlier step, as used inside a text."""

    step_id: StepId
    path: tuple[str, ...]

    @property
    def token(self) -> str:
        """The text form that is stored in parameters."""
        return "{{step." + ".".join([self.step_id, *map(_quoted, self.path)]) + "}}"


def _quoted(part: str) -> str:
    return f'"{part}"' if part != part.strip() or any(mark in part for mark in ".{}") else part


def _plain(part: str) -> str:
    return part[1:-1] if part.startswith('"') else part.strip()


def _reference(match: re.Match[str]) -> Reference:
    path = tuple(_plain(part) for part in _PATH.findall(match[2]))
    return Reference(step_id=match[1], path=path)


def split(text: str) -> list[str | Reference]:
    """The text as a sequence of plain pieces and references; empty pieces are left out."""
    pieces: list[str | Reference] = []
    end = 0
    for match in _REFERENCE.finditer(text):
        if match.start() > end:
            pieces.append(text[end : match.start()])
        pieces.append(_reference(match))
        end = match.end()
    if end < len(text):
        pieces.append(text[end:])
    return pieces


def references(value: Json) -> Iterator[Reference]:
    """Every reference inside a value, depth first."""
    if isinstance(value, str):
        for match in _REFERENCE.finditer(value):
            yield _reference(match)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from references(item)


def look_up(data: Json, path: tuple[str, ...]) -> tuple[bool, Json]:
    """The value at `path` in a step's output: (found, value)."""
    for part in path:
        if isinstance(data, dict) and part in data:
            data = data[part]
        elif isinstance(data, list) and part.isdecimal() and int(part) < len(data):
            data = data[int(part)]
        else:
            return False, None
    return True, data


def as_text(value: Json) -> str:
    """How a value reads inside a text: null is empty, booleans and objects are JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def resolve(value: Json, outputs: Outputs) -> Json:
    """Replace every reference in `value`; missing ones become empty text.

    A text that is nothing but one reference keeps the type of what it refers to when that is an object or a
    list; every other text stays text. Numbers, booleans and null pass through.
    """
    if isinstance(value, str):
        return _resolve_text(value, outputs)
    if isinstance(value, list):
        return [resolve(item, outputs) for item in value]
    if isinstance(value, dict):
        return {key: resolve(item, outputs) for key, item in value.items()}
    return value


def _resolve_text(text: str, outputs: Outputs) -> Json:
    if "{{" not in text:
        return text
    whole = _REFERENCE.fullmatch(text.strip())
    if whole:
        found = _value_of(_reference(whole), outputs)
        return found if isinstance(found, (dict, list)) else as_text(found)
    return _REFERENCE.sub(lambda match: as_text(_value_of(_reference(match), outputs)), text)


def _value_of(reference: Reference, outputs: Outputs) -> Json:
    return look_up(outputs.get(reference.step_id), reference.path)[1]


def missing(value: Json, outputs: Outputs) -> list[Reference]:
    """References that find nothing in these outputs; a clear error at test time, a warning at run time."""
    return [item for item in references(value) if not look_up(outputs.get(item.step_id), item.path)[0]]


def rewrite_references(parameters: JsonObject, new_ids: Mapping[StepId, StepId]) -> JsonObject:
    """The same parameters with references following steps to their new ids."""

    def rewrite(match: re.Match[str]) -> str:
        reference = _reference(match)
        step_id = new_ids.get(reference.step_id, reference.step_id)
        return reference.model_copy(update={"step_id": step_id}).token

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return _REFERENCE.sub(rewrite, value)
        if isinstance(value, list):
            return [walk(item) for item in value]
        if isinstance(value, dict):
            return {key: walk(item) for key, item in value.items()}
        return value

    return {key: walk(item) for key, item in parameters.items()}
