"""Settings → Data: backups on a schedule, restoring one, and the check of the database."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support.processes import program, run, until
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.workspaces import passphrase_file

pytestmark = [needs_a_desktop, pytest.mark.timeout(300), pytest.mark.acceptance]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return passphrase_file(tmp_path / "passphrase")


def _import(data: Path, vault: Path, name: str) -> None:
    flow = files.flow(name, files.every_night(), files.trimmed(" x "))
    file = files.write(data.with_name(f"{name}.json"), flow)
    assert run(program("--passphrase-file", vault, "flow", "import", file, data=data)).code == 0


def _open(display: dict[str, str], data: Path, vault: Path) -> PatchbayWindow:
    return PatchbayWindow(display, data, "--passphrase-file", str(vault), "--workspace", "local")


def test_a_backup_is_checked_and_restored_by_keys_alone(
    display: dict[str, str], tmp_path: Path, vault: Path
) -> None:
    data, backup = tmp_path / "data", tmp_path / "all.patchbay"
    _import(data, vault, "Orders")
    made = run(program("--passphrase-file", vault, "backup", backup, data=data))
    assert made.code == 0, made.err
    _import(data, vault, "Later")
    with closing(_open(display, data, vault)) as window:
        window.see("list item", re.compile("Later.*"))
        window.press("ctrl+k")
        window.type("restore a backup")
        window.press("Return")
        window.see_at_rest("push button", "Check backup", within="Restore a backup")
        window.type(str(backup))
        window.press("Tab", "Tab")
        window.type(vault.read_text("utf-8").strip())
        window.press("Return")

        window.see("label", re.compile("Contents: 1 flow, .*"))
        window.see_at_rest("push button", "Restore", within="Restore a backup")
        window.press("Tab", "space")

        window.wait(
            lambda tree: next(
                (node for node in tree.walk() if node.name.startswith("The backup was restored")), None
            ),
            "notice",
        )
        window.see("list item", re.compile("Orders.*"))
        assert not [node for node in window.all("list item") if node.name.startswith("Later")]
        assert window.complaints == []


def test_a_schedule_makes_a_backup_and_the_database_is_checked(
    display: dict[str, str], tmp_path: Path, vault: Path
) -> None:
    data, backups = tmp_path / "data", tmp_path / "backups"
    _import(data, vault, "Orders")
    (data / "settings.toml").write_text(
        f'[backups]\nevery = "day"\nfolder = "{backups}"\npassphrase_file = "{vault}"\n', "utf-8"
    )
    with closing(_open(display, data, vault)) as window:
        window.see("list item", re.compile("Orders.*"))
        [made] = until(lambda: [file for file in backups.glob("*.patchbay") if file.stat().st_size])

        window.press("ctrl+comma")
        window.press("ctrl+f")
        window.type("integrity")
        window.press("Return")
        window.see("label", re.compile("Last backup: .* 1 backup in total."))
        window.see_at_rest("push button", "Check database")
        window.press("space")
        window.see("label", "The database is intact")
        assert window.complaints == []
    assert run(program("--passphrase-file", vault, "doctor", data=data)).code == 0
    assert made.name.startswith("patchbay-")
