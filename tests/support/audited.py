"""A workspace that takes down which of its operations left an entry in the audit log."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from sqlalchemy import func, select

from patchbay.service.local_backend import LocalBackend
from patchbay.storage.database import Database
from patchbay.storage.tables import audit


class Audited:
    """Passes every call on to a workspace; `left` holds the operations during which an entry was written."""

    def __init__(self, backend: LocalBackend, db: Database) -> None:
        self._backend, self._db = backend, db
        self.called: set[str] = set()
        self.left: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        operation = getattr(self._backend, name)
        return self._watched(name, operation) if inspect.iscoroutinefunction(operation) else operation

    def _watched(self, name: str, operation: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def watched(*args: Any, **named: Any) -> Any:
            before = await self._entries()
            try:
                return await operation(*args, **named)
            finally:
                self.called.add(name)
                if await self._entries() > before:
                    self.left.add(name)

        return watched

    async def _entries(self) -> int:
        return await self._db.read(
            lambda tx: tx.execute(select(func.count()).select_from(audit)).scalar_one()
        )
