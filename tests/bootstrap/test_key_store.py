"""The choice of a key store."""

import pytest

from patchbay.bootstrap.key_store import choose_key_store, read_passphrase, settings_value
from patchbay.domain.errors import SecretsUnavailable, ValidationFailed
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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le with mark"])
def test_a_passphrase_is_read_as_editors_of_windows_write_it(tmp_path, encoding):
    file = tmp_path / "passphrase.txt"
    codec, _, mark = encoding.partition(" with ")
    file.write_bytes((("\ufeff" if mark else "") + "größer\r\n").encode(codec))
    file.chmod(0o600)

    assert read_passphrase(file) == "größer"


def test_a_passphrase_file_that_is_no_text_is_reported(tmp_path):
    file = tmp_path / "passphrase.bin"
    file.write_bytes(b"\xff\x00\xfe")
    file.chmod(0o600)

    with pytest.raises(ValidationFailed, match="isn't a text file"):
        read_passphrase(file)


async def _reason(paths, settings):
    with pytest.raises(SecretsUnavailable) as raised:
        await choose_key_store(paths, settings).get("a")
    return raised.value.reason
