"""The last answers of a service, bounded in size; those not used for longest go first."""

import hashlib
import sqlite3
import time
import zlib

from patchbay.storage.remote.cache_file import CacheFile

MOST_BYTES = 64 * 1024 * 1024
LARGEST_BYTES = 8 * 1024 * 1024
"""Of one answer, packed; a larger one is not kept."""
KEPT_SHARE = 0.9
"""What is left of the bound once something had to go, so that this is not done at every answer."""


class StoredAnswers:
    """An `AnswerStore` in a cache file."""

    def __init__(self, file: CacheFile, most_bytes: int = MOST_BYTES) -> None:
        self._file, self._most = file, most_bytes
        self._written: dict[str, bytes] = {}
        """What was written last, as digests: the same answer again is not written again."""
        self._size: int | None = None
        self._opening = 0

    def keep(self, question: str, answer: bytes) -> None:
        digest = hashlib.blake2b(answer, digest_size=16).digest()
        if self._written.get(question) == digest:
            return
        self._file.later(lambda connection: self._write(connection, question, answer, digest))

    async def last(self, question: str) -> bytes | None:
        return await self._file.do(lambda connection: _read(connection, question), None)

    def _write(self, connection: sqlite3.Connection, question: str, answer: bytes, digest: bytes) -> None:
        if self._opening != self._file.openings:  # it may be another file
            self._opening, self._size = self._file.openings, None
            self._written.clear()
        packed = zlib.compress(answer, 1)
        if len(packed) > min(LARGEST_BYTES, self._most):
            connection.execute("DELETE FROM answer WHERE question = ?", (question,))
            return
        if self._size is None:
            self._size = _size(connection)
        row = (question, packed, len(packed), time.time_ns())
        connection.execute("REPLACE INTO answer (question, body, size, used) VALUES (?, ?, ?, ?)", row)
        self._size += len(packed)
        self._written[question] = digest
        if self._size > self._most:
            self._make_room(connection)

    def _make_room(self, connection: sqlite3.Connection) -> None:
        """Take out the oldest until the bound is kept well; the sum may have been too high before."""
        left = _size(connection)
        oldest = connection.execute("SELECT question, size FROM answer ORDER BY used").fetchall()
        for question, size in oldest:
            if left <= self._most * KEPT_SHARE:
                break
            connection.execute("DELETE FROM answer WHERE question = ?", (question,))
            self._written.pop(question, None)
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
