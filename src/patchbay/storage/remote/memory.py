"""All that is kept of one service, in one private file whose name tells nothing of the address."""

import hashlib
from pathlib import Path

from patchbay.storage.remote.answers import MAX_BYTES, StoredResponses
from patchbay.storage.remote.cache_file import CacheFile, remove
from patchbay.storage.remote.history import StoredHistory
from patchbay.storage.remote.notes import read_note, write_note


class StoredRemoteCache:
    """A `RemoteCache`. Neither the key nor any header is in it.

    With `with_copies` False only notes are read and written: no answer of the service comes from this file.
    """

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES, with_copies: bool = True) -> None:
        self._file = CacheFile(path)
        self.answers = StoredResponses(self._file, max_bytes) if with_copies else None
        self.history = StoredHistory(self._file) if with_copies else None

    def bind(self, owner: str) -> None:
        if self.answers is not None:
            self._file.owner = owner

    async def note(self, name: str) -> str | None:
        return await self._file.run(lambda connection: read_note(connection, name), None)

    async def write_note(self, name: str, text: str) -> None:
        await self._file.run(lambda connection: write_note(connection, name, text), None)

    async def close(self) -> None:
        await self._file.close()


def cache_path(folder: Path, address: str) -> Path:
    """Where what is kept of the service at this address is."""
    name = hashlib.sha256(address.rstrip("/").encode()).hexdigest()[:32]
    return folder / f"{name}.db"


def forget(folder: Path, address: str) -> bool:
    """Delete it; False when something still holds the file."""
    return remove(cache_path(folder, address))
