"""PostgreSQL's types on their way in and out."""

import json
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from patchbay.domain.base import Json

if TYPE_CHECKING:
    from asyncpg import Connection, Type


class Interval(NamedTuple):
    """A span as PostgreSQL keeps it: months and days have no fixed length."""

    months: int
    days: int
    microseconds: int

    def __str__(self) -> str:
        """ISO 8601, with a sign before each part that has one."""
        years, months = _parted(self.months, 12)
        minutes, microseconds = _parted(self.microseconds, 60_000_000)
        hours, minutes = _parted(minutes, 60)
        seconds = f"{microseconds / 1_000_000:.6f}".rstrip("0").rstrip(".")
        dates = _listed((years, "Y"), (months, "M"), (self.days, "D"))
        times = _listed((hours, "H"), (minutes, "M"), (seconds if microseconds else 0, "S"))
        return f"P{dates}{'T' if times else ''}{times}" if dates or times else "PT0S"


def _parted(value: int, size: int) -> tuple[int, int]:
    """Whole parts and the rest, both with the sign of the value."""
    sign = -1 if value < 0 else 1
    whole, rest = divmod(abs(value), size)
    return sign * whole, sign * rest


def _listed(*parts: tuple[int | str, str]) -> str:
    return "".join(f"{value}{unit}" for value, unit in parts if value)


async def use_own_codecs(connection: "Connection[Any]") -> None:
    """JSON as JSON, and spans without the guess that a month has 30 days. Costs no round trip."""
    for name, mark in (("json", b""), ("jsonb", b"\x01")):
        await connection.set_type_codec(
            name,
            schema="pg_catalog",
            encoder=partial(_json_bytes, mark),
            decoder=partial(_json_value, mark),
            format="binary",
        )
    await connection.set_type_codec(
        "interval", schema="pg_catalog", encoder=tuple, decoder=Interval._make, format="tuple"
    )


def _json_bytes(mark: bytes, value: Json) -> bytes:
    return mark + json.dumps(value).encode()


def _json_value(mark: bytes, data: bytes) -> Json:
    value: Json = json.loads(data.removeprefix(mark))
    return value


def cast_to(kind: "Type", number: int, text: str | None) -> str:
    """SQL that reads the text value of that number as a value of this type; JSON lists become arrays."""
    element = kind.name.removesuffix("[]")
    name = f"{_quoted(kind.schema)}.{_quoted(element)}"
    if kind.name == element:
        return f"${number}::text::{name}"
    if (text or "").lstrip().startswith("["):
        return f"ARRAY(SELECT jsonb_array_elements_text(${number}::text::jsonb))::{name}[]"
    return f"${number}::text::{name}[]"


def as_json_knows(value: object) -> object:
    """The driver's own kinds of values as texts, lists and mappings."""
    from asyncpg import BitString, Range, Record

    if isinstance(value, Interval):
        return str(value)
    if isinstance(value, Range):
        return _range(value)
    if isinstance(value, BitString):
        return value.as_string().replace(" ", "")
    if isinstance(value, Record):
        return {key: as_json_knows(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_json_knows(item) for item in value]
    return value


def _range(value: Any) -> str:
    """As PostgreSQL writes it, with times in ISO form: `[1,5)`."""
    from patchbay.integration.sql import json_ready

    if value.isempty:
        return "empty"
    lower, upper = ("" if end is None else str(json_ready(end)) for end in (value.lower, value.upper))
    return f"{'[' if value.lower_inc else '('}{lower},{upper}{']' if value.upper_inc else ')'}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
