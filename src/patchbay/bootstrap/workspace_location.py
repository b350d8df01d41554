"""Says where the workspace of a data folder is if not in the folder: on a server, or moved elsewhere.

Without these files, a program that isn't given `--database` would create an empty workspace in the folder of
a server, or run a second copy of a workspace that was moved.
"""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from patchbay.domain.errors import Conflict, ValidationFailed
from patchbay.domain.file_moves import delete_file
from patchbay.domain.json_limits import read_json
from patchbay.platform.paths import AppPaths, write_private

if TYPE_CHECKING:
    from patchbay.storage.postgresql.address import PostgresAddress

_MAX_CHARACTERS = 8_192
UNKNOWN = "a place that can't be read any more"
"""Stands for an address in a file that is damaged."""
_NO_PASSWORD = "none"  # so that the one in the environment isn't taken


def record_server(paths: AppPaths, database: "Path | PostgresAddress | None") -> None:
    """Record in the data folder of a server or worker where its data is. The password isn't recorded."""
    if database is None or isinstance(database, Path):
        return
    if _read(paths.database_record).get("database") != database.url:
        write_private(paths.database_record, json.dumps({"database": database.url}))


def recorded_server(paths: AppPaths) -> str | None:
    """The URL of the database that servers and workers of this folder use; None if they use its file."""
    if not paths.database_record.exists():
        return None
    return _shown_address(_read(paths.database_record).get("database", "")) or UNKNOWN


def require_own_database(paths: AppPaths) -> None:
    """Raise `Conflict` if the workspace of this folder isn't in the folder."""
    require_not_moved(paths)
    require_not_on_server(paths)


def require_not_on_server(paths: AppPaths) -> None:
    """Raise `Conflict` if servers or workers of this folder have the workspace in another database."""
    url = recorded_server(paths)
    if url == UNKNOWN:
        raise Conflict(
            f"{paths.database_record} is damaged. It says on which server the workspace of this folder is.",
            meaning="The folder itself has no workspace.",
            todo="Start the server once with --database and its URL, which writes the file again. To keep a "
            "workspace in this folder instead, delete the file.",
        )
    if url is not None:
        raise Conflict(
            f"The workspace of {paths.data} is in {url}, and no server is running in this folder.",
            meaning="The folder itself has no workspace.",
            todo=f"Start the server, or add --database {url} and the other options with which the server is "
            f"started (--database-password-file, --data-key-file). To keep a workspace in this folder "
            f"instead, delete {paths.database_record}.",
        )


def require_not_moved(paths: AppPaths) -> None:
    """Raise `Conflict` if the workspace was moved elsewhere: two copies would both act on the same events."""
    if not paths.moved.exists():
        return
    marker = _read(paths.moved)
    place = _shown_place(marker.get("to", ""))
    if place == UNKNOWN:
        raise Conflict(
            f"This workspace was moved elsewhere. {paths.moved}, which says where, is damaged.",
            meaning="Its flows may run there; here, everything would be done twice.",
            todo="Start with --database and the URL to which it was moved, or delete the file to use "
            "this copy again.",
        )
    if marker.get("state") == "finishing":
        raise Conflict(
            f"A move of this workspace to {place} was stopped at its end, perhaps after it was completed.",
            meaning="If it was, everything that runs there would be done twice here.",
            todo="Run the same “patchbay move” command again, which completes it. If you never want to use "
            f"{place}, delete {paths.moved} to use this copy again.",
        )
    raise Conflict(
        f"This workspace was moved to {place}.",
        meaning="Its flows and unfinished executions run there; here, everything would be done twice.",
        todo=f"Start with --database {place}, or delete {paths.moved} to use this copy again.",
    )


def mark_finishing(paths: AppPaths, target: str) -> None:
    """Record that the workspace of this folder is about to become one elsewhere."""
    write_private(paths.moved, json.dumps({"to": target, "state": "finishing"}))


def mark_moved(paths: AppPaths, target: str) -> None:
    """Record that the workspace of this folder was moved elsewhere."""
    write_private(paths.moved, json.dumps({"to": target}))


def unmark_moved(paths: AppPaths) -> None:
    """The workspace of this folder is the one that runs, as before a move that wasn't completed."""
    delete_file(paths.moved)


def mark_own(paths: AppPaths) -> None:
    """The workspace of this folder is in the folder, whatever was recorded."""
    delete_file(paths.moved)
    delete_file(paths.database_record)


def _shown_address(recorded: str) -> str:
    """The URL of a recorded database, encoded again; empty if it isn't one.

    The file could have been changed by others, and people copy what they are shown into a command.
    """
    from patchbay.storage.postgresql.address import parse_address  # not needed at most starts

    try:
        return parse_address(recorded, _NO_PASSWORD).url
    except ValidationFailed:
        return ""


def _shown_place(recorded: str) -> str:
    """As `_shown_address`, or the path of a folder."""
    is_path = os.path.isabs(recorded) and recorded.isprintable()
    return _shown_address(recorded) or (recorded if is_path else UNKNOWN)


def _read(file: Path) -> dict[str, str]:
    """The texts in one of these files; none if it doesn't exist or is damaged."""
    try:
        with file.open(encoding="utf-8") as opened:
            text = opened.read(_MAX_CHARACTERS + 1)
        found = read_json(text) if len(text) <= _MAX_CHARACTERS else None
    except (OSError, ValueError):
        return {}
    return (
        {str(name): value for name, value in found.items() if isinstance(value, str)}
        if isinstance(found, dict)
        else {}
    )
