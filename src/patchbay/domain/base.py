"""What every model shares: frozen, camelCase on the wire, snake_case in Python."""

from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema
from pydantic.alias_generators import to_camel

Json: TypeAlias = JsonValue
JsonObject: TypeAlias = dict[str, JsonValue]

EpochMs: TypeAlias = Annotated[
    int, Field(ge=-(2**63), le=2**63 - 1), WithJsonSchema({"type": "integer", "format": "int64"})
]
"""Milliseconds since 1970-01-01 UTC."""


def _reject_text_and_bool(value: object) -> object:
    if isinstance(value, bool | str):
        raise ValueError("Input should be a valid integer")
    return value


WholeNumber: TypeAlias = Annotated[int, BeforeValidator(_reject_text_and_bool)]
"""A number without a fraction (5, 5.0), and nothing that is only taken for one: no true, no "5"."""
WholeEpochMs: TypeAlias = Annotated[EpochMs, BeforeValidator(_reject_text_and_bool)]
"""A time as a number and nothing else."""

FlowId: TypeAlias = str
StepId: TypeAlias = str
ExecutionId: TypeAlias = str
ConnectionId: TypeAlias = str
FolderId: TypeAlias = str
TemplateId: TypeAlias = str
UserId: TypeAlias = str
AppKey: TypeAlias = str


class Model(BaseModel):
    """A frozen value. Unknown wire fields are ignored, as every service of the interface does."""

    model_config = ConfigDict(
        frozen=True, alias_generator=to_camel, populate_by_name=True, extra="ignore",
        json_schema_serialization_defaults_required=True,  # what has a default is sent all the same
        defer_build=True,  # validators are built when first used, so that the window need not wait for them
    )  # fmt: skip

    def wire(self) -> dict[str, Any]:
        """The JSON-ready form with wire (camelCase) names."""
        return self.model_dump(mode="json", by_alias=True)
