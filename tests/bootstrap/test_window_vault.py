"""The passphrase vault in the window over a real folder: created, locked after a restart, and unlocked."""

import pytest
from tests.support.forms import long_form
from tests.support.processes import Service
from tests.support.window import open_window

from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.core.vault import VaultState
from patchbay.desktop.kit.vault_dialogs import CreateVaultDialog, UnlockVaultDialog
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile

PASSPHRASE = "correct horse battery staple"


@pytest.fixture
def data(tmp_path):
    """A folder whose settings choose a vault that doesn't exist yet."""
    folder = tmp_path / "data"
    paths = AppPaths.choose(folder)
    paths.prepare()
    settings = SettingsFile(paths.settings)
    settings.value.secrets.home = "passphrase"
    settings.save()
    return folder


def secrets_page(window):
    return window.desk.window.open_settings("Secrets").page("Secrets")


def dialog(window, kind):
    """The visible dialog of this kind, once it is there."""
    return window.wait(
        lambda: next((each for each in window.desk.window.findChildren(kind) if each.isVisible()), None)
    )


def create_vault(window):
    page = secrets_page(window)
    window.wait(page.create_vault.isVisible)
    assert page.state.accessibleName().startswith("Credentials can't be stored yet")
    page.create_vault.click()
    form = dialog(window, CreateVaultDialog)
    form.secret.set_text(PASSPHRASE)
    form.repeated_secret.set_text(PASSPHRASE)
    form.submit.click()
    window.wait(lambda: page.state.accessibleName().startswith("Credentials are stored securely"))
    return page


@long_form
def test_creating_the_vault_keeps_the_tab_and_writes_its_file(qtbot, data):
    with open_window(qtbot, data, "local") as window:
        window.tab(Tab.MY_APPS)

        page = create_vault(window)

        assert (data / "vault.json").exists()
        assert page.create_vault.isHidden()
        assert page.unlock_vault.isHidden()
        assert window.desk.window.area.tab is Tab.MY_APPS
        window.wait(lambda: window.desk.window.area.status.secrets.words() == "Secrets in passphrase vault")


def test_after_a_restart_the_window_asks_and_a_wrong_passphrase_is_refused(qtbot, data):
    with open_window(qtbot, data, "local") as window:
        create_vault(window)
    with open_window(qtbot, data, "local") as window:
        form = dialog(window, UnlockVaultDialog)
        area = window.desk.window.area
        assert area.vault_bar.isVisible()

        form.secret.set_text("something else")
        form.submit.click()
        window.wait(lambda: form.passphrase.error == "This passphrase is wrong. Try again.")
        assert area.vault.state is VaultState.LOCKED

        form.secret.set_text(PASSPHRASE)
        form.submit.click()

        window.wait(area.vault_bar.isHidden)
        window.wait(lambda: area.status.secrets.words() == "Secrets in passphrase vault")


@long_form
def test_a_window_beside_a_server_with_a_locked_vault_says_what_to_restart(qtbot, data):
    with open_window(qtbot, data, "local") as window:
        create_vault(window)
    with Service(data) as service:
        with open_window(qtbot, data, "local") as window:
            page = secrets_page(window)

            window.wait(lambda: "--passphrase-file" in page.state.accessibleName())

            assert page.state.accessibleName().startswith("The passphrase vault is locked")
            assert page.unlock_vault.isHidden()
            assert page.create_vault.isHidden()
            assert window.desk.window.area.vault_bar.isHidden()
        service.process.stop(quiet=False)
