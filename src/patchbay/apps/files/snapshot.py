"""What a trigger knows about a folder between two polls, and what is new compared with that.

An event is recorded as pending, with its ID, before the engine gets it. The next poll looks up whether
the engine stored it, and only then takes its file as known. So nothing is missed or repeated, whenever the
program ends.
"""

import base64
import json
import secrets
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import TypeVar

from patchbay.domain.base import EpochMs, Json
from patchbay.domain.errors import ValidationFailed

Version = tuple[int, int]
"""When a file was modified (nanoseconds), and its size. A gone file has none."""
MAX_EVENTS = 10_000
"""Max. events of one poll. The next one continues with the others."""
MAX_UNPACKED = 64 << 20
MAX_PACKED = 8 << 20
"""Max. characters of what is stored. More would take too long to load and to store."""
_PER_LINE = 500

T = TypeVar("T")


class Change(StrEnum):
    """What happened to a file."""

    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Event:
    """A change that starts the flow. `version` is the last known one of a file that is gone."""

    id: str
    change: Change
    key: str
    version: Version


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The known files by their path in the folder, and what isn't settled or confirmed yet."""

    device: int
    files: Mapping[str, Version]
    observed: Mapping[str, tuple[Version | None, EpochMs]] = field(default_factory=dict)
    """Files that differ from what is known: how, and since when that hasn't changed. None: gone."""
    pending: tuple[Event, ...] = ()

    def pack(self) -> str:
        """The snapshot as text, to be stored: lines of JSON, none of which takes long to read, compressed.

        Raises `ValidationFailed` if it is too large.
        """
        compressor, packed, size = zlib.compressobj(1), bytearray(), 0
        for line in self._lines():
            content = json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
            size += len(content)
            packed += compressor.compress(content)
            if size > MAX_UNPACKED or len(packed) > MAX_PACKED // 4 * 3:
                raise _too_large_error()
        packed += compressor.flush()
        return base64.b64encode(packed).decode("ascii")

    def _lines(self) -> Iterator[Json]:
        yield ["device", [self.device]]
        for files in _parts(self.files.items()):
            yield ["files", [[key, *version] for key, version in files]]
        for observed in _parts(self.observed.items()):
            yield ["observed", [[key, *(version or (None, None)), at] for key, (version, at) in observed]]
        for pending in _parts(self.pending):
            yield ["pending", [[one.id, one.change.value, one.key, *one.version] for one in pending]]

    @classmethod
    def unpack(cls, packed: str) -> "Snapshot":
        """The snapshot that was stored. Raises `ValueError` if it is damaged."""
        device, files = 0, dict[str, Version]()
        observed, pending = dict[str, tuple[Version | None, EpochMs]](), list[Event]()
        try:
            reader = zlib.decompressobj()
            content = reader.decompress(base64.b64decode(packed), MAX_UNPACKED)
            if not reader.eof:
                raise ValueError("truncated")
            for line in content.splitlines():
                kind, entries = json.loads(line)
                if kind == "device":
                    [device] = entries
                elif kind == "files":
                    files.update({key: (at, size) for key, at, size in entries})
                elif kind == "observed":
                    for key, at, size, since in entries:
                        observed[key] = (None if at is None else (at, size)), since
                else:
                    pending += [
                        Event(name, Change(how), key, (at, size)) for name, how, key, at, size in entries
                    ]
        except (TypeError, zlib.error) as error:
            raise ValueError(str(error)) from None
        return cls(device, files, observed, tuple(pending))

    def confirm(self, stored: Collection[str]) -> dict[str, Version]:
        """The known files, including those of pending events that the engine stored."""
        files = dict(self.files)
        for event in self.pending:
            if event.id not in stored:
                continue
            if event.change is Change.REMOVED:
                files.pop(event.key, None)
            else:
                files[event.key] = event.version
        return files


@dataclass(frozen=True, slots=True)
class Rules:
    """Which changes start the flow, and when a file is settled."""

    changes: frozenset[Change]
    settle_ms: int
    limit: int = MAX_EVENTS


@dataclass(frozen=True, slots=True)
class Found:
    """The files that are in the folder now, and the sub-folders whose files can't be seen."""

    device: int
    files: Mapping[str, Version]
    unreadable: frozenset[str] = frozenset()

    def is_unreadable(self, key: str) -> bool:
        """Whether a file is in one of these sub-folders, so that it may not be gone."""
        parts = key.split("/") if self.unreadable else []
        return any("/".join(parts[:depth]) in self.unreadable for depth in range(1, len(parts)))


def compare(before: Snapshot, found: Found, stored: Collection[str], now: EpochMs, rules: Rules) -> Snapshot:
    """The next snapshot, whose pending events start the flow. `stored`: IDs of events that already have."""
    files = before.confirm(stored)
    observed = dict[str, tuple[Version | None, EpochMs]]()
    pending = list[Event]()
    gone = [key for key in files if key not in found.files and not found.is_unreadable(key)]
    current: list[tuple[str, Version | None]] = [*found.files.items(), *((key, None) for key in gone)]
    for key, version in current:
        known = files.get(key)
        if known == version:
            continue
        last = before.observed.get(key)
        since = last[1] if last is not None and last[0] == version else now
        if len(pending) >= rules.limit or now - since < rules.settle_ms:
            observed[key] = (version, since)
            continue
        change = Change.REMOVED if version is None else Change.NEW if known is None else Change.CHANGED
        if change in rules.changes:
            event_id = f"{change}:{secrets.token_hex(8)}:{key}"
            pending.append(Event(event_id, change, key, version or known or (0, 0)))
        elif version is None:
            del files[key]
        else:
            files[key] = version
    return Snapshot(found.device, files, observed, tuple(pending))


def _parts(items: Iterable[T]) -> Iterator[list[T]]:
    left = iter(items)
    while part := [*islice(left, _PER_LINE)]:
        yield part


def _too_large_error() -> ValidationFailed:
    happened = "The folder has too many files with long names to notice changes."
    return ValidationFailed(
        {"folder": [happened]}, happened=happened, todo="Choose one of its sub-folders, or a name pattern."
    )
