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
Place = tuple[int | str, ...]
_GONE = object()

log = logging.getLogger("client")

ROUNDS = 5
"""How often a row is mended and read again before it is given up."""
_NEAREST: Mapping[str, str] = {"type": "action", "state": "running"}
"""For a word of a list that we do not know; other words are left out."""
_UNNAMED: Mapping[str, str] = {"name": "Without a name", "fullName": "", "email": "", "happened": ""}
"""For what every row has, where it is null or missing."""


def read(model: type[M], data: object) -> M | None:
    """The model, mended where it has to be; None when nothing of it can be understood."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        return _mended(model, data, error)


def read_all(model: type[M], rows: Iterable[object]) -> tuple[M, ...]:
    """The models, in their order, without rows of which nothing can be understood."""
    return tuple(found for row in rows if (found := read(model, row)) is not None)


def _mended(model: type[M], data: object, error: ValidationError) -> M | None:
    row: Any = data
    for _ in range(ROUNDS):
        row = _copied(row)
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        if not isinstance(row, dict) or not all(_mend(row, item["loc"], item["type"]) for item in problems):
            return None
        row = _copied(row)
        try:
            found = model.model_validate(row)
        except ValidationError as again:
            error = again
        else:
            log.debug("an answer was only partly understood (%s)", model.__name__)
            return found
    return None


def _mend(row: dict[str, Any], place: Place, kind: str) -> bool:
    """Change what stands at `place` so that it can be read; False when there is nothing to change."""
    if not place:
        return False
    holder, key = _holder(row, place), place[-1]
    if holder is _GONE:
        return True  # with something that held it
    if isinstance(holder, dict):
        if key in _UNNAMED and holder.get(key) is None:
            holder[key] = _UNNAMED[str(key)]
            return True
        if kind == "enum" and key in _NEAREST:
            holder[key] = _NEAREST[str(key)]
            return True
    if kind == "missing":
        # It cannot be made up, so the smallest thing that lacks it goes.
        return _mend(row, place[:-1], "incomplete")
    return _left_out(holder, key)


def _holder(row: dict[str, Any], place: Place) -> Any:
    """What holds the value at `place`."""
    holder: Any = row
    for key in place[:-1]:
        if isinstance(holder, dict):
            holder = holder.get(key)
        elif isinstance(holder, list) and isinstance(key, int) and key < len(holder):
            holder = holder[key]
    return holder


def _left_out(holder: Any, key: int | str) -> bool:
    there = key in holder if isinstance(holder, dict) else isinstance(holder, list) and isinstance(key, int)
    if there:
        holder[key] = _GONE
    return there


def _copied(value: Any) -> Any:
    """A copy without what was left out."""
    if isinstance(value, Mapping):
        return {key: _copied(item) for key, item in value.items() if item is not _GONE}
    if isinstance(value, list):
        return [_copied(item) for item in value if item is not _GONE]
    return value
