"""Start at login: the entry of each system, in a temporary home."""

import plistlib
import shlex
import sys
from dataclasses import replace

import pytest

from patchbay.domain.errors import StorageFault
from patchbay.platform.login_item import (
    LaunchAgent,
    RunKeyItem,
    XdgAutostart,
    background_command,
    entry_name,
    login_item,
    new_window_command,
)
from patchbay.platform.paths import AppPaths

COMMAND = (
    "/opt/my python/bin/python3",
    "-m",
    "patchbay",
    "--data-dir",
    '/data/ada/50% "$HOME"',
    "--background",
)


class Values:
    """The values of a registry key, in memory."""

    def __init__(self, *, readable: bool = True) -> None:
        self.by_name: dict[str, str] = {}
        self.readable = readable

    def get(self, name):
        if not self.readable:
            raise PermissionError(5, "Access is denied")
        return self.by_name.get(name)

    def set(self, name, command):
        if not self.readable:
            raise PermissionError(5, "Access is denied")
        self.by_name[name] = command

    def delete(self, name):
        self.by_name.pop(name, None)


def _arguments(line: str) -> list[str]:
    """The arguments that a desktop starts, by the specification of desktop entries."""
    text = line.removeprefix("Exec=").replace("\\\\", "\\").replace("\\$", "$")
    return [argument.replace("%%", "%") for argument in shlex.split(text)]


def test_an_autostart_entry_starts_exactly_this_command(tmp_path):
    item = XdgAutostart(tmp_path / "config" / "autostart", "patchbay", COMMAND)
    assert not item.is_enabled()

    item.set_enabled(True)

    assert item.is_enabled()
    lines = (tmp_path / "config" / "autostart" / "patchbay.desktop").read_text("utf-8").splitlines()
    assert lines[0] == "[Desktop Entry]"
    [started] = [_arguments(line) for line in lines if line.startswith("Exec=")]
    assert started == list(COMMAND)
    [needed] = [line.removeprefix("TryExec=") for line in lines if line.startswith("TryExec=")]
    assert needed.replace("\\\\", "\\") == COMMAND[0]

    item.set_enabled(False)
    assert not item.is_enabled()
    assert list((tmp_path / "config" / "autostart").iterdir()) == []


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
def test_an_autostart_entry_that_the_desktop_switched_off_is_off(tmp_path, line):
    item = XdgAutostart(tmp_path, "patchbay", COMMAND)
    item.set_enabled(True)
    text = item.file.read_text("utf-8").replace("X-GNOME-Autostart-enabled=true", line)

    item.file.write_text(text, encoding="utf-8")
    assert not item.is_enabled()

    item.set_enabled(True)
    assert item.is_enabled()


def test_a_folder_that_cannot_be_written_is_explained(tmp_path):
    (tmp_path / "autostart").write_text("not a folder", encoding="utf-8")
    item = XdgAutostart(tmp_path / "autostart", "patchbay", COMMAND)

    with pytest.raises(StorageFault, match="couldn't be changed"):
        item.set_enabled(True)


def test_a_launch_agent_runs_the_command_at_login(tmp_path):
    item = LaunchAgent(tmp_path / "LaunchAgents", "patchbay", COMMAND)
    assert not item.is_enabled()

    item.set_enabled(True)

    agent = plistlib.loads((tmp_path / "LaunchAgents" / "io.patchbay.plist").read_bytes())
    assert (agent["ProgramArguments"], agent["RunAtLoad"]) == (list(COMMAND), True)
    assert item.is_enabled()
    item.set_enabled(False)
    assert not item.is_enabled()


@pytest.mark.parametrize("content", [b"", b"<plist>", plistlib.dumps({"RunAtLoad": True, "Disabled": True})])
def test_a_launch_agent_that_is_broken_or_disabled_is_off(tmp_path, content):
    item = LaunchAgent(tmp_path, "patchbay", COMMAND)
    item.file.write_bytes(content)

    assert not item.is_enabled()


def test_the_run_key_has_the_command_quoted_for_windows():
    values = Values()
    item = RunKeyItem(values, "patchbay", ("C:\\Program Files\\Python\\pythonw.exe", "-m", "patchbay"))

    item.set_enabled(True)

    assert values.by_name == {"patchbay": '"C:\\Program Files\\Python\\pythonw.exe" -m patchbay'}
    assert item.is_enabled()
    item.set_enabled(False)
    assert values.by_name == {}


def test_a_registry_that_denies_access_is_explained():
    item = RunKeyItem(Values(readable=False), "patchbay", COMMAND)

    assert not item.is_enabled()
    with pytest.raises(StorageFault, match="Access is denied"):
        item.set_enabled(True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the autostart folder is that of Linux")
def test_each_data_folder_has_its_own_entry(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("PATCHBAY_DATA_DIR", raising=False)
    ours, other = AppPaths.choose(), AppPaths.choose(tmp_path / "other")

    login_item(other).set_enabled(True)

    assert entry_name(ours) == "patchbay"
    assert entry_name(other) != "patchbay"
    assert not login_item(ours).is_enabled()
    assert background_command(ours)[-3:] == ("-m", "patchbay", "--background")
    with_key = replace(other, data_key=tmp_path / "key")
    assert background_command(with_key)[-3:] == ("--data-key-file", str(tmp_path / "key"), "--background")
    assert background_command(other)[-3:] == ("--data-dir", str(tmp_path / "other"), "--background")
    further = ("-m", "patchbay", "--data-dir", str(tmp_path / "other"), "--new-window", "--workspace", "demo")
    assert new_window_command(other, "demo")[-7:] == further
