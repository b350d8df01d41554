"""Files of a data folder as damage, accidents and attackers leave them."""

import base64
import json
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


def _sound_database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sound.db"
        driver = sqlite3.connect(path)
        driver.execute("PRAGMA page_size = 4096")
        driver.executescript("CREATE TABLE flow (id TEXT); CREATE TABLE alembic_version (version_num TEXT);")
        driver.executemany("INSERT INTO flow VALUES (?)", [("x" * 500,) for _ in range(200)])
        driver.commit()
        driver.close()
        return path.read_bytes()


DATABASES: dict[str, Callable[[], bytes]] = {
    "text": lambda: b"This is no database.\n" * 500,
    "zeros": lambda: b"\0" * 8192,
    "only the first bytes": lambda: _sound_database()[:20],
    "cut in the first page": lambda: _sound_database()[:1000],
    "cut in the middle": lambda: _sound_database()[:12288],
    "a header with garbage": lambda: _sound_database()[:100] + b"\xff" * 8000,
}

_KDF = {
    "name": "argon2id",
    "salt": base64.b64encode(b"s" * 16).decode(),
    "memoryKib": 64,
    "iterations": 1,
    "lanes": 1,
}
_ITEM = {"nonce": base64.b64encode(b"n" * 12).decode(), "wrapped": base64.b64encode(b"w" * 48).decode()}


def vault(kdf: Any = _KDF, items: Any = None, **more: Any) -> bytes:
    """A vault file with parts replaced."""
    return json.dumps(
        {"format": 1, "kdf": kdf, "items": {"dek:p:k": _ITEM} if items is None else items, **more}
    ).encode()


VAULTS: dict[str, bytes] = {
    "empty": b"",
    "not JSON": b"{not json",
    "not UTF-8": b"\xff\xfe\x00",
    "a list": b"[]",
    "a number": b"1",
    "null": b"null",
    "no fields": b"{}",
    "deeply nested": b"[" * 100_000,
    "a newer format": vault(format=99),
    "no salt": vault({key: value for key, value in _KDF.items() if key != "salt"}),
    "kdf is a list": vault([1]),
    "memory of 4 TB": vault(_KDF | {"memoryKib": 1 << 32}),
    "memory at the limit, many iterations": vault(_KDF | {"memoryKib": 1 << 19, "iterations": 1_000_000}),
    "no memory": vault(_KDF | {"memoryKib": 0}),
    "negative iterations": vault(_KDF | {"iterations": -1}),
    "a number as text": vault(_KDF | {"iterations": "3"}),
    "a million lanes": vault(_KDF | {"lanes": 1_000_000, "memoryKib": 1 << 25}),
    "another function": vault(_KDF | {"name": "md5"}),
    "salt is no base64": vault(_KDF | {"salt": "!!!!"}),
    "items is a list": vault(items=[]),
    "an item is a number": vault(items={"dek:p:k": 1}),
    "an empty nonce": vault(items={"dek:p:k": _ITEM | {"nonce": ""}}),
    "a check value that is a number": vault(check=1),
    "a short value": vault(items={"dek:p:k": _ITEM | {"wrapped": ""}}),
}
