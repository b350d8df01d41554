"""Base types: `Model` (frozen; snake_case in Python, camelCase in JSON), ids, times, and JSON values."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, NewType, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema, field_validator
from pydantic.alias_generators import to_camel

Json: TypeAlias = JsonValue
JsonObject: TypeAlias = dict[str, JsonValue]

EpochMs: TypeAlias = Annotated[
    int, Field(ge=-(2**63), le=2**63 - 1), WithJsonSchema({"type": "integer", "format": "int64"})
]
"""Milliseconds since 1970-01-01 UTC."""


def _reject_text_and_bool(value: object) -> object:
    if isinstance(value, bool | str):
        raise ValueError("This must be a whole number")
    return value


WholeNumber: TypeAlias = Annotated[int, BeforeValidator(_reject_text_and_bool)]
"""A whole number (5 or 5.0). Rejects values that pydantic would convert, such as true and "5"."""
WholeEpochMs: TypeAlias = Annotated[EpochMs, BeforeValidator(_reject_text_and_bool)]
"""A time in milliseconds. Rejects text and booleans."""

FlowId = NewType("FlowId", str)
StepId = NewType("StepId", str)
ExecutionId = NewType("ExecutionId", str)
ConnectionId = NewType("ConnectionId", str)
FolderId = NewType("FolderId", str)
TemplateId = NewType("TemplateId", str)
UserId = NewType("UserId", str)
AppKey = NewType("AppKey", str)

IdType = TypeVar("IdType", bound=str)
"""Any of these types."""
K = TypeVar("K")
V = TypeVar("V")


def get_optional(values: Mapping[K, V], key: K | None) -> V | None:
    """The value of a key; None if the key is None or missing."""
    return None if key is None else values.get(key)


class Model(BaseModel):
    """An immutable value.

    Unknown JSON fields are ignored, so that newer and third-party servers can send more.
    """

    model_config = ConfigDict(
        frozen=True,
        alias_generator=to_camel,
        populate_by_name=True,
        extra="ignore",
        json_schema_serialization_defaults_required=True,  # fields with a default are always sent
        defer_build=True,  # building validators on first use makes the window start faster
    )

    def wire(self) -> dict[str, Any]:
        """Return the value as JSON-ready data with camelCase names."""
        return self.model_dump(mode="json", by_alias=True)


_SURROGATE = re.compile("[\ud800-\udfff]")


class Filter(Model):
    """Conditions of a search. Half a surrogate pair in them becomes “�”: no stored text contains one."""

    @field_validator("*")
    @classmethod
    def _replace_surrogates(cls, value: object) -> object:
        if not isinstance(value, str) or _SURROGATE.search(value) is None:
            return value
        return _SURROGATE.sub("\ufffd", value)
