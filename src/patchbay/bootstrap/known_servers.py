"""The services elsewhere that are known here: how each is reached, what is kept of it, and forgetting it."""

import asyncio
import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from patchbay.domain.errors import SecretsUnavailable, Unreachable, ValidationFailed
from patchbay.domain.ports import KeyStore
from patchbay.domain.remote_cache import RemoteCache
from patchbay.domain.remote_options import RemoteOptions, parse_remote_options
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Remote, SettingsFile

if TYPE_CHECKING:  # the window is there before it is known whether a service is wanted
    from patchbay.client.remote import RemoteBackend


@dataclass(frozen=True)
class RemoteWorkspace:
    """A service that has just answered. `problem` says what could not be kept of it, if anything."""

    address: str
    options: RemoteOptions
    backend: "RemoteBackend"
    problem: str = ""

    async def close(self) -> None:
        await self.backend.close()


class KnownServers:
    """Addresses and options are in the settings, what is secret in the keyring, answers in the cache.

    The settings are changed here and saved by whoever holds them.
    """

    def __init__(self, paths: AppPaths, settings: SettingsFile, keys: KeyStore) -> None:
        self._paths, self._settings, self._keys = paths, settings, keys

    def network(self) -> dict[str, RemoteOptions]:
        """How each service is reached, without passwords. What cannot be understood is left out."""
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
        """The workspace at an address, in the way that is kept for it unless another is given.

        Its last answers stand in while it is silent, and the copy of its history for what it can't answer.
        With `for_command` every answer is the service's own, and nothing is read that commands don't show.
        Raises what `open_remote` raises.
        """
        await _load_client()
        from patchbay.bootstrap.remote import checked_address, open_remote

        address = checked_address(address)
        chosen_options = await self._with_password(address, options or await self._stored_options(address))
        return await open_remote(
            address, self._keys, api_key=api_key, options=chosen_options,
            keeping=self._memory(address, with_copies=not for_command), resolve_ownership=not for_command,
        )  # fmt: skip

    async def opened(self, address: str, *, api_key: str | None = None) -> RemoteWorkspace:
        """As `open`, with how to let go of it."""
        return RemoteWorkspace(address, RemoteOptions(), await self.open(address, api_key=api_key))

    async def connect(
        self, address: str, api_key: str, options: RemoteOptions | None = None
    ) -> RemoteWorkspace:
        """Try a service with this key (empty: the one that is kept) and these options; keep what is secret.

        Raises what `open_remote` raises, also `Unreachable` for a service that is known and silent now.
        """
        await _load_client()
        from patchbay.bootstrap.remote import checked_address

        address = checked_address(address)
        chosen_options = await self._with_password(address, options or await self._stored_options(address))
        backend = await self.open(address, api_key=api_key or None, options=chosen_options)
        since = (await backend.info()).offline_since
        if since is not None:
            await backend.close()
            raise Unreachable(f"{address} cannot be reached.", todo="Try again once the service answers.")
        try:
            await self._store_secrets(address, api_key, chosen_options)
        except SecretsUnavailable as problem:
            words = (
                f"The API key works until Patchbay closes, but it couldn't be saved. {problem.happened} "
                "Once the keyring works, enter the key again under Service settings."
            )
            return RemoteWorkspace(address, chosen_options, backend, words)
        return RemoteWorkspace(address, chosen_options, backend)

    def add(self, connected: RemoteWorkspace) -> None:
        """Put a service and the way to it into the settings."""
        value, address = self._settings.value, connected.address
        if address not in value.services:
            value.services = [*value.services, address]
        before = value.remotes.get(address, Remote())
        chosen = connected.options.model_dump()
        value.remotes = {**value.remotes, address: before.model_copy(update=chosen)}

    async def forget(self, address: str) -> str:
        """Delete key, password and what is kept. Returns what could not be deleted, in words, or nothing."""
        await _load_client()
        from patchbay.bootstrap.remote import key_name
        from patchbay.storage.remote_cache import forget

        problem = ""
        try:
            await self._keys.delete(key_name(address))
            await self._keys.delete(password_name(address))
        except SecretsUnavailable as refused:
            problem = f"The key of {address} is still in the keyring. {refused.text()}"
        if not await asyncio.to_thread(forget, self._paths.services, address):
            problem += f" What was kept of {address} is still in {self._paths.services}."
        return problem.strip()

    def remove_from_settings(self, address: str) -> None:
        """Take a service out of the settings."""
        value = self._settings.value
        value.services = [known for known in value.services if known != address]
        value.remotes = {
            known: chosen_options for known, chosen_options in value.remotes.items() if known != address
        }
        if value.workspace == address:
            value.workspace = None

    async def _stored_options(self, address: str) -> RemoteOptions:
        """The options in the settings. A password somebody wrote there is moved to the keyring."""
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
        """With the proxy's password out of the keyring, when it is the same proxy and the same name there."""
        if options.proxy_password is not None or "@" not in options.proxy:
            return options
        stored = self._settings.value.remotes.get(address)
        if stored is None or stored.proxy != options.proxy:
            return options
        password = await self._keys.get(password_name(address))
        return options.model_copy(update={"proxy_password": password})

    async def _store_secrets(self, address: str, api_key: str, options: RemoteOptions) -> None:
        from patchbay.bootstrap.remote import store_api_key

        if api_key:
            await store_api_key(address, api_key, self._keys)
        if options.proxy_password is not None:
            await self._keys.set(password_name(address), options.proxy_password)
        elif address in self._settings.value.remotes:
            await self._keys.delete(password_name(address))

    def _memory(self, address: str, *, with_copies: bool) -> RemoteCache:
        from patchbay.storage.remote_cache import StoredRemoteCache, cache_path

        return StoredRemoteCache(cache_path(self._paths.services, address), with_copies=with_copies)


async def _load_client() -> None:
    """Bring in the client, off the loop."""
    await asyncio.to_thread(importlib.import_module, "patchbay.bootstrap.remote")


def password_name(address: str) -> str:
    """Under which name the keyring keeps the password of the proxy before a service."""
    return f"proxy-password:{address.rstrip('/')}"


def _options(stored: Remote) -> RemoteOptions:
    return parse_remote_options(stored.proxy, stored.ca_file, stored.pinned_sha256)
