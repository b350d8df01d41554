"""Cache of one remote server: its last responses and a copy of its history, in one private file.

The file's name is a hash, so it doesn't reveal the server's address.
"""

import hashlib
import sqlite3
import time
import zlib
from pathlib import Path

from patchbay.storage.remote_cache_file import CacheFile, read_note, remove, write_note
from patchbay.storage.remote_history import StoredHistory

MAX_BYTES = 64 * 1024 * 1024
MAX_RESPONSE_BYTES = 8 * 1024 * 1024
"""Max. size of one compressed response; larger ones aren't stored."""
TRIM_TO_SHARE = 0.9
"""Share of the limit to which the cache is trimmed, so that it isn't trimmed again at the next response."""


class StoredResponses:
    """A `ResponseStore` in a cache file. When it is full, the responses unused for longest are deleted."""

    def __init__(self, file: CacheFile, max_bytes: int = MAX_BYTES) -> None:
        self._file, self._max_bytes = file, max_bytes
        self._written_digests: dict[str, bytes] = {}
        """Digests of the last written responses, to skip writing the same response again."""
        self._size: int | None = None
        self._seen_open_count = 0

    def put(self, request_key: str, response: bytes) -> None:
        digest = hashlib.blake2b(response, digest_size=16).digest()
        if self._written_digests.get(request_key) == digest:
            return
        self._file.run_in_background(
            lambda connection: self._write(connection, request_key, response, digest)
        )

    async def get(self, request_key: str) -> bytes | None:
        return await self._file.run(lambda connection: _read(connection, request_key), None)

    def _write(self, connection: sqlite3.Connection, question: str, response: bytes, digest: bytes) -> None:
        if self._seen_open_count != self._file.open_count:  # the file may be a new one
            self._seen_open_count, self._size = self._file.open_count, None
            self._written_digests.clear()
        compressed = zlib.compress(response, 1)
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
        """Delete the responses unused for longest, until `TRIM_TO_SHARE` of the limit is left."""
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
        raise sqlite3.DatabaseError("a response can't be decompressed") from error


def _size(connection: sqlite3.Connection) -> int:
    (size,) = connection.execute("SELECT coalesce(sum(size), 0) FROM answer").fetchone()
    return int(size)


class StoredRemoteCache:
    """Implements `RemoteCache`. Never stores the API key or headers.

    With `with_copies` False, only notes are used: no response of the server comes from the file.
    """

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES, with_copies: bool = True) -> None:
        self._file = CacheFile(path)
        self.responses = StoredResponses(self._file, max_bytes) if with_copies else None
        self.history = StoredHistory(self._file) if with_copies else None

    def bind(self, owner: str) -> None:
        if self.responses is not None:
            self._file.owner = owner

    async def note(self, name: str) -> str | None:
        return await self._file.run(lambda connection: read_note(connection, name), None)

    async def write_note(self, name: str, text: str) -> None:
        await self._file.run(lambda connection: write_note(connection, name, text), None)

    async def close(self) -> None:
        await self._file.close()


def cache_path(folder: Path, address: str) -> Path:
    """Path of the cache file for the server at this address."""
    name = hashlib.sha256(address.rstrip("/").encode()).hexdigest()[:32]
    return folder / f"{name}.db"


def delete_cache(folder: Path, address: str) -> bool:
    """Delete the cache of a server. Returns False if another program has the file open."""
    return remove(cache_path(folder, address))
