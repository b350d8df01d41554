"""What the window says about where secrets are stored."""

from patchbay.desktop.core.language import tr
from patchbay.domain.backend import WorkspaceInfo
from patchbay.domain.ports import KeyStoreKind

_STORED_IN: dict[str, str] = {
    KeyStoreKind.SYSTEM_KEYRING: tr("Secrets in system keyring"),
    KeyStoreKind.PASSPHRASE_VAULT: tr("Secrets in passphrase vault"),
    KeyStoreKind.DATA_KEY_FILE: tr("Secrets in data key file"),
    KeyStoreKind.MEMORY: tr("Secrets in memory"),
}
_PLACES: dict[str, str] = {
    KeyStoreKind.SYSTEM_KEYRING: tr("Encrypted in your data folder; the key to it is in the system keyring."),
    KeyStoreKind.PASSPHRASE_VAULT: tr(
        "Credentials are encrypted with your passphrase; the key is in a file that only you can read."
    ),
    KeyStoreKind.DATA_KEY_FILE: tr(
        "Credentials are encrypted in the database; their key is derived from the data key in a file."
    ),
    KeyStoreKind.MEMORY: tr("Credentials are kept in memory only and deleted when the demo closes."),
}


def stored_in_text(info: WorkspaceInfo) -> str:
    """The store in a few words; empty if it is unknown."""
    if not info.secrets_name:
        return place_text(info)
    return _STORED_IN.get(info.secrets_name) or tr("Secrets in {name}", name=info.secrets_name)


def place_text(info: WorkspaceInfo) -> str:
    """A sentence that says where the secrets of the workspace are; empty if that is unknown."""
    if info.kind == "remote" and info.secrets_kept:
        return tr("With the service.")
    return _PLACES.get(info.secrets_name, info.secrets_kept) if info.secrets_kept else ""


def waiting_text(info: WorkspaceInfo) -> str:
    """That the store asks for its password, in a window of its own."""
    if info.secrets_name == KeyStoreKind.SYSTEM_KEYRING:
        return tr("Waiting for the system keyring")
    return tr("Waiting for the {name}", "a store of secrets", name=info.secrets_name)
