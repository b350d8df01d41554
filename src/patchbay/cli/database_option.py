"""The options `--database` and `--database-password-file`."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import urlsplit

from patchbay.bootstrap.private_files import read_private_text
from patchbay.domain.errors import NotSupported

if TYPE_CHECKING:
    from patchbay.storage.postgresql.address import PostgresAddress


class DatabaseArguments(TypedDict):
    """The arguments of `open_local` that say which database it opens."""

    database: "Path | PostgresAddress | None"
    hidden_files: list[Path]


def database_arguments(options: argparse.Namespace) -> DatabaseArguments:
    """The database that the options name; None for that of the data folder.

    Raises `ValidationFailed` for an address with a password, and for a password file that others can read.
    """
    url: str | None = options.database
    file = options.database_password_file
    password = None if file is None else read_private_text(Path(file), "password", "database-password-file")
    return DatabaseArguments(
        database=None if url is None else _location(url, password),
        hidden_files=[] if file is None else [Path(file)],
    )


def reject_server(options: argparse.Namespace, todo: str) -> None:
    """Raise `NotSupported` for commands that work with the file of a database."""
    if options.database is not None and urlsplit(options.database).scheme != "sqlite":
        raise NotSupported("This command works only with a database in a file.", todo=todo)


def _location(url: str, password: str | None) -> "Path | PostgresAddress":
    scheme, separator, rest = url.partition(":///")
    if scheme == "sqlite" and separator and rest:
        return Path(rest)
    from patchbay.storage.postgresql.address import SCHEMES, parse_address

    if url.partition(":")[0] not in SCHEMES:
        raise NotSupported(
            "Only SQLite and PostgreSQL databases are supported.",
            todo="Use --database sqlite:///path/to/file.db, or --database postgresql://USER@HOST/DATABASE",
        )
    return parse_address(url, password)
