"""Helpers of all repositories: the transaction type, JSON in text columns, and the error for missing rows."""

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from sqlalchemy import Connection, RowMapping, Table

from patchbay.domain.base import Json
from patchbay.domain.errors import NotFound

Tx: TypeAlias = Connection
"""An open transaction, as passed to the `work` of `Database.write` and `Database.read`."""


def dump_json(value: Json) -> str:
    """The value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def load(row: RowMapping, *json_columns: str) -> dict[str, Any]:
    """The row as a dictionary with its JSON columns parsed; NULL stays None."""
    values = dict(row)
    for name in json_columns:
        if values[name] is not None:
            values[name] = json.loads(values[name])
    return values


def put_row(tx: Tx, table: Table, row: Mapping[str, Any]) -> None:
    """Store a row in place of the one with its primary key, if there is one.

    Deleting and inserting fails if another program of a PostgreSQL database does the same at that moment.
    """
    if tx.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # most programs never need it

        insert = postgresql.insert(table).values(row)
        tx.execute(insert.on_conflict_do_update(constraint=table.primary_key, set_=row))
    else:
        tx.execute(table.insert().prefix_with("OR REPLACE").values(row))


def put_row_if_absent(tx: Tx, table: Table, row: Mapping[str, Any]) -> None:
    """Store a row unless there is one with its primary key, also one that another program commits now."""
    if tx.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # most programs never need it

        tx.execute(postgresql.insert(table).values(row).on_conflict_do_nothing())
    else:
        tx.execute(table.insert().prefix_with("OR IGNORE").values(row))


def not_found(kind: str) -> NotFound:
    """The error for a missing row; `kind` is what is missing, such as “flow”."""
    return NotFound(f"This {kind} doesn't exist.", meaning="It may have been deleted.")
