"""Closing the window while a flow is published: it asks once, then runs in the background."""

import re
import shlex
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.support import flow_files as files
from tests.support.forms import long_form
from tests.support.processes import Process, program, run, until
from tests.window.driver import PatchbayWindow, needs_a_desktop
from tests.window.tray_host import TrayHost, tray_host
from tests.window.workspaces import passphrase_file

pytestmark = [needs_a_desktop, pytest.mark.timeout(300)]

QUESTION = "Keep flows running in the background?"


@pytest.fixture
def tray(display: dict[str, str]) -> Iterator[TrayHost]:
    with tray_host(display["DBUS_SESSION_BUS_ADDRESS"]) as host:
        yield host


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with a published flow."""
    folder = tmp_path / "data"
    vault = passphrase_file(tmp_path / "passphrase")
    file = files.write(
        tmp_path / "flow.json", files.flow("Nightly", files.every_night(), files.trimmed(" x "))
    )
    imported = run(program("--passphrase-file", vault, "flow", "import", file, "--publish", data=folder))
    assert imported.code == 0, imported.err
    return folder


def _open(display: dict[str, str], data: Path, *words: str) -> PatchbayWindow:
    vault = ("--passphrase-file", str(data.with_name("passphrase")))
    return PatchbayWindow(display, data, *vault, "--workspace", "local", *words)


def test_flows_keep_running_in_the_background_until_quit_in_the_tray(
    display: dict[str, str], data: Path, tray: TrayHost
) -> None:
    with closing(_open(display, data)) as window:
        window.see("push button", "Engine running")
        window.press("ctrl+w")
        window.click(window.see_at_rest("push button", "Keep running", within=QUESTION))

        icon = tray.icon()
        until(lambda: not window.all("push button"))
        assert "Engine running" in tray.title(icon)
        assert window.exit_code is None
        tray.choose(icon, "Pause all runs")
        tray.choose(icon, "Resume all runs")

        tray.click(icon)
        window.see("push button", "Engine running")
        window.press("ctrl+w")
        icon = tray.icon()
        tray.choose(icon, "Quit")

        assert until(lambda: window.exit_code is not None)
        assert window.exit_code == 0
        assert window.complaints == []


@long_form
def test_a_second_start_brings_the_window_back_and_opens_the_file(
    display: dict[str, str], data: Path, tmp_path: Path
) -> None:
    flow = files.write(tmp_path / "more.json", files.flow("Weekly", files.every_night(), files.trimmed("y")))
    environment = {**display, "PATCHBAY_DATA_DIR": str(data)}
    with closing(_open(display, data)) as window:
        window.see("push button", "Engine running")
        window.press("ctrl+w")
        assert window.see_at_rest("label", re.compile("This desktop has no system tray.*"), within=QUESTION)
        window.click(window.see("push button", "Keep running", within=QUESTION))
        until(lambda: not window.all("push button"))

        again = run(program(flow), env=environment)

        assert (again.code, again.err) == (0, "")
        window.see("push button", "Import", within="Import flow")
        window.see("label", "Weekly", within="Import flow")
        assert not [node for node in window.all("list item") if node.name.startswith("Weekly")]
        window.press("Escape")
        window.press("ctrl+q")
        until(lambda: window.exit_code is not None)
        assert (window.exit_code, window.complaints) == (0, [])


@long_form
def test_a_hidden_start_shows_its_window_when_the_program_is_started_again(
    display: dict[str, str], data: Path, tray: TrayHost
) -> None:
    vault = data.with_name("passphrase")
    environment = {**display, "PATCHBAY_DATA_DIR": str(data)}
    hidden = Process(program("--passphrase-file", vault, "--background"), data.with_name("said"), environment)
    try:
        icon = tray.icon()
        until(lambda: "Engine running" in tray.title(icon))

        assert run(program(), env=environment).code == 0
        until(lambda: not tray.has_icon(icon))
        hidden.stop()
    finally:
        hidden.kill()


@long_form
def test_the_switch_in_the_settings_adds_an_entry_that_starts_the_program_hidden(
    display: dict[str, str], data: Path, tray: TrayHost
) -> None:
    autostart = Path(display["HOME"]) / ".config" / "autostart"
    with closing(_open(display, data)) as window:
        window.press("ctrl+comma")
        window.click(window.see_at_rest("check box", "Start at login"))
        [entry] = until(lambda: list(autostart.glob("patchbay-*.desktop")))
        window.press("Escape")
        window.press("ctrl+q")
        until(lambda: window.exit_code is not None)
    [line] = [line for line in entry.read_text("utf-8").splitlines() if line.startswith("Exec=")]

    words = [*shlex.split(line.removeprefix("Exec=")), "--passphrase-file", str(data.with_name("passphrase"))]
    hidden = Process(words, data.with_name("said"), display, fresh=True)
    try:
        icon = tray.icon()
        until(lambda: "Engine running" in tray.title(icon))
        hidden.stop()
    finally:
        hidden.kill()
        entry.unlink()
