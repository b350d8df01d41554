"""The system keyring as a `KeyStore`: only allowed backends, in threads, and with a timeout.

A backend that exists may still not work: a locked keyring may wait forever for a prompt that isn't visible,
and the null backend accepts everything but stores nothing.
"""

import asyncio
import logging
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from patchbay.domain.errors import SecretsUnavailable
from patchbay.domain.ports import KeyStoreKind

if TYPE_CHECKING:  # slow to load, so it is imported in the thread that first uses it
    from keyring.backend import KeyringBackend

    from patchbay.platform.secret_service import SecretService

log = logging.getLogger("keyring")

T = TypeVar("T")

SERVICE_NAME = "patchbay"
TIMEOUT_SECONDS = 120.0 if sys.platform == "darwin" else 30.0
"""macOS asks for the password of the user, which takes longer than unlocking."""
STATE_TIMEOUT_SECONDS = 5.0
MAX_HUNG_CALLS = 3
"""Max. hanging calls; each occupies a thread and may show a prompt."""
_SECRET_SERVICE = "keyring.backends.SecretService"
ALLOWED_BACKENDS = (
    _SECRET_SERVICE,
    "keyring.backends.libsecret",
    "keyring.backends.kwallet",
    "keyring.backends.Windows",
    "keyring.backends.macOS",
)


_LOCKED_ERRORS = ("KeyringLocked", "LockedException", "PromptDismissedException")
"""Names of the errors of backends while the keyring is locked, or when the user dismissed its prompt."""


class Backend(Protocol):
    """What is used of a keyring's backend."""

    def get_password(self, service: str, username: str, /) -> str | None:
        """The value of an item; None if there is none."""
        ...

    def set_password(self, service: str, username: str, password: str, /) -> None:
        """Create or replace an item."""
        ...

    def delete_password(self, service: str, username: str, /) -> None:
        """Delete an item."""
        ...


class SystemKeyring:
    """Stores values as keyring items of this user, one per name.

    Calls run one at a time, each in a daemon thread, so that one that hangs on a prompt blocks neither the
    event loop nor the exit of the program.
    """

    place = "Encrypted in your data folder; the key to it is in the system keyring."
    kind = KeyStoreKind.SYSTEM_KEYRING
    holds_items = True
    max_characters: int | None = 1280 if sys.platform == "win32" else None
    """Windows keeps at most 2560 bytes of UTF-16 in one item."""

    def __init__(self, *, timeout_seconds: float = TIMEOUT_SECONDS, backend: Backend | None = None) -> None:
        self._timeout = timeout_seconds
        self._backend = backend
        self._name = ""
        self._call_lock = asyncio.Lock()
        self._threads: list[threading.Thread] = []
        self._lock_check: threading.Thread | None = None
        self._pending_calls = 0

    @property
    def waiting(self) -> bool:
        """Whether a call hasn't returned yet: the keyring may be asking the user for the password."""
        return self._pending_calls > 0

    async def get(self, name: str) -> str | None:
        return await self._call(lambda backend: backend.get_password(SERVICE_NAME, name))

    async def set(self, name: str, value: str) -> None:
        await self._call(lambda backend: backend.set_password(SERVICE_NAME, name, value))

    async def delete(self, name: str) -> None:
        def remove(backend: Backend) -> None:
            if backend.get_password(SERVICE_NAME, name) is not None:
                backend.delete_password(SERVICE_NAME, name)

        await self._call(remove)

    async def is_locked(self) -> bool | None:
        """Whether it is locked, without a prompt; None if the keyring can't tell or doesn't respond."""
        if self._lock_check is not None and self._lock_check.is_alive():
            return None
        try:
            async with asyncio.timeout(STATE_TIMEOUT_SECONDS):
                self._lock_check, future = _on_own_thread(lambda: _is_locked(self._get_backend()))
                return await future
        except Exception as error:  # noqa: BLE001  backends raise anything
            log.debug("Couldn't check whether the keyring is locked: %s", type(error).__name__)
            return None

    async def state(self) -> str:
        """The status for `patchbay doctor`: which keyring works, or why none does."""
        try:
            await self.get("state-check")
        except SecretsUnavailable as problem:
            return problem.text()
        return f"{self._name} works"

    async def _call(self, work: Callable[[Backend], T]) -> T:
        """Run `work` with the backend after earlier calls. Raises `SecretsUnavailable`, also on timeout."""
        self._pending_calls += 1
        try:
            async with asyncio.timeout(self._timeout), self._call_lock:
                return await self._on_own_thread(lambda: work(self._get_backend()))
        except TimeoutError:
            raise _timed_out() from None
        except SecretsUnavailable:
            raise
        except Exception as error:
            raise _translate(error) from error
        finally:
            self._pending_calls -= 1

    def _on_own_thread(self, work: Callable[[], T]) -> "asyncio.Future[T]":
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if len(self._threads) >= MAX_HUNG_CALLS:
            raise _timed_out()
        thread, future = _on_own_thread(work)
        self._threads.append(thread)
        return future

    def _get_backend(self) -> Backend:
        if self._backend is None:
            import keyring

            chosen = choose_backend(keyring.get_keyring())
            module = type(chosen).__module__
            self._name = module.rpartition(".")[2]
            self._backend = _with_open_connection() if module == _SECRET_SERVICE else chosen
        return self._backend


def _with_open_connection() -> "SecretService":
    from patchbay.platform.secret_service import shared_secret_service

    return shared_secret_service()


def _is_locked(backend: Backend) -> bool | None:
    """Whether the keyring is locked. Only known for the Secret Service; other backends may show a prompt."""
    is_locked: Callable[[], bool] | None = getattr(backend, "is_locked", None)
    return None if is_locked is None else is_locked()


def choose_backend(backend: "KeyringBackend") -> "KeyringBackend":
    """The first allowed backend, looking inside a chainer. Raises `SecretsUnavailable` when there is none."""
    candidates: list[KeyringBackend] = list(getattr(backend, "backends", [])) or [backend]
    for candidate in candidates:
        if type(candidate).__module__.startswith(ALLOWED_BACKENDS):
            return candidate
    names = ", ".join(sorted({type(item).__module__ for item in candidates}))
    log.warning("No allowed keyring backend among %s", names)
    raise SecretsUnavailable(
        "There is no system keyring to store credentials in.",
        reason="no_keyring",
        todo="Install and start one (on Linux gnome-keyring or KeePassXC), or use a passphrase vault.",
    )


def _on_own_thread(work: Callable[[], T]) -> "tuple[threading.Thread, asyncio.Future[T]]":
    """Run `work` in a daemon thread; the future gets its result, unless it was cancelled."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: Any, error: Exception | None) -> None:
        if not future.done():
            future.set_exception(error) if error else future.set_result(result)

    def run() -> None:
        result, failure = None, None
        try:
            result = work()
        except Exception as error:  # noqa: BLE001  backends raise anything; the caller translates it
            failure = error
        try:
            loop.call_soon_threadsafe(settle, result, failure)
        except RuntimeError:
            log.debug("The event loop ended before the keyring responded")

    thread = threading.Thread(target=run, name="patchbay-keyring", daemon=True)
    thread.start()
    return thread, future


def _timed_out() -> SecretsUnavailable:
    if sys.platform == "darwin":
        return SecretsUnavailable(
            "The keychain didn't respond.",
            reason="timed_out",
            meaning="macOS may be asking, perhaps behind another window, whether Patchbay can use it.",
            todo="Enter your password there and click Always Allow, then try again.",
        )
    return SecretsUnavailable(
        "The system keyring didn't respond.",
        reason="timed_out",
        meaning="It may be waiting for its password in another window.",
        todo="Unlock the keyring, then try again.",
    )


def _translate(error: Exception) -> SecretsUnavailable:
    # A configured backend that isn't available raises a plain RuntimeError.
    if type(error).__name__ == "NoKeyringError" or type(error) is RuntimeError:
        return SecretsUnavailable(
            "There is no system keyring to store credentials in.",
            reason="no_keyring",
            todo="Install and start one, or use a passphrase vault.",
        )
    log.info("The keyring raised %s", type(error).__name__)
    is_locked = type(error).__name__ in _LOCKED_ERRORS
    return SecretsUnavailable(
        "The system keyring is locked." if is_locked else "The system keyring rejected the request.",
        reason="locked",
        meaning="" if is_locked else "It may be locked.",
        todo="Unlock the keyring, then try again.",
    )
