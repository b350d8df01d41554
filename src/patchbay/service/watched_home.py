"""A key home that can be seen waiting: a keyring may ask its person for a password, and that takes time."""

from collections.abc import Iterator
from contextlib import contextmanager

from patchbay.domain.ports import KeyStore, LockableKeyStore


class WatchedKeyStore:
    """Passes everything on to `home`; `waiting` while one of the calls has not been answered."""

    def __init__(self, home: KeyStore) -> None:
        self._home = home
        self._pending_calls = 0

    @property
    def waiting(self) -> bool:
        return self._pending_calls > 0

    @property
    def place(self) -> str:
        return self._home.place

    @property
    def name(self) -> str:
        return self._home.name

    @property
    def max_characters(self) -> int | None:
        return self._home.max_characters

    async def is_locked(self) -> bool | None:
        """Whether it is locked, learned without a prompt; None where that can't be told."""
        return await self._home.is_locked() if isinstance(self._home, LockableKeyStore) else None

    async def get(self, name: str) -> str | None:
        with self._count_pending():
            return await self._home.get(name)

    async def set(self, name: str, value: str) -> None:
        with self._count_pending():
            await self._home.set(name, value)

    async def delete(self, name: str) -> None:
        with self._count_pending():
            await self._home.delete(name)

    @contextmanager
    def _count_pending(self) -> Iterator[None]:
        self._pending_calls += 1
        try:
            yield
        finally:
            self._pending_calls -= 1
