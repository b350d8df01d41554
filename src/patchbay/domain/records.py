"""`record`: the dataclass for values of which a run creates several per step."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """A dataclass with slots and keyword arguments that mypy takes as frozen, but Python doesn't check.

    Creating a frozen dataclass takes three times as long, since each of its fields is set by a call.
    """
    return dataclass(slots=True, kw_only=True, unsafe_hash=True)(cls)
