"""Encodes JSON for text columns: step payloads, and the steps of a flow version."""

import json
from functools import lru_cache

from pydantic import TypeAdapter

from patchbay.domain.base import Json
from patchbay.domain.errors import PayloadTooLarge
from patchbay.domain.executions import StepRef
from patchbay.domain.flows import Step
from patchbay.domain.json_codec import decode_json, encode_json
from patchbay.domain.json_limits import nesting_exceeds

PAYLOAD_LIMIT = 25 * 1024 * 1024
"""Max. bytes of one field of one step (input, output, or error)."""

MAX_NESTING = 200
"""Max. nesting of lists and objects in a payload; the parsers that read it back stop at 255."""

_encode_ascii = json.JSONEncoder(separators=(",", ":")).encode
_STEPS = TypeAdapter(tuple[Step, ...])


def encode_payload(value: Json) -> str | None:
    """The compact JSON text of a payload; None for None.

    Raises `PayloadTooLarge` above `PAYLOAD_LIMIT` or `MAX_NESTING`.
    """
    if value is None:
        return None
    try:
        text = encode_json(value)
    except RecursionError:
        raise _too_deep() from None
    if text.count("[") + text.count("{") > MAX_NESTING:
        _require_shallow(value)
    size = len(text)
    if not text.isascii():
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            # Half a surrogate pair is legal in JSON but not in UTF-8, so store it escaped.
            text = _encode_ascii(value)
            size = len(text)
    if size > PAYLOAD_LIMIT:
        megabyte = 1024 * 1024
        raise PayloadTooLarge(
            f"The data of this step is too large to save ({size // megabyte} MB).",
            meaning=f"The limit for a step's input or output is {PAYLOAD_LIMIT // megabyte} MB.",
            todo="Fetch less data at a time: use a filter, a smaller page, or a link instead of the file.",
        )
    return text


def _require_shallow(value: Json) -> None:
    if nesting_exceeds(value, MAX_NESTING):
        raise _too_deep()


def _too_deep() -> PayloadTooLarge:
    return PayloadTooLarge(
        f"The data of a step is nested more than {MAX_NESTING} levels deep.",
        meaning="Patchbay can't display data that deep, so it wasn't saved.",
        todo="Use only the part of the response that you need.",
    )


def decode_payload(text: str | None) -> Json:
    """The payload that `encode_payload` wrote."""
    return None if text is None else decode_json(text)


def decode_warnings(text: str | None) -> tuple[str, ...]:
    """The warnings of a step."""
    found = decode_payload(text)
    return tuple(map(str, found)) if isinstance(found, list) else ()


@lru_cache(maxsize=1024)
def decode_steps(text: str) -> tuple[Step, ...]:
    """The steps of a flow version. Cached by text, since versions never change and are read often."""
    return _STEPS.validate_json(text)


@lru_cache(maxsize=1024)
def decode_step_refs(text: str) -> tuple[StepRef, ...]:
    """The steps of a flow version as lists show them."""
    return tuple(make_step_ref(step) for step in decode_steps(text))


def make_step_ref(step: Step) -> StepRef:
    """The part of a step that executions store."""
    return StepRef(
        id=step.id,
        type=step.type,
        key=step.key,
        name=step.name,
        app_key=step.app_key,
        position=step.position,
        structural_type=step.structural_type,
        parent_step_id=step.parent_step_id,
    )
