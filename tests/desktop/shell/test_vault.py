"""A locked passphrase vault: the window asks once at the start, and a bar says that connections wait."""

from dataclasses import replace

import pytest
from tests.support.desktop import services
from tests.support.fake_backend import FakeBackend
from tests.support.fake_vault import FakeVault
from tests.support.shell import stub_tabs

from patchbay.desktop.core.vault import VaultState
from patchbay.desktop.kit.vault_dialogs import UnlockVaultDialog
from patchbay.desktop.settings.window_options import ShellOptions
from patchbay.desktop.shell.work_area import WorkArea
from patchbay.domain.changes import ResourceType


@pytest.fixture
def backend():
    return FakeBackend()


@pytest.fixture
def vault():
    return FakeVault(VaultState.LOCKED)


@pytest.fixture
def area(qtbot, tasks, backend, vault):
    made = WorkArea(
        replace(services(tasks, backend), vault=vault), stub_tabs(), ShellOptions(workspace="local")
    )
    made.resize(1280, 800)
    qtbot.addWidget(made)
    made.show()
    return made


def asked(area):
    return [dialog for dialog in area.findChildren(UnlockVaultDialog) if dialog.isVisible()]


def test_the_window_asks_once_and_after_cancelling_the_bar_has_a_button(qtbot, area, backend, loop_thread):
    qtbot.waitUntil(lambda: len(asked(area)) == 1)
    asked(area)[0].cancel.click()
    with qtbot.waitSignal(area.vault.changed):
        loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.WORKSPACE)

    assert asked(area) == []
    assert area.vault_bar.words.text().startswith("Connections wait until you unlock")

    area.vault_bar.unlock.click()

    assert len(asked(area)) == 1


def test_unlocking_hides_the_bar(qtbot, area, backend, loop_thread):
    qtbot.waitUntil(lambda: bool(asked(area)))
    assert area.vault_bar.isVisible()

    asked(area)[0].secret.set_text("correct horse")
    asked(area)[0].submit.click()
    qtbot.waitUntil(lambda: not asked(area))
    loop_thread.loop.call_soon_threadsafe(backend.announce, ResourceType.WORKSPACE)

    qtbot.waitUntil(area.vault_bar.isHidden)


@pytest.mark.parametrize("state", [VaultState.MISSING, VaultState.UNLOCKED, VaultState.NOT_NEEDED])
def test_nothing_is_asked_while_the_vault_is_not_locked(qtbot, area, vault, state):
    qtbot.waitUntil(lambda: bool(asked(area)))
    asked(area)[0].cancel.click()
    vault.now = state

    with qtbot.waitSignal(area.vault.changed):
        area.vault.refresh()

    assert asked(area) == []
    assert area.vault_bar.isHidden()
