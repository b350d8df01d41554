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

MAX_NESTING = 200
"""How deep lists and objects of a payload may be nested: what reads and shows them ends at 255."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_encode_ascii = json.JSONEncoder(separators=(",", ":")).encode
_STEPS = TypeAdapter(tuple[Step, ...])


def encode_payload(value: Json) -> str | None:
    """The compact JSON text of a payload; None for None.

    Raises `PayloadTooLarge` above `PAYLOAD_LIMIT` and for what is nested too deeply to be shown again.
    """
    if value is None:
        return None
    try:
        text = _encode(value)
    except RecursionError:
        raise _too_deep() from None
    if text.count("[") + text.count("{") > MAX_NESTING:
        _require_shallow(value)
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


def _require_shallow(value: Json) -> None:
    level, depth = [value] if isinstance(value, (dict, list)) else [], 0
    while level:
        if (depth := depth + 1) > MAX_NESTING + 1:
            raise _too_deep()
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, (dict, list))
        ]


def _too_deep() -> PayloadTooLarge:
    return PayloadTooLarge(
        f"The data of a step is nested more than {MAX_NESTING} levels deep.",
        meaning="That is deeper than anything here can show, so it was not stored.",
        todo="Take only the part that is needed from the answer of the service.",
    )


def decode_payload(text: str | None) -> Json:
    """The payload that `encode_payload` wrote."""
    value: Json = None if text is None else json.loads(text)
    return value


def decode_warnings(text: str | None) -> tuple[str, ...]:
    """The warnings of a step."""
    found = decode_payload(text)
    return tuple(map(str, found)) if isinstance(found, list) else ()


@lru_cache(maxsize=1024)
def decode_steps(text: str) -> tuple[Step, ...]:
    """The steps of a frozen version. Remembered by text: versions never change and are read over and over."""
    return _STEPS.validate_json(text)


@lru_cache(maxsize=1024)
def decode_step_refs(text: str) -> tuple[StepRef, ...]:
    """What lists show of the steps of a frozen version."""
    return tuple(make_step_ref(step) for step in decode_steps(text))


def make_step_ref(step: Step) -> StepRef:
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
