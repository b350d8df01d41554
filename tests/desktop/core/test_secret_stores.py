"""What the window says about where secrets are stored."""

import pytest

from patchbay.desktop.core.secret_stores import place_text, stored_in_text, waiting_text
from patchbay.domain.backend import WorkspaceInfo
from patchbay.domain.ports import KeyStoreKind
from patchbay.platform.system_keyring import SystemKeyring
from patchbay.service.data_key_store import DataKeyStore
from patchbay.service.key_stores import MemoryKeyStore, PassphraseKeyStore


def info_of(name: str, kept: str, kind: str = "local") -> WorkspaceInfo:
    return WorkspaceInfo.model_validate(
        {"kind": kind, "name": "This computer", "secretsName": name, "secretsKept": kept}
    )


@pytest.mark.parametrize(
    ("kind", "store"),
    [
        (KeyStoreKind.SYSTEM_KEYRING, SystemKeyring),
        (KeyStoreKind.PASSPHRASE_VAULT, PassphraseKeyStore),
        (KeyStoreKind.DATA_KEY_FILE, DataKeyStore),
        (KeyStoreKind.MEMORY, MemoryKeyStore),
    ],
)
def test_the_window_says_the_same_as_the_store(kind, store):
    """In English; other languages translate the window's own sentence."""
    info = info_of(kind, store.place)

    assert place_text(info) == store.place
    assert stored_in_text(info) == f"Secrets in {kind}"
    assert waiting_text(info) == f"Waiting for the {kind}"


def test_an_unknown_store_is_named_as_it_names_itself():
    assert stored_in_text(info_of("a safe", "")) == "Secrets in a safe"
    assert place_text(info_of("a safe", "In a safe.")) == "In a safe."
    assert place_text(info_of("a safe", "")) == ""


def test_a_server_keeps_its_secrets_itself():
    assert stored_in_text(info_of("", "With the service.", "remote")) == "With the service."
