"""Settings, Secrets: what it says and what it lets a person do."""

from dataclasses import replace
from typing import Any

import pytest
from tests.support.choosing import choose
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_vault import FakeVault

from patchbay.desktop.core.vault import VaultState
from patchbay.desktop.kit.vault_dialogs import UnlockVaultDialog
from patchbay.desktop.settings.secrets_page import SecretsPage
from patchbay.desktop.settings.view_models.secrets import LOCATION_LABELS, SecretsViewModel
from patchbay.domain.connections import SecretsStorage
from patchbay.domain.errors import SecretsUnavailable


@pytest.fixture
def backend():
    return FakeBackend(executions=0)


@pytest.fixture
def page(qtbot, tasks, backend):
    made = SecretsPage(SecretsViewModel(services(tasks, backend)))
    qtbot.addWidget(made)
    made.show()
    return made


def test_it_says_how_many_are_kept_and_where(qtbot, page):
    qtbot.waitUntil(lambda: "6 connections" in page.state.accessibleName())

    assert "system keyring" in page.state.accessibleName()
    assert page.create_vault.isHidden()
    assert page.discard.isHidden()


def test_choosing_the_other_home_moves_the_secrets(qtbot, page, backend):
    qtbot.waitUntil(lambda: page.field.isVisible())

    choose(qtbot, page.home, LOCATION_LABELS[SecretsStorage.ITEMS])

    qtbot.waitUntil(lambda: backend.secrets.home is SecretsStorage.ITEMS)


def test_a_move_that_fails_says_why_and_shows_where_they_still_are(qtbot, page, backend):
    qtbot.waitUntil(lambda: page.field.isVisible())
    backend.failing["move_secrets"] = SecretsUnavailable(
        "Too long.", reason="too_large", todo="Keep them sealed."
    )

    choose(qtbot, page.home, LOCATION_LABELS[SecretsStorage.ITEMS])

    qtbot.waitUntil(lambda: "Keep them sealed." in page.state.accessibleName())
    assert page.home.value() == SecretsStorage.SEALED


@pytest.mark.parametrize(
    ("reason", "vault", "button", "title"),
    [
        ("no_keyring", VaultState.MISSING, "Create passphrase vault…", "Credentials can't be stored yet"),
        ("locked", VaultState.LOCKED, "Unlock…", "The passphrase vault is locked"),
        ("locked", VaultState.LOCKED_ELSEWHERE, None, "The passphrase vault is locked"),
        ("locked", VaultState.OPTIONAL, "Use a passphrase instead…", "Credentials aren't available"),
        ("locked", VaultState.NOT_NEEDED, None, "Credentials aren't available"),
    ],
)
def test_creating_and_unlocking_the_vault_are_offered_by_their_names(
    qtbot, tasks, backend, reason, vault, button, title
):
    backend.secrets = backend.secrets.model_copy(update={"problem": "Why.", "reason": reason})
    page = SecretsPage(SecretsViewModel(replace(services(tasks, backend), vault=FakeVault(vault))))
    qtbot.addWidget(page)
    page.show()

    qtbot.waitUntil(lambda: page.state.accessibleName().startswith(title))

    offered = [
        each.text()
        for each in (page.create_vault, page.replace_keyring, page.unlock_vault)
        if each.isVisible()
    ]
    assert offered == ([button] if button else [])
    assert page.field.isHidden()


def test_after_unlocking_the_page_says_that_credentials_are_stored(qtbot, tasks, backend):
    stored = backend.secrets
    backend.secrets = stored.model_copy(update={"problem": "Locked.", "reason": "locked"})
    around = replace(services(tasks, backend), vault=FakeVault(VaultState.LOCKED))
    page = SecretsPage(SecretsViewModel(around))
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: page.unlock_vault.isVisible())
    page.unlock_vault.click()
    dialog = page.findChild(UnlockVaultDialog)
    backend.secrets = stored

    dialog.secret.set_text("correct horse")
    dialog.submit.click()

    qtbot.waitUntil(lambda: page.state.accessibleName().startswith("Credentials are stored securely"))
    assert page.unlock_vault.isHidden()


def test_asking_again_says_when_nothing_has_changed(qtbot, tasks, backend):
    backend.secrets = backend.secrets.model_copy(update={"problem": "No keyring.", "reason": "no_keyring"})
    around = services(tasks, backend)
    told: list[Any] = []
    around.notices.posted.connect(told.append)
    page = SecretsPage(SecretsViewModel(around))
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: page.again.isVisible())

    page.again.click()

    qtbot.waitUntil(lambda: bool(told))
    assert told[0].text == "Tried again, but nothing has changed. No keyring."
    qtbot.waitUntil(lambda: page.again.isVisible())


def test_lost_credentials_are_given_up_only_after_a_question(qtbot, tasks, backend):
    backend.secrets = backend.secrets.model_copy(update={"problem": "Key gone.", "reason": "key_not_found"})
    page = SecretsPage(SecretsViewModel(services(tasks, backend)))
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: page.discard.isVisible())

    page.discard.click()
    assert backend.secrets.lost
    page._model.discard_lost()

    qtbot.waitUntil(lambda: backend.secrets.problem is None)


def test_the_key_is_changed_after_a_question(qtbot, page, backend):
    qtbot.waitUntil(lambda: page.change_key.isVisible())

    page.change_key.click()
    assert not any(name == "change_secrets_key" for name, _ in backend.calls)
    page._model.change_key()

    qtbot.waitUntil(lambda: any(name == "change_secrets_key" for name, _ in backend.calls))
    qtbot.waitUntil(lambda: not page._model.busy)
