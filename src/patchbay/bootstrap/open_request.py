"""What a further start of the program asks of the window that is already open, and what that responds."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from patchbay.domain import json_limits

MAX_BYTES = 16_384
MAX_VALUES = 100

_Token = Annotated[str, Field(max_length=512, pattern=r"^[\x21-\x7e]*$")]


class OpenRequest(BaseModel):
    """Show the window, and open a file or link in it. `workspace` is None for the one that is open."""

    model_config = ConfigDict(frozen=True, strict=True, defer_build=True)

    workspace: Annotated[str, Field(max_length=2_048)] | None = None
    file: Annotated[str, Field(max_length=4_096)] | None = None
    link: Annotated[str, Field(max_length=2_048)] | None = None
    background: bool = False
    """Leave the window as it is."""
    activation_token: _Token = ""
    startup_id: _Token = ""

    @field_validator("file")
    @classmethod
    def _absolute(cls, file: str | None) -> str | None:
        if file is not None and ("\0" in file or not Path(file).is_absolute()):
            raise ValueError("not an absolute path")
        return file

    def to_line(self) -> bytes:
        """The request as one line of JSON."""
        return self.model_dump_json(exclude_defaults=True).encode() + b"\n"


class Response(StrEnum):
    """The response of the open window."""

    SHOWN = "shown"
    OTHER_WORKSPACE = "other-workspace"
    """The window has another workspace open, so that a further window is needed."""
    REJECTED = "rejected"
    """The request wasn't understood."""


def parse_request(line: bytes) -> OpenRequest:
    """The request of another process. Raises `ValueError` if it isn't one."""
    try:
        return OpenRequest.model_validate(json_limits.read_json(line.decode(), MAX_VALUES))
    except ValidationError as error:
        raise ValueError(error.errors()[0]["msg"]) from error
