"""Converts MySQL values to JSON."""

from contextlib import suppress

from patchbay.domain.json_limits import read_json

_JSON, _BIT = 245, 16


def to_plain_value(value: object, kind: int) -> object:
    """Convert JSON columns to JSON and bits to a number; MariaDB stores and returns JSON as text."""
    if kind == _BIT and isinstance(value, bytes):
        return int.from_bytes(value, "big")
    if kind == _JSON and isinstance(value, (str, bytes)):
        with suppress(ValueError):
            return read_json(value)
    return value
