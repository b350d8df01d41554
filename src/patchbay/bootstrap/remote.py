"""Connects to a server, with its API key from the keyring."""

from patchbay.client.http_client import is_loopback_address
from patchbay.client.remote import RemoteBackend
from patchbay.client.service_client import normalize_address
from patchbay.domain.errors import AuthRequired, SecretsUnavailable, ValidationFailed
from patchbay.domain.ports import KeyStore
from patchbay.domain.remote_cache import RemoteCache
from patchbay.domain.remote_options import RemoteOptions


def key_name(address: str) -> str:
    """Name of the keyring item with the API key for a server."""
    return f"api-key:{address.rstrip('/')}"


def checked_address(address: str) -> str:
    """The normalised base address. Raises `ValidationFailed` unless it is https, or http to this computer."""
    text = address.strip().rstrip("/")
    if not text.lower().startswith(("http://", "https://")) or len(text.split("//", 1)[1]) == 0:
        raise ValidationFailed(
            {"address": ["Start with http:// or https://."]},
            happened=f"“{address}” isn't a server address (URL).",
        )
    base = normalize_address(text)
    if base.startswith("http://") and not is_loopback_address(base):
        raise ValidationFailed(
            {"address": ["Start with https://."]},
            happened=f"“{address}” isn't encrypted, so others could read the API key and your data.",
            meaning="Nothing was sent. HTTP is allowed only for a server on this computer.",
            todo="Use the server's https:// address, or a tunnel (such as ssh -L).",
        )
    return base


async def open_remote(
    address: str,
    keys: KeyStore,
    *,
    api_key: str | None = None,
    options: RemoteOptions | None = None,
    remote_cache: RemoteCache | None = None,
    resolve_ownership: bool = True,
) -> RemoteBackend:
    """Connect to a server, with the given API key or the one in the keyring.

    Raises `AuthRequired` if there is no key or the server rejects it, `SecretsUnavailable` if the keyring
    can't be used, `UntrustedCertificate`, or `ValidationFailed` for an invalid CA file.
    """
    address = checked_address(address)
    known = api_key or await _stored_api_key(address, keys)
    if known is None:
        raise AuthRequired(
            f"There is no API key for {address}.",
            todo="Add the server in the window, or pass the key on standard input with --api-key-stdin.",
        )
    backend = RemoteBackend(
        address, known, options=options, remote_cache=remote_cache, resolve_ownership=resolve_ownership
    )
    try:
        await backend.open()
    except BaseException:
        await backend.close()
        raise
    return backend


async def _stored_api_key(address: str, keys: KeyStore) -> str | None:
    try:
        return await keys.get(key_name(address))
    except SecretsUnavailable as problem:
        raise SecretsUnavailable(
            problem.happened,
            reason=problem.reason,
            meaning=f"The API key for {address} is stored in it.",
            todo="Unlock or install it, or pass the key on standard input with --api-key-stdin.",
        ) from problem


async def store_api_key(address: str, api_key: str, keys: KeyStore) -> None:
    """Save the API key for a server in the keyring."""
    await keys.set(key_name(checked_address(address)), api_key)
