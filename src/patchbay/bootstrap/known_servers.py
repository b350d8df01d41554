"""The servers this user has connected to: network options, API keys, and caches."""

import asyncio
import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from patchbay.domain.errors import SecretsUnavailable, Unreachable, ValidationFailed
from patchbay.domain.ports import KeyStore
from patchbay.domain.remote_options import RemoteOptions, parse_remote_options
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Remote, SettingsFile

if TYPE_CHECKING:  # loaded only when a server is opened, so that the window starts sooner
    from patchbay.client.remote import RemoteBackend


@dataclass(frozen=True)
class RemoteWorkspace:
    """A server that is connected. `unsaved` says why its API key couldn't be saved, if it couldn't."""

    address: str
    options: RemoteOptions
    backend: "RemoteBackend"
    unsaved: SecretsUnavailable | None = None

    async def close(self) -> None:
        await self.backend.close()


@dataclass(frozen=True)
class Leftovers:
    """What couldn't be deleted of a server: why its API key is left, and the folder of its cached data."""

    key_problem: SecretsUnavailable | None = None
    cache: Path | None = None


class KnownServers:
    """Addresses and options are in the settings, secrets in the keyring, and responses in caches.

    Changes the settings, but leaves saving them to the caller.
    """

    def __init__(self, paths: AppPaths, settings: SettingsFile, keys: KeyStore) -> None:
        self._paths = paths
        self._settings = settings
        self._keys = keys

    def network(self) -> dict[str, RemoteOptions]:
        """Network options by server address, without passwords and without invalid ones."""
        found: dict[str, RemoteOptions] = {}
        for address, stored in self._settings.value.remotes.items():
            try:
                found[address] = _options(stored).model_copy(update={"proxy_password": None})
            except ValidationFailed:
                continue
        return found

    async def open(
        self,
        address: str,
        *,
        api_key: str | None = None,
        options: RemoteOptions | None = None,
        for_command: bool = False,
    ) -> "RemoteBackend":
        """Open the workspace at an address, with the saved options unless others are given.

        The cached responses are used while the server is offline, and the copy of its history for filters
        that it doesn't have. With `for_command`, every response comes from the server. Raises what
        `open_remote` raises.
        """
        await _load_client()
        from patchbay.bootstrap.remote import checked_address, open_remote
        from patchbay.storage.remote_cache import StoredRemoteCache, cache_path

        address = checked_address(address)
        chosen_options = await self._with_password(address, options or await self._stored_options(address))
        return await open_remote(
            address,
            self._keys,
            api_key=api_key,
            options=chosen_options,
            remote_cache=StoredRemoteCache(
                cache_path(self._paths.services, address), with_copies=not for_command
            ),
            resolve_ownership=not for_command,
        )

    async def opened(self, address: str, *, api_key: str | None = None) -> RemoteWorkspace:
        """Like `open`, with a `close` method."""
        return RemoteWorkspace(address, RemoteOptions(), await self.open(address, api_key=api_key))

    async def connect(
        self, address: str, api_key: str, options: RemoteOptions | None = None
    ) -> RemoteWorkspace:
        """Connect to a server with this API key (empty: the saved one) and options, and save the secrets.

        Raises what `open_remote` raises, and `Unreachable` for a known server that is offline.
        """
        await _load_client()
        from patchbay.bootstrap.remote import checked_address, store_api_key

        address = checked_address(address)
        chosen_options = await self._with_password(address, options or await self._stored_options(address))
        backend = await self.open(address, api_key=api_key or None, options=chosen_options)
        since = (await backend.info()).offline_since
        if since is not None:
            await backend.close()
            raise Unreachable(
                f"{address} can't be reached.", todo="Check the server and your network, then try again."
            )
        try:
            if api_key:
                await store_api_key(address, api_key, self._keys)
            if chosen_options.proxy_password is not None:
                await self._keys.set(password_name(address), chosen_options.proxy_password)
            elif address in self._settings.value.remotes:
                await self._keys.delete(password_name(address))
        except SecretsUnavailable as problem:
            return RemoteWorkspace(address, chosen_options, backend, problem)
        return RemoteWorkspace(address, chosen_options, backend)

    def add(self, connected: RemoteWorkspace) -> None:
        """Add a server and its options to the settings."""
        value, address = self._settings.value, connected.address
        if address not in value.services:
            value.services = [*value.services, address]
        before = value.remotes.get(address, Remote())
        chosen = connected.options.model_dump()
        value.remotes = {**value.remotes, address: before.model_copy(update=chosen)}

    async def delete_data(self, address: str) -> Leftovers:
        """Delete a server's API key, proxy password, and cache. Returns what couldn't be deleted."""
        await _load_client()
        from patchbay.bootstrap.remote import key_name
        from patchbay.storage.remote_cache import delete_cache

        key_problem = None
        try:
            await self._keys.delete(key_name(address))
            await self._keys.delete(password_name(address))
        except SecretsUnavailable as error:
            key_problem = error
        is_deleted = await asyncio.to_thread(delete_cache, self._paths.services, address)
        return Leftovers(key_problem, None if is_deleted else self._paths.services)

    def remove_from_settings(self, address: str) -> None:
        """Remove a server from the settings."""
        value = self._settings.value
        value.services = [known for known in value.services if known != address]
        value.remotes = {known: options for known, options in value.remotes.items() if known != address}
        if value.workspace == address:
            value.workspace = None

    async def _stored_options(self, address: str) -> RemoteOptions:
        """The options in the settings. Moves a password that was written there to the keyring."""
        stored = self._settings.value.remotes.get(address)
        if stored is None:
            return RemoteOptions()
        options = _options(stored)
        if options.proxy_password is not None:
            await self._keys.set(password_name(address), options.proxy_password)
            stored.proxy = options.proxy
            await asyncio.to_thread(self._settings.save)
        return options

    async def _with_password(self, address: str, options: RemoteOptions) -> RemoteOptions:
        """Add the proxy password from the keyring, if the proxy and its user name are the saved ones."""
        if options.proxy_password is not None or "@" not in options.proxy:
            return options
        stored = self._settings.value.remotes.get(address)
        if stored is None or stored.proxy != options.proxy:
            return options
        password = await self._keys.get(password_name(address))
        return options.model_copy(update={"proxy_password": password})


async def _load_client() -> None:
    """Import the client off the event loop, since that takes long."""
    await asyncio.to_thread(importlib.import_module, "patchbay.bootstrap.remote")


def password_name(address: str) -> str:
    """Name of the keyring item with the proxy password for a server."""
    return f"proxy-password:{address.rstrip('/')}"


def _options(stored: Remote) -> RemoteOptions:
    return parse_remote_options(stored.proxy, stored.ca_file, stored.pinned_sha256)
