"""The Secret Service (gnome-keyring, KeePassXC, KWallet) over one connection that stays open.

keyring's own backend opens a connection and a session for every call. gnome-keyring 42 can abort while a new
connection registers, so each call was a risk for the keyring of the whole desktop session.
"""

import logging
import threading
from collections.abc import Callable
from functools import cache
from typing import TypeVar

import secretstorage
from keyring.backends.SecretService import Keyring
from keyring.errors import KeyringLocked
from secretstorage.collection import DEFAULT_COLLECTION
from secretstorage.exceptions import ItemNotFoundException, PromptDismissedException
from secretstorage.util import open_session

_log = logging.getLogger("keyring")

T = TypeVar("T")
Lockable = TypeVar("Lockable", secretstorage.Collection, secretstorage.Item)

_REFUSED = (KeyringLocked, PromptDismissedException)
"""The user's decision. Other errors may mean that the connection broke, or that the keyring restarted."""


class SecretService:
    """The items of keyring's Secret Service backend, with the same attributes.

    Calls can overlap, because one may wait for a prompt: each uses a connection of its own, and the first one
    that is free afterwards stays open.
    """

    def __init__(self) -> None:
        self._keyring = Keyring()  # type: ignore[no-untyped-call]
        self._lock = threading.Lock()
        self._free: secretstorage.Collection | None = None

    def get_password(self, service: str, name: str) -> str | None:
        """The value of an item, which is unlocked if necessary; None if there is none."""

        def read(collection: secretstorage.Collection) -> str | None:
            for item in _unlocked(collection).search_items(self._keyring._query(service, name)):
                return _unlocked(item).get_secret().decode()
            return None

        return self._call(read)

    def set_password(self, service: str, name: str, value: str) -> None:
        """Create or replace an item."""
        attributes = self._keyring._query(service, name, application=self._keyring.appid)
        label = f"Password for '{name}' on '{service}'"

        def write(collection: secretstorage.Collection) -> None:
            _unlocked(collection).create_item(label, attributes, value.encode(), replace=True)

        self._call(write)

    def delete_password(self, service: str, name: str) -> None:
        """Delete an item, if there is one."""

        def remove(collection: secretstorage.Collection) -> None:
            for item in _unlocked(collection).search_items(self._keyring._query(service, name)):
                item.delete()
                return

        self._call(remove)

    def is_locked(self) -> bool:
        """Whether the keyring is locked, or is yet to be created with a password; without a prompt."""
        try:
            return self._call(lambda collection: collection.is_locked(), can_prompt=False)
        except ItemNotFoundException:
            return True

    def _call(self, work: Callable[[secretstorage.Collection], T], *, can_prompt: bool = True) -> T:
        """The result of `work`, which is repeated on a new connection if it fails on an open one."""
        with self._lock:
            kept, self._free = self._free, None
        if kept is not None:
            try:
                return self._run(kept, work)
            except _REFUSED:
                raise
            except Exception as error:  # noqa: BLE001  a broken connection raises anything
                _log.debug("Opening the connection to the keyring again: %s", type(error).__name__)
        return self._run(self._open(can_prompt=can_prompt), work)

    def _run(self, collection: secretstorage.Collection, work: Callable[[secretstorage.Collection], T]) -> T:
        try:
            result = work(collection)
        except BaseException:
            collection.connection.close()
            raise
        with self._lock:
            spare, self._free = self._free, collection
        if spare is not None:
            spare.connection.close()
        return result

    def _open(self, *, can_prompt: bool) -> secretstorage.Collection:
        """The user's keyring. Without one, it's created if `can_prompt`, since that asks for its password."""
        connection = secretstorage.dbus_init()
        try:
            session = open_session(connection)
            path = getattr(self._keyring, "preferred_collection", DEFAULT_COLLECTION)
            try:
                return secretstorage.Collection(connection, path, session)
            except ItemNotFoundException:
                if not can_prompt or path != DEFAULT_COLLECTION:
                    raise
                return secretstorage.create_collection(connection, "Default", "default", session)
        except BaseException:
            connection.close()
            raise


@cache
def shared_secret_service() -> SecretService:
    """The one of this process."""
    return SecretService()


def _unlocked(locked: Lockable) -> Lockable:
    """The keyring or item, after asking the user to unlock it. Raises `KeyringLocked` if they don't."""
    if locked.is_locked():
        locked.unlock()
        if locked.is_locked():
            raise KeyringLocked("The user didn't unlock the keyring.")
    return locked
