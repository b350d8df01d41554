"""Notifications: what happened while nothing could show it, and the choices in menu and settings."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support.processes import program, run, until
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.workspaces import passphrase_file

pytestmark = [needs_a_desktop, pytest.mark.timeout(300), pytest.mark.acceptance]

NOBODY_LISTENS = "http://127.0.0.1:9/orders"
QUESTION = "Keep flows running in the background?"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with a published flow that fails."""
    folder = tmp_path / "data"
    vault = passphrase_file(tmp_path / "passphrase")
    flow = files.flow("Orders", files.every_night(), files.request("POST", NOBODY_LISTENS, "{}"))
    file = files.write(tmp_path / "flow.json", flow)
    imported = run(program("--passphrase-file", vault, "flow", "import", file, "--publish", data=folder))
    assert imported.code == 0, imported.err
    return folder


def _open(display: dict[str, str], data: Path) -> PatchbayWindow:
    vault = ("--passphrase-file", str(data.with_name("passphrase")))
    return PatchbayWindow(display, data, *vault, "--workspace", "local")


def test_a_failure_without_tray_and_notifications_is_shown_when_the_window_returns(
    display: dict[str, str], data: Path
) -> None:
    environment = {**display, "PATCHBAY_DATA_DIR": str(data)}
    failed = re.compile("“Orders” failed.*")
    with closing(_open(display, data)) as window:
        window.see("push button", "Engine running")
        window.press("ctrl+w")
        window.click(window.see_at_rest("push button", "Keep running", within=QUESTION))
        until(lambda: not window.all("push button"))
        assert run(program("flow", "run", "Orders"), env=environment).code != 0
        badge = program("execution", "list", "--status", "failure")
        until(lambda: "Orders" in run(badge, env=environment).out)

        assert run(program(), env=environment).code == 0

        window.see("push button", "Show")
        assert [node for node in window.all("label") if failed.fullmatch(node.name)]
        window.press("ctrl+q")
        until(lambda: window.exit_code is not None)
        assert (window.exit_code, window.complaints) == (0, [])


def test_the_choice_in_the_menu_of_a_flow_is_in_the_settings(display: dict[str, str], data: Path) -> None:
    with closing(_open(display, data)) as window:
        window.click(window.see_at_rest("list item", re.compile("Orders.*")))
        window.press("Menu")
        window.see_at_rest("menu item", "Notifications")
        window.press("Down", "Down", "Down", "Down", "Right", "Down", "Down", "Down", "Return")
        until(lambda: "never" in (data / "settings.toml").read_text("utf-8"))

        window.press("ctrl+comma")
        window.click(window.see_at_rest("list item", "Notifications", within="Settings"))

        window.see("combo box", "When “Orders” fails")
        assert window.complaints == []


def test_the_search_of_the_settings_leads_to_the_control_by_keys_alone(
    display: dict[str, str], data: Path
) -> None:
    with closing(_open(display, data)) as window:
        window.see("push button", "Engine running")
        window.press("ctrl+comma")
        window.see_at_rest("list item", "General", within="Settings")
        window.press("ctrl+f")
        window.type("do not disturb")
        window.press("Return")

        window.see_at_rest("check box", "Quiet hours")
        window.press("space")

        until(lambda: "quiet_hours = true" in (data / "settings.toml").read_text("utf-8"))
        assert window.complaints == []
