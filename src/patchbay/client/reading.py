"""Models from what a service sent, as far as it can be understood.

Services get older and newer than we are. A value nobody knows must not blank a list: it is left out or read
as the nearest thing we know, and the rest of its row is shown.
"""

import logging
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from patchbay.domain.base import Model

M = TypeVar("M", bound=Model)
Location = tuple[int | str, ...]
_REMOVED = object()

log = logging.getLogger("client")

MAX_REPAIR_ROUNDS = 5
"""How often a row is mended and read again before it is given up."""
_FALLBACK_VALUES: Mapping[str, str] = {"type": "action", "state": "running"}
"""For a word of a list that we do not know; other words are left out."""
_DEFAULT_VALUES: Mapping[str, str] = {"name": "Without a name", "fullName": "", "email": "", "happened": ""}
"""For what every row has, where it is null or missing."""


def read(model: type[M], data: object) -> M | None:
    """The model, mended where it has to be; None when nothing of it can be understood."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        return _repair_and_validate(model, data, error)


def parse_models(model: type[M], rows: Iterable[object]) -> tuple[M, ...]:
    """The models, in their order, without rows of which nothing can be understood."""
    return tuple(found for row in rows if (found := read(model, row)) is not None)


def _repair_and_validate(model: type[M], data: object, error: ValidationError) -> M | None:
    row: Any = data
    for _ in range(MAX_REPAIR_ROUNDS):
        row = _copy_without_removed(row)
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        if not isinstance(row, dict) or not all(
            _repair_field(row, item["loc"], item["type"]) for item in problems
        ):
            return None
        row = _copy_without_removed(row)
        try:
            found = model.model_validate(row)
        except ValidationError as next_error:
            error = next_error
        else:
            log.debug("an answer was only partly understood (%s)", model.__name__)
            return found
    return None


def _repair_field(row: dict[str, Any], location: Location, kind: str) -> bool:
    """Change what stands at `location` so that it can be read; False when there is nothing to change."""
    if not location:
        return False
    parent, key = _parent_of(row, location), location[-1]
    if parent is _REMOVED:
        return True  # with something that held it
    if isinstance(parent, dict):
        if key in _DEFAULT_VALUES and parent.get(key) is None:
            parent[key] = _DEFAULT_VALUES[str(key)]
            return True
        if kind == "enum" and key in _FALLBACK_VALUES:
            parent[key] = _FALLBACK_VALUES[str(key)]
            return True
    if kind == "missing":
        # It cannot be made up, so the smallest thing that lacks it goes.
        return _repair_field(row, location[:-1], "incomplete")
    return _mark_removed(parent, key)


def _parent_of(row: dict[str, Any], location: Location) -> Any:
    """What holds the value at `location`."""
    parent: Any = row
    for key in location[:-1]:
        if isinstance(parent, dict):
            parent = parent.get(key)
        elif isinstance(parent, list) and isinstance(key, int) and key < len(parent):
            parent = parent[key]
    return parent


def _mark_removed(parent: Any, key: int | str) -> bool:
    there = key in parent if isinstance(parent, dict) else isinstance(parent, list) and isinstance(key, int)
    if there:
        parent[key] = _REMOVED
    return there


def _copy_without_removed(value: Any) -> Any:
    """A copy without what was left out."""
    if isinstance(value, Mapping):
        return {key: _copy_without_removed(item) for key, item in value.items() if item is not _REMOVED}
    if isinstance(value, list):
        return [_copy_without_removed(item) for item in value if item is not _REMOVED]
    return value
