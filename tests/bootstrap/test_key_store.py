"""The choice of a key store."""

import pytest

from patchbay.bootstrap.key_store import choose_key_store, settings_value
from patchbay.domain.errors import SecretsUnavailable
from patchbay.domain.ports import KeyStoreKind
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import Settings
from patchbay.service.key_stores import PassphraseKeyStore


@pytest.mark.parametrize("kind", [KeyStoreKind.SYSTEM_KEYRING, KeyStoreKind.PASSPHRASE_VAULT])
def test_the_setting_of_a_kind_chooses_that_kind(tmp_path, kind):
    settings = Settings()
    settings.secrets.home = settings_value(kind)

    assert choose_key_store(AppPaths.choose(tmp_path), settings).kind is kind


def test_only_the_system_keyring_can_hold_the_secrets_of_connections(tmp_path):
    paths = AppPaths.choose(tmp_path)

    assert choose_key_store(paths, Settings()).holds_items
    assert not choose_key_store(paths, Settings(), passphrase="correct horse").holds_items


async def test_a_chosen_vault_is_missing_until_it_is_created_and_then_locked(tmp_path):
    paths, settings = AppPaths.choose(tmp_path), Settings()
    settings.secrets.home = "passphrase"

    assert await _reason(paths, settings) == "not_created"
    await PassphraseKeyStore(paths.vault, "correct horse").create()
    assert await _reason(paths, settings) == "locked"


async def _reason(paths, settings):
    with pytest.raises(SecretsUnavailable) as raised:
        await choose_key_store(paths, settings).get("a")
    return raised.value.reason
