"""A workspace with rows in every table, for tests of what copies all of them."""

from typing import Any

from sqlalchemy import Boolean, Column, Connection, Integer, LargeBinary, Table, insert

from patchbay.storage.commit_counter import IDENTITY_KEY, NUMBER_KEY
from patchbay.storage.tables import (
    execution,
    execution_step,
    execution_tally,
    execution_tally_fresh,
    flow,
    meta,
    metadata,
)

_START = 1_760_000_000_000
_TEXT = "Grüße „{number}“ \\ \t\n\\N \\. 🚀 %s ' \""
_COUNTED_BY_TRIGGERS = (execution_tally, execution_tally_fresh)


def fill_every_table(tx: Connection, rows: int = 3) -> None:
    """Store rows in every table, with every kind of value, and each column once without one."""
    for table in metadata.sorted_tables:
        if table not in _COUNTED_BY_TRIGGERS:
            tx.execute(insert(table), [_row(table, number) for number in range(rows)])
    counted = {"flow_id": "", "span": 0, "start": 0, "status": "success", "test_run": False}
    tx.execute(insert(execution_tally).values(counted | {"runs": 2**40}))


def _row(table: Table, number: int) -> dict[str, Any]:
    row = {column.name: _value(table, column, number) for column in table.columns}
    if table is execution:
        row |= {"status": ("success", "failure", "queued")[number % 3], "flow_id": f"flow-{number:04}"}
    elif table is execution_step:
        row |= {"execution_id": f"execution-{number // 2:04}", "seq": number % 2}
    elif table is flow:
        row |= {"sources": "[]", "settings": "{}"}
    return row


def _value(table: Table, column: Column[Any], number: int) -> Any:
    if column.nullable and number == 0:
        return None
    if keys := list(column.foreign_keys):
        return f"{keys[0].column.table.name}-{number:04}"
    if isinstance(column.type, Boolean):
        return number % 2 == 1
    if isinstance(column.type, LargeBinary):
        return bytes(range(number, 256))
    if isinstance(column.type, Integer):
        big = type(column.type).__name__ == "BigInteger"
        return _START + number * 3_600_000 if big else number + 1
    if column.primary_key or column.unique:
        return f"{table.name}-{number:04}"
    return _TEXT.format(number=number)


def all_rows(tx: Connection) -> dict[str, list[tuple[Any, ...]]]:
    """All rows by table, in a fixed order, without those that only describe the database file."""
    own = {NUMBER_KEY, IDENTITY_KEY, "moved_from"}
    found = {}
    for table in metadata.sorted_tables:
        rows = [tuple(row) for row in tx.execute(table.select())]
        found[table.name] = sorted((row for row in rows if table is not meta or row[0] not in own), key=repr)
    return found
