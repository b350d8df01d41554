"""What runs in worker processes: files are parsed there, because they can be slow, huge, or malicious."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence

from patchbay.domain.base import Json, JsonObject
from patchbay.integration.values import as_text

from .columns import Table, column_index, row_object
from .csv_files import append_to_csv, read_csv, update_csv
from .excel_files import append_to_excel, new_excel, read_excel, update_excel

EXCEL, CSV = "excel", "csv"
MAX_WATCHED = 10_000
"""Rows at the end of a table that a trigger looks at."""


def read_rows(content: bytes, kind: str, options: JsonObject) -> tuple[Json, int, Json]:
    """The first rows, how many there are, and the names of the columns.

    Options: `column` and `value` that the rows must have, and `limit`.
    """
    table = _read(content, kind, options)
    rows = table.rows
    if column := as_text(options.get("column")).strip():
        index, value = column_index(table.names, column, "column"), as_text(options.get("value")).strip()
        rows = [row for row in rows if index < len(row) and as_text(row[index]).strip() == value]
    limit = options.get("limit")
    shown = rows[: limit if isinstance(limit, int) else None]
    return [row_object(table.names, row) for row in shown], len(rows), list(table.names)


def append_row(content: bytes, kind: str, options: JsonObject, values: JsonObject) -> tuple[bytes, int]:
    """The file with one more row, and its number. Without content, it is a new file."""
    if kind == CSV:
        return append_to_csv(content, options, values)
    return append_to_excel(content, options, values) if content else (new_excel(options, values), 1)


def update_row(
    content: bytes, kind: str, options: JsonObject, column: str, value: str, changes: JsonObject
) -> tuple[bytes, int]:
    """The file with the first row changed whose column has the value, and its number; 0 if there is none."""
    update = update_csv if kind == CSV else update_excel
    return update(content, options, column, value, changes)


def identify_rows(content: bytes, kind: str, options: JsonObject) -> tuple[Json, int]:
    """The IDs of the last rows, and the index of the first of them.

    An ID is that in the column `idColumn`, or made of all cells. It differs for the same row further down.
    """
    table = _read(content, kind, options)
    column = as_text(options.get("idColumn")).strip()
    index = column_index(table.names, column, "idColumn") if column else None
    counts, ids = Counter[str](), list[Json]()
    for row in table.rows:
        cell = as_text(row[index]).strip() if index is not None and index < len(row) else ""
        digest = hashlib.sha256(json.dumps(cell or row).encode()).hexdigest()[:32]
        counts[digest] += 1
        ids.append(f"{digest}-{counts[digest]}")
    first = max(0, len(ids) - MAX_WATCHED)
    return ids[first:], first


def rows_at(content: bytes, kind: str, options: JsonObject, indexes: Sequence[int]) -> list[Json]:
    """The rows with these indexes."""
    table = _read(content, kind, options)
    return [row_object(table.names, table.rows[index]) for index in indexes]


def _read(content: bytes, kind: str, options: JsonObject) -> Table:
    return (read_csv if kind == CSV else read_excel)(content, options)
