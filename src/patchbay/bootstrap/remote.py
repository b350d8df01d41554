"""One service elsewhere: its address, its API key in the keyring, and a connection to it."""

from patchbay.client.http_client import is_loopback_address
from patchbay.client.remote import RemoteBackend
from patchbay.client.service_client import normalize_address
from patchbay.domain.errors import AuthRequired, SecretsUnavailable, ValidationFailed
from patchbay.domain.ports import KeyStore
from patchbay.domain.remote_cache import RemoteCache
from patchbay.domain.remote_options import RemoteOptions


def key_name(address: str) -> str:
    """Under which name the keyring keeps the API key of a service."""
    return f"api-key:{address.rstrip('/')}"


def checked_address(address: str) -> str:
    """The base address in one form. Raises `ValidationFailed` for anything but https, or http to here."""
    text = address.strip().rstrip("/")
    if not text.lower().startswith(("http://", "https://")) or len(text.split("//", 1)[1]) == 0:
        raise ValidationFailed(
            {"address": ["begin with http:// or https://"]},
            happened=f"“{address}” is not the address of a service.",
        )
    base = normalize_address(text)
    if base.startswith("http://") and not is_loopback_address(base):
        raise ValidationFailed(
            {"address": ["begin with https://"]},
            happened=f"“{address}” is not encrypted, so its API key and your data could be read on the way.",
            meaning="Nothing was sent. Only a service on this computer can do without encryption.",
            todo="Use its https:// address, or a tunnel (such as ssh -L) to an address of this computer.",
        )
    return base


async def open_remote(
    address: str,
    keys: KeyStore,
    *,
    api_key: str | None = None,
    options: RemoteOptions | None = None,
    keeping: RemoteCache | None = None,
    resolve_ownership: bool = True,
) -> RemoteBackend:
    """Connect to a service. A key given here is checked first and then kept in the keyring.

    Raises `AuthRequired` when no key is known or the service refuses it, `SecretsUnavailable` when the
    keyring cannot be asked, `UntrustedCertificate`, `ValidationFailed` for a CA file that is none.
    """
    address = checked_address(address)
    known = api_key or await _stored_api_key(address, keys)
    if known is None:
        raise AuthRequired(
            f"No API key for {address} is known here.",
            todo="Add the service in the window, or give the key on standard input with --api-key-stdin.",
        )
    backend = RemoteBackend(
        address, known, options=options, keeping=keeping, resolve_ownership=resolve_ownership
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
            problem.happened, reason=problem.reason, meaning=f"The API key for {address} would be in it.",
            todo="Unlock or install it, or give the key on standard input with --api-key-stdin.",
        ) from problem  # fmt: skip


async def store_api_key(address: str, api_key: str, keys: KeyStore) -> None:
    """Keep a service's key in the keyring."""
    await keys.set(key_name(checked_address(address)), api_key)
