"""Small texts by name."""

import sqlite3


def read_note(connection: sqlite3.Connection, name: str) -> str | None:
    row = connection.execute("SELECT body FROM note WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def write_note(connection: sqlite3.Connection, name: str, text: str) -> None:
    connection.execute("REPLACE INTO note (name, body) VALUES (?, ?)", (name, text))
