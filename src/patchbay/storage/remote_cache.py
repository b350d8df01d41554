"""The last answers of a service, bounded in size; those not used for longest go first."""

import hashlib
import sqlite3
import time
import zlib
from pathlib import Path

from patchbay.storage.remote_cache_file import CacheFile, read_note, remove, write_note
from patchbay.storage.remote_history import StoredHistory

MAX_BYTES = 64 * 1024 * 1024
MAX_RESPONSE_BYTES = 8 * 1024 * 1024
"""Of one answer, packed; a larger one is not kept."""
TRIM_TO_SHARE = 0.9
"""What is left of the bound once something had to go, so that this is not done at every answer."""


class StoredResponses:
    """An `ResponseStore` in a cache file."""

    def __init__(self, file: CacheFile, max_bytes: int = MAX_BYTES) -> None:
        self._file, self._max_bytes = file, max_bytes
        self._written_digests: dict[str, bytes] = {}
        """What was written last, as digests: the same answer again is not written again."""
        self._size: int | None = None
        self._seen_open_count = 0

    def keep(self, question: str, answer: bytes) -> None:
        digest = hashlib.blake2b(answer, digest_size=16).digest()
        if self._written_digests.get(question) == digest:
            return
        self._file.run_in_background(lambda connection: self._write(connection, question, answer, digest))

    async def last(self, question: str) -> bytes | None:
        return await self._file.run(lambda connection: _read(connection, question), None)

    def _write(self, connection: sqlite3.Connection, question: str, answer: bytes, digest: bytes) -> None:
        if self._seen_open_count != self._file.open_count:  # it may be another file
            self._seen_open_count, self._size = self._file.open_count, None
            self._written_digests.clear()
        compressed = zlib.compress(answer, 1)
        if len(compressed) > min(MAX_RESPONSE_BYTES, self._max_bytes):
            connection.execute("DELETE FROM answer WHERE question = ?", (question,))
            return
        if self._size is None:
            self._size = _size(connection)
        row = (question, compressed, len(compressed), time.time_ns())
        connection.execute("REPLACE INTO answer (question, body, size, used) VALUES (?, ?, ?, ?)", row)
        self._size += len(compressed)
        self._written_digests[question] = digest
        if self._size > self._max_bytes:
            self._evict_oldest(connection)

    def _evict_oldest(self, connection: sqlite3.Connection) -> None:
        """Take out the oldest until the bound is kept well; the sum may have been too high before."""
        left = _size(connection)
        oldest = connection.execute("SELECT question, size FROM answer ORDER BY used").fetchall()
        for question, size in oldest:
            if left <= self._max_bytes * TRIM_TO_SHARE:
                break
            connection.execute("DELETE FROM answer WHERE question = ?", (question,))
            self._written_digests.pop(question, None)
            left -= size
        self._size = left


def _read(connection: sqlite3.Connection, question: str) -> bytes | None:
    row = connection.execute("SELECT body FROM answer WHERE question = ?", (question,)).fetchone()
    if row is None:
        return None
    connection.execute("UPDATE answer SET used = ? WHERE question = ?", (time.time_ns(), question))
    try:
        return zlib.decompress(row[0])
    except zlib.error as error:
        raise sqlite3.DatabaseError("an answer cannot be unpacked") from error


def _size(connection: sqlite3.Connection) -> int:
    (size,) = connection.execute("SELECT coalesce(sum(size), 0) FROM answer").fetchone()
    return int(size)


# MERGED: All that is kept of one service, in one private file whose name tells nothing of the
# address.


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
