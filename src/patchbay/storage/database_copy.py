"""Copies a database that another program may be writing to, and counts its contents."""

import sqlite3
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, Table, func, select

from patchbay.storage.sqlite import ReaderPool, create_private, sqlite_of, translate_sqlite_errors
from patchbay.storage.tables import connection, execution, flow


def copy_database(source: Path, target: Path) -> None:
    """Copy the database as it is now, without blocking writers. Raises `StorageFault`."""

    def copy_with(reader: Connection) -> None:
        copy = sqlite3.connect(target)
        try:
            sqlite_of(reader).backup(copy)
        finally:
            copy.close()

    with translate_sqlite_errors():
        create_private(target)
        readers = ReaderPool(source)
        try:
            readers.run(copy_with)
        finally:
            readers.close()


def count_contents(tx: Connection) -> dict[str, int]:
    """Number of flows, connections, and executions, without deleted ones."""

    def count(table: Table, *where: ColumnElement[bool]) -> int:
        return tx.execute(select(func.count()).select_from(table).where(*where)).scalar_one()

    return {
        "flows": count(flow, flow.c.deleted_at.is_(None)),
        "connections": count(connection, connection.c.deleted_at.is_(None)),
        "executions": count(execution),
    }
