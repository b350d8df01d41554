"""The options `--database` and `--database-password-file`."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import urlsplit

from patchbay.bootstrap.private_files import read_private_text
from patchbay.bootstrap.workspace_location import recorded_server
from patchbay.domain.errors import NotSupported
from patchbay.platform.paths import AppPaths

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
    database = None if url is None else _location(url, password)
    hidden = [] if file is None else [Path(file)]
    if database is not None and not isinstance(database, Path):
        from patchbay.storage.postgresql.address import secret_files

        hidden += secret_files(database)
    return DatabaseArguments(database=database, hidden_files=hidden)


def names_server(options: argparse.Namespace) -> bool:
    """Whether `--database` names a database that isn't a file."""
    return options.database is not None and urlsplit(options.database).scheme != "sqlite"


def reject_server(options: argparse.Namespace, paths: AppPaths, todo: str) -> None:
    """Raise `NotSupported` for commands that work with the file of a database."""
    recorded = recorded_server(paths) if options.database is None else None
    if names_server(options) or recorded is not None:
        raise NotSupported(
            "This command works only with a database in a file.",
            meaning=f"The workspace of {paths.data} is in {recorded}." if recorded else "",
            todo=todo,
        )


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
