"""JSON in text columns: step payloads, and the frozen steps of a flow version."""

import json
from functools import lru_cache

from pydantic import TypeAdapter

from patchbay.domain.base import Json
from patchbay.domain.errors import PayloadTooLarge
from patchbay.domain.executions import StepRef
from patchbay.domain.flows import Step

PAYLOAD_LIMIT = 25 * 1024 * 1024
"""Bytes that one field of one step (input, output or error) may take."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_encode_ascii = json.JSONEncoder(separators=(",", ":")).encode
_STEPS = TypeAdapter(tuple[Step, ...])


def to_text(value: Json) -> str | None:
    """The compact JSON text of a payload; None for None. Raises `PayloadTooLarge` above `PAYLOAD_LIMIT`."""
    if value is None:
        return None
    text = _encode(value)
    size = len(text)
    if not text.isascii():
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            # Half a surrogate pair is legal in JSON but not in UTF-8; escaped it survives.
            text = _encode_ascii(value)
            size = len(text)
    if size > PAYLOAD_LIMIT:
        raise _too_large(size)
    return text


def from_text(text: str | None) -> Json:
    """The payload that `to_text` wrote."""
    value: Json = None if text is None else json.loads(text)
    return value


def warnings_from(text: str | None) -> tuple[str, ...]:
    """The warnings of a step."""
    found = from_text(text)
    return tuple(map(str, found)) if isinstance(found, list) else ()


@lru_cache(maxsize=1024)
def steps_from(text: str) -> tuple[Step, ...]:
    """The steps of a frozen version. Remembered by text: versions never change and are read over and over."""
    return _STEPS.validate_json(text)


@lru_cache(maxsize=1024)
def step_refs_from(text: str) -> tuple[StepRef, ...]:
    """What lists show of the steps of a frozen version."""
    return tuple(step_ref(step) for step in steps_from(text))


def step_ref(step: Step) -> StepRef:
    return StepRef(
        id=step.id, type=step.type, key=step.key, name=step.name, app_key=step.app_key,
        position=step.position, structural_type=step.structural_type, parent_step_id=step.parent_step_id,
    )  # fmt: skip


def _too_large(size: int) -> PayloadTooLarge:
    megabyte = 1024 * 1024
    return PayloadTooLarge(
        f"The data of this step is too large to keep ({size // megabyte} MB).",
        meaning=f"A step may take in or put out {PAYLOAD_LIMIT // megabyte} MB at most; this was not stored.",
        todo="Fetch less at once: use a filter, a smaller page, or a link instead of the file.",
    )
