"""The system keyring as a `KeyHome`: allowed backends only, one worker thread, and never a wait without end.

What really happens in each state of a Linux keyring (absent, locked, prompting, null backend) is why: presence
of a backend is not health, a locked keyring may block for ever on a prompt nobody sees, and the null backend
accepts everything and keeps nothing.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import keyring
import keyring.errors
from keyring.backend import KeyringBackend

from patchbay.domain.errors import SecretsUnavailable

log = logging.getLogger("keyring")

T = TypeVar("T")

SERVICE = "patchbay"
WAIT_SECONDS = 30.0
ALLOWED = (
    "keyring.backends.SecretService",
    "keyring.backends.libsecret",
    "keyring.backends.kwallet",
    "keyring.backends.Windows",
    "keyring.backends.macOS",
)


class SystemKeyring:
    """Keyring items of this user, one per name. Calls run one after another on a thread of their own."""

    where = "the system keyring"

    def __init__(self, *, wait_seconds: float = WAIT_SECONDS, backend: KeyringBackend | None = None) -> None:
        self._wait = wait_seconds
        self._backend = backend
        self._thread = self._new_thread()

    async def get(self, name: str) -> str | None:
        return await self._call(lambda backend: backend.get_password(SERVICE, name))

    async def set(self, name: str, value: str) -> None:
        await self._call(lambda backend: backend.set_password(SERVICE, name, value))

    async def delete(self, name: str) -> None:
        def remove(backend: KeyringBackend) -> None:
            if backend.get_password(SERVICE, name) is not None:
                backend.delete_password(SERVICE, name)

        await self._call(remove)

    async def state(self) -> str:
        """One sentence for `patchbay doctor`: which keyring answers, or why none does."""
        try:
            await self.get("state-check")
        except SecretsUnavailable as problem:
            return problem.text()
        return f"{type(self._chosen()).__module__.rpartition('.')[2]} answers"

    async def _call(self, work: Callable[[KeyringBackend], T]) -> T:
        thread = self._thread
        future = asyncio.get_running_loop().run_in_executor(thread, lambda: work(self._chosen()))
        try:
            return await asyncio.wait_for(asyncio.shield(future), self._wait)
        except TimeoutError:
            future.add_done_callback(_ignore)
            self._abandon(thread)
            raise _timed_out() from None
        except asyncio.CancelledError:
            future.add_done_callback(_ignore)
            self._abandon(thread)
            raise
        except SecretsUnavailable:
            raise
        except Exception as error:
            raise _translate(error) from error

    def _chosen(self) -> KeyringBackend:
        if self._backend is None:
            self._backend = choose(keyring.get_keyring())
        return self._backend

    def _abandon(self, thread: ThreadPoolExecutor) -> None:
        """A call that hangs keeps its thread; the next one gets a new thread."""
        if self._thread is thread:
            self._thread = self._new_thread()
        thread.shutdown(wait=False, cancel_futures=True)

    @staticmethod
    def _new_thread() -> ThreadPoolExecutor:
        return ThreadPoolExecutor(max_workers=1, thread_name_prefix="patchbay-keyring")


def choose(backend: KeyringBackend) -> KeyringBackend:
    """The first allowed backend, looking inside a chainer. Raises `SecretsUnavailable` when there is none."""
    candidates = list(getattr(backend, "backends", [])) or [backend]
    for candidate in candidates:
        if type(candidate).__module__.startswith(ALLOWED):
            return candidate
    names = ", ".join(sorted({type(item).__module__ for item in candidates}))
    log.warning("no allowed keyring backend among %s", names)
    raise SecretsUnavailable(
        "There is no system keyring to keep credentials in.",
        reason="no_keyring",
        meaning="Nothing was stored.",
        todo="Install and start one (on Linux gnome-keyring or KeePassXC), or choose a passphrase vault.",
    )


def _ignore(future: "asyncio.Future[Any]") -> None:
    if not future.cancelled():
        future.exception()


def _timed_out() -> SecretsUnavailable:
    return SecretsUnavailable(
        "The system keyring did not answer.",
        reason="timed_out",
        meaning="It may be waiting for its password in a window of its own.",
        todo="Unlock the keyring, then try again.",
    )


def _translate(error: Exception) -> SecretsUnavailable:
    if isinstance(error, keyring.errors.NoKeyringError):
        return SecretsUnavailable(
            "There is no system keyring to keep credentials in.",
            reason="no_keyring",
            todo="Install and start one, or choose a passphrase vault.",
        )
    return SecretsUnavailable(
        "The system keyring is locked or refused the request.",
        reason="locked",
        meaning=f"It answered: {type(error).__name__}.",
        todo="Unlock the keyring, then try again.",
    )
