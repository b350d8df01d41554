"""Repairs the database of a data folder that no other program uses."""

from patchbay.bootstrap.workspace_location import require_not_on_server
from patchbay.domain.errors import Conflict
from patchbay.domain.stored_files import RepairResult
from patchbay.platform.engine_lock import EngineLock
from patchbay.platform.paths import AppPaths


def repair_database(paths: AppPaths) -> RepairResult:
    """Repair the database while holding the engine's lock.

    Raises `Conflict` if another program has it, or if the folder has none.
    """
    from patchbay.storage.repair import repair_file  # imported here: most programs never repair anything

    require_not_on_server(paths)
    lock = EngineLock(paths.lock, paths.database)
    if not lock.acquire():
        raise Conflict(
            "Another Patchbay program is using this data folder.",
            meaning="Nothing was changed.",
            todo="Close it, then try again.",
        )
    try:
        lock.release_database()  # SQLite locks the file itself
        return repair_file(paths.database)
    finally:
        lock.release()
