"""Tables, and the names of their columns."""

from collections.abc import Sequence
from typing import NamedTuple

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.values import parameter_error

MAX_VALUES = 250_000
"""Max. cells of a table."""
_SHOWN = 30


class Table(NamedTuple):
    """The names of the columns, from the first row, and the other rows."""

    names: list[str]
    rows: list[list[Json]]


def unique_names(row: Sequence[Json]) -> list[str]:
    """The names of the columns: blank ones are numbered, and repeated ones get a number."""
    names: dict[str, None] = {}
    counts: dict[str, int] = {}
    for number, cell in enumerate(row, 1):
        base = name = ("" if cell is None else str(cell)).strip() or f"column {number}"
        while name in names:
            counts[base] = counts.get(base, 1) + 1
            name = f"{base} {counts[base]}"
        names[name] = None
    return [*names]


def column_index(names: Sequence[str], name: str, field: str = "values") -> int:
    """The index of a column. Raises `ValidationFailed` if there is none."""
    wanted = name.strip()
    if wanted not in names:
        known = ", ".join(names[:_SHOWN])
        raise parameter_error(field, f"The table has no column “{wanted[:100]}”.", f"It has: {known[:500]}.")
    return names.index(wanted)


def row_object(names: Sequence[str], row: Sequence[Json]) -> JsonObject:
    """A row by the names of its columns; missing cells are empty."""
    more = [f"column {number}" for number in range(len(names) + 1, len(row) + 1)]
    cells = [*row, *[""] * (len(names) - len(row))]
    return dict(zip([*names, *more], cells, strict=True))


def too_many_values_error() -> ValidationFailed:
    """The error for a table that is too large."""
    return parameter_error(
        "path", f"The table has more than {MAX_VALUES:,} cells.", "Split the file, or delete old rows."
    )
