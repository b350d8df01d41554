"""`ctx.files`: the files that steps can use, without blocking the event loop."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.errors import Forbidden, TimedOut, ValidationFailed
from patchbay.integration.local_files.model import DeletedFile, FileEntry, FileSystem, Listing, WriteMode
from patchbay.integration.local_files.paths import (
    ALLOW_HINT,
    AllowedPath,
    NamePattern,
    parse_path,
    require_new_name,
)

MAX_CONCURRENT = 4
"""Threads for the files of an allowed folder. A drive that doesn't respond keeps only these."""
SECONDS = 120.0
_REFERENCE = "{{"
_MAX_OUTPUT_BYTES = 16 << 20

if TYPE_CHECKING:
    from patchbay.integration.workers import Workers

T = TypeVar("T")


class FileAccess:
    """Files below the allowed folders of a file system. Belongs to one workspace."""

    def __init__(self, file_system: FileSystem) -> None:
        self._file_system = file_system
        self._threads: dict[frozenset[str], ThreadPoolExecutor] = {}
        self._workers: Workers | None = None
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def allowed_folders(self) -> Sequence[str]:
        """The folders that an admin allows, at this moment."""
        return self._file_system.allowed_folders()

    def find_rejection(self, label: str, entered: Sequence[object]) -> Forbidden | None:
        """Why a step with these paths can't run; None if it can.

        A path with variables is only known when the step runs, and checked then. So is where a path leads.
        """
        if not self.allowed_folders:
            return Forbidden(
                f"{label} uses files on this computer, and no folder is allowed.",
                meaning="No step was run.",
                todo=ALLOW_HINT,
            )
        for text in entered:
            if not isinstance(text, str) or not text.strip() or _REFERENCE in text:
                continue
            try:
                self.path(text)
            except Forbidden as error:
                return Forbidden(f"{label}: {error.happened}", meaning=error.meaning, todo=error.todo)
            except ValidationFailed as error:
                return Forbidden(f"{label}: {error.happened}", meaning="No step was run.", todo=error.todo)
        return None

    def path(self, text: str, field: str = "path") -> AllowedPath:
        """The path that was entered in a field. Raises `ValidationFailed` or `Forbidden`."""
        return parse_path(text, self.allowed_folders, field=field)

    @asynccontextmanager
    async def lock(self, path: AllowedPath) -> AsyncIterator[None]:
        """Let no other step that reads and then writes this file run in between."""
        key = str(path).casefold()
        lock = self._locks.get(key)
        if lock is None:
            lock = self._locks[key] = asyncio.Lock()
        async with lock:
            yield

    async def read(self, path: AllowedPath, max_bytes: int) -> tuple[FileEntry, bytes]:
        """As `FileSystem.read`."""
        return await self.run(lambda: self._file_system.read(path, max_bytes), path)

    async def find(self, path: AllowedPath) -> FileEntry:
        """As `FileSystem.find`."""
        return await self.run(lambda: self._file_system.find(path), path)

    async def require_folder(self, path: AllowedPath) -> None:
        """As `FileSystem.require_folder`."""
        await self.run(lambda: self._file_system.require_folder(path), path)

    async def write(
        self,
        path: AllowedPath,
        content: bytes,
        mode: WriteMode,
        *,
        field: str = "path",
        unless_changed: FileEntry | None = None,
    ) -> FileEntry:
        """As `FileSystem.write`."""
        require_new_name(path, field=field)
        return await self.run(lambda: self._file_system.write(path, content, mode, unless_changed), path)

    async def move(self, source: AllowedPath, target: AllowedPath, *, replace: bool) -> FileEntry:
        """As `FileSystem.move`."""
        require_new_name(target, field="target")
        return await self.run(lambda: self._file_system.move(source, target, replace=replace), source, target)

    async def copy(self, source: AllowedPath, target: AllowedPath, *, replace: bool) -> FileEntry:
        """As `FileSystem.copy`."""
        require_new_name(target, field="target")
        return await self.run(lambda: self._file_system.copy(source, target, replace=replace), source, target)

    async def delete(self, path: AllowedPath, *, trash_name: str) -> DeletedFile:
        """As `FileSystem.delete`."""
        return await self.run(lambda: self._file_system.delete(path, trash_name=trash_name), path)

    async def listing(
        self,
        folder: AllowedPath,
        pattern: NamePattern,
        *,
        subfolders: bool = False,
        folders: bool = False,
    ) -> Listing:
        """As `FileSystem.listing`."""
        return await self.run(
            lambda: self._file_system.listing(folder, pattern, subfolders=subfolders, folders=folders), folder
        )

    async def compute(
        self,
        function: Callable[..., JsonObject],
        path: AllowedPath,
        *arguments: Json,
        seconds: float,
        owner: str,
    ) -> JsonObject:
        """The result of a function that opens a file by its path, in a process of its own.

        It is called with the path's root and parts and Patchbay's own folders, which `LocalFiles.confined`
        needs, and then the arguments. `owner`, the flow's ID, takes turns with other owners.
        """
        from patchbay.integration.workers import WorkerLimits, Workers

        own_folders = self._file_system.own_folders()
        if self._workers is None:
            self._workers = Workers(writes_files=True)
        return await self._workers.run(
            function,
            path.root,
            [*path.parts],
            [*own_folders],
            *arguments,
            limits=WorkerLimits(seconds, output_bytes=_MAX_OUTPUT_BYTES),
            owner=owner,
        )

    async def run(self, work: Callable[[], T], *paths: AllowedPath, seconds: float = SECONDS) -> T:
        """The result of work with these paths, in a thread. Raises `TimedOut` if a drive doesn't respond."""
        key = frozenset(path.root for path in paths)
        threads = self._threads.get(key)
        if threads is None:
            threads = self._threads[key] = ThreadPoolExecutor(MAX_CONCURRENT, "files")
        try:
            async with asyncio.timeout(seconds) as limit:
                return await asyncio.get_running_loop().run_in_executor(threads, work)
        except TimeoutError:
            if not limit.expired():
                raise
            raise TimedOut(
                f"The files didn't respond within {seconds:.0f} seconds.",
                meaning="A write may still be finished.",
                todo="Check that the drive is connected.",
            ) from None

    def close(self) -> None:
        """Start nothing more; what runs isn't waited for."""
        for threads in self._threads.values():
            threads.shutdown(wait=False, cancel_futures=True)
        self._threads.clear()

    async def aclose(self) -> None:
        """End the processes, too."""
        self.close()
        if self._workers is not None:
            await self._workers.close()
