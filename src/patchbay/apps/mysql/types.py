"""Converts MySQL values to JSON."""

from contextlib import suppress

from patchbay.domain.json_limits import read_json

_JSON, _BIT = 245, 16


def to_plain_value(value: object, kind: int) -> object:
    """JSON columns as JSON and bits as a number; MariaDB keeps JSON as text and gives it as such."""
    if kind == _BIT and isinstance(value, bytes):
        return int.from_bytes(value, "big")
    if kind == _JSON and isinstance(value, (str, bytes)):
        with suppress(ValueError):
            return read_json(value)
    return value
