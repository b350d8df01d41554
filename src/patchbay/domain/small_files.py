"""Reads small files that could be damaged, or written by others: their size is checked before they are read.

The frame of the window uses this module, so it imports no pydantic.
"""

import json
import os
import stat
from pathlib import Path
from typing import Any

MAX_JSON_BYTES = 64 * 1024
MAX_LEVELS = 50
"""Deeper data could be parsed, but not always be written again."""


def read_small_file(file: Path, max_bytes: int) -> bytes:
    """Read a file. Raises `OSError`, and `ValueError` for others than files, or above `max_bytes`."""
    if not stat.S_ISREG(file.stat().st_mode):
        raise ValueError("not a file")  # opening a pipe or device could wait forever
    with file.open("rb") as opened:
        size = os.fstat(opened.fileno()).st_size
        content = opened.read(max_bytes + 1) if size <= max_bytes else b""
    if max(size, len(content)) > max_bytes:
        raise ValueError(f"larger than {max_bytes:,} bytes")
    return content


def read_json_object(file: Path, max_bytes: int = MAX_JSON_BYTES) -> dict[str, Any]:
    """Read a JSON object whose texts can be encoded again.

    Raises `OSError` if the file can't be read, and `ValueError` for any other content.
    """
    try:
        found = json.loads(read_small_file(file, max_bytes).decode("utf-8"))
        json.dumps(found, ensure_ascii=False).encode("utf-8")  # half a surrogate pair can't be encoded
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("not an object")
    require_shallow(found)
    return found


def require_shallow(data: dict[str, Any]) -> None:
    """Raise `ValueError` for data that is nested too deeply."""
    level: list[Any] = [data]
    for _ in range(MAX_LEVELS):
        values = [item.values() if isinstance(item, dict) else item for item in level]
        level = [value for several in values for value in several if isinstance(value, (dict, list))]
        if not level:
            return
    raise ValueError("nested too deeply")
