"""Converts PostgreSQL values from and to JSON."""

import json
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from patchbay.domain.base import Json
from patchbay.domain.json_limits import read_json
from patchbay.integration.values import as_text

if TYPE_CHECKING:
    from asyncpg import Connection, Type


class PgInterval(NamedTuple):
    """An interval: months and days have no fixed length."""

    months: int
    days: int
    microseconds: int

    def __str__(self) -> str:
        """Format as ISO 8601, with a sign for each negative part."""
        years, months = _divide_signed(self.months, 12)
        minutes, microseconds = _divide_signed(self.microseconds, 60_000_000)
        hours, minutes = _divide_signed(minutes, 60)
        seconds = f"{microseconds / 1_000_000:.6f}".rstrip("0").rstrip(".")
        dates = _join_units((years, "Y"), (months, "M"), (self.days, "D"))
        times = _join_units((hours, "H"), (minutes, "M"), (seconds if microseconds else 0, "S"))
        return f"P{dates}{'T' if times else ''}{times}" if dates or times else "PT0S"


class PgDate(NamedTuple):
    """A date as days since 2000, which can be before year 1, after 9999, or infinite."""

    days: int

    def __str__(self) -> str:
        return _infinity_text(self.days, 32) or "".join(_format_date(self.days))


class PgTimestamp(NamedTuple):
    """A date and time, in microseconds since 2000."""

    microseconds: int

    def __str__(self) -> str:
        return self.text("")

    def text(self, zone: str) -> str:
        """In ISO form, followed by the offset."""
        days, rest = divmod(self.microseconds, _MICROSECONDS_PER_DAY)
        day, era = _format_date(days)
        clock = (datetime.min + timedelta(microseconds=rest)).time().isoformat()
        return _infinity_text(self.microseconds, 64) or f"{day}T{clock}{zone}{era}"


class PgTimestampTz(PgTimestamp):
    """A point in time; the server sends it in UTC."""

    def __str__(self) -> str:
        return self.text("+00:00")


_MICROSECONDS_PER_DAY = 86_400_000_000
_DAYS_IN_400_YEARS = 146_097
"""Days after which the calendar repeats: 400 years."""


def _infinity_text(value: int, bits: int) -> str:
    """PostgreSQL's infinite times, which are its highest and lowest numbers."""
    most = 2 ** (bits - 1)
    return {most - 1: "infinity", -most: "-infinity"}.get(value, "")


def _format_date(days: int) -> tuple[str, str]:
    """The date that many days after 2000-01-01, and the mark of years before 1."""
    cycles, rest = divmod(days, _DAYS_IN_400_YEARS)
    day = date(2000, 1, 1) + timedelta(days=rest)
    year = day.year + 400 * cycles
    return f"{year if year > 0 else 1 - year:04d}-{day:%m-%d}", "" if year > 0 else " BC"


def _divide_signed(value: int, size: int) -> tuple[int, int]:
    """Whole parts and the remainder, both with the sign of the value."""
    sign = -1 if value < 0 else 1
    whole, rest = divmod(abs(value), size)
    return sign * whole, sign * rest


def _join_units(*parts: tuple[int | str, str]) -> str:
    return "".join(f"{value}{unit}" for value, unit in parts if value)


async def use_own_codecs(connection: "Connection[Any]") -> None:
    """Decode JSON as JSON, and times beyond those of Python. Needs no round trip."""
    for name, mark in (("json", b""), ("jsonb", b"\x01")):
        await connection.set_type_codec(
            name,
            schema="pg_catalog",
            encoder=partial(_json_bytes, mark),
            decoder=partial(_json_value, mark),
            format="binary",
        )
    parts: dict[str, Callable[[Any], Any]] = {
        "interval": PgInterval._make,
        "date": PgDate._make,
        "timestamp": PgTimestamp._make,
        "timestamptz": PgTimestampTz._make,
    }
    for name, made in parts.items():
        await connection.set_type_codec(
            name, schema="pg_catalog", encoder=tuple, decoder=made, format="tuple"
        )


def _json_bytes(mark: bytes, value: Json) -> bytes:
    return mark + json.dumps(value).encode()


def _json_value(mark: bytes, data: bytes) -> Json:
    """The decoded value, or its text if it can't be decoded, so that one odd row doesn't hide the others."""
    text = data.removeprefix(mark)
    try:
        return read_json(text)
    except ValueError:
        return text.decode("utf-8", "replace")


def cast_to(kind: "Type", number: int) -> str:
    """SQL that converts the text placeholder of that number to this type."""
    element = kind.name.removesuffix("[]")
    array_suffix = "[]" if element != kind.name else ""
    return f"${number}::text::{_quote_name(kind.schema)}.{_quote_name(element)}{array_suffix}"


def array_text_for(kind: "Type", text: str | None) -> str | None:
    """The text from which the server reads a value of this type: JSON lists become arrays."""
    if text is None or not kind.name.endswith("[]") or not text.lstrip().startswith("["):
        return text
    try:
        return _format_array(json.loads(text))
    except ValueError:
        return text


def _format_array(value: Json) -> str:
    if isinstance(value, list):
        return f"{{{','.join(map(_format_array, value))}}}"
    if value is None:
        return "NULL"
    escaped = as_text(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def to_plain_value(value: object) -> object:
    """The driver's own value types as texts, lists, and mappings."""
    from asyncpg import BitString, Range, Record

    if isinstance(value, (PgInterval, PgDate, PgTimestamp)):
        return str(value)
    if isinstance(value, Range):
        # As PostgreSQL formats it, with times in ISO form: `[1,5)`.
        if value.isempty:
            return "empty"
        lower, upper = ("" if end is None else str(to_plain_value(end)) for end in (value.lower, value.upper))
        return f"{'[' if value.lower_inc else '('}{lower},{upper}{']' if value.upper_inc else ')'}"
    if isinstance(value, BitString):
        return value.as_string().replace(" ", "")
    if isinstance(value, Record):
        return {key: to_plain_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [to_plain_value(item) for item in value]
    return value


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
