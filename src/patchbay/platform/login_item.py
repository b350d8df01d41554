"""The entry with which the system starts Patchbay in the background when the user signs in.

- Linux: a desktop entry in the user's autostart folder (XDG autostart).
- macOS: a property list in `~/Library/LaunchAgents`.
- Windows: a value below the user's `Run` key of the registry.

Each data folder has an entry of its own.
"""

import hashlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from patchbay.domain.errors import StorageFault
from patchbay.domain.file_moves import delete_file
from patchbay.platform.paths import AppPaths, write_private
from patchbay.platform.program import program_command

RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"
_NAME = "patchbay"
_RESERVED = " \t\n\"'\\><~|&;$*?#()`"
"""Characters for which an argument of a desktop entry must be quoted."""


class LoginItem(Protocol):
    """An entry that can be switched on and off."""

    def is_enabled(self) -> bool:
        """Whether the system starts the program at login."""
        ...

    def set_enabled(self, enabled: bool) -> None:
        """Add or remove the entry. Raises `StorageFault` if that isn't possible."""
        ...


class RunValues(Protocol):
    """The values of the registry's `Run` key, by name."""

    def get(self, name: str) -> str | None:
        """The command; None if there is no such value."""
        ...

    def set(self, name: str, command: str) -> None:
        """Add or replace a command."""
        ...

    def delete(self, name: str) -> None:
        """Delete a command, if it exists."""
        ...


def login_item(paths: AppPaths, about: str = "Runs published flows in the background") -> LoginItem:
    """The entry for this data folder on this system. Some desktops show what it is `about`."""
    name, command = entry_name(paths), background_command(paths)
    if sys.platform == "win32":
        return RunKeyItem(RegistryRunValues(), name, command)
    if sys.platform == "darwin":
        return LaunchAgent(Path.home() / "Library" / "LaunchAgents", name, command)
    config = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return XdgAutostart(Path(config) / "autostart", name, command, about)


def entry_name(paths: AppPaths) -> str:
    """The name of the entry; folders other than the default one add a part of their own."""
    if paths.data == AppPaths.default().data:
        return _NAME
    return f"{_NAME}-{hashlib.sha256(os.fsencode(paths.data)).hexdigest()[:8]}"


def background_command(paths: AppPaths) -> tuple[str, ...]:
    """The command that starts this program without its window."""
    return (*_program(paths), "--background")


def new_window_command(paths: AppPaths, workspace: str) -> tuple[str, ...]:
    """The command that opens a workspace in a further window of this program."""
    return (*_program(paths), "--new-window", "--workspace", workspace)


def _program(paths: AppPaths) -> tuple[str, ...]:
    folder = () if paths.data == AppPaths.default().data else ("--data-dir", str(paths.data))
    data_key = () if paths.data_key is None else ("--data-key-file", str(paths.data_key))
    return (*program_command(), *folder, *data_key)


class XdgAutostart:
    """A desktop entry in the autostart folder."""

    def __init__(self, folder: Path, name: str, command: Sequence[str], about: str = "") -> None:
        self.file = folder / f"{name}.desktop"
        self._command, self._about = command, about

    def is_enabled(self) -> bool:
        try:
            lines = self.file.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError):
            return False
        switched_off = ("Hidden=true", "X-GNOME-Autostart-enabled=false")
        return not any(line.strip() in switched_off for line in lines)

    def set_enabled(self, enabled: bool) -> None:
        lines = (
            "[Desktop Entry]",
            "Type=Application",
            "Name=Patchbay",
            f"Comment={_value(self._about)}",
            f"Exec={' '.join(map(_quoted, self._command))}",
            f"TryExec={_value(self._command[0])}",  # without the program, desktops ignore the entry
            "Icon=patchbay",
            "Terminal=false",
            "X-GNOME-Autostart-enabled=true",
        )
        _write_or_delete(self.file, "\n".join((*lines, "")) if enabled else None)


class LaunchAgent:
    """A property list that launchd reads when the user signs in."""

    def __init__(self, folder: Path, name: str, command: Sequence[str]) -> None:
        self._label = f"io.{name}"
        self.file = folder / f"{self._label}.plist"
        self._command = command

    def is_enabled(self) -> bool:
        import plistlib
        from xml.parsers.expat import ExpatError  # only the error that plistlib raises

        try:
            agent = plistlib.loads(self.file.read_bytes())
        except (OSError, ValueError, ExpatError):
            return False
        return bool(agent.get("RunAtLoad")) and not agent.get("Disabled")

    def set_enabled(self, enabled: bool) -> None:
        import plistlib

        agent = {
            "Label": self._label,
            "ProgramArguments": list(self._command),
            "RunAtLoad": True,
            "ProcessType": "Interactive",
        }
        _write_or_delete(self.file, plistlib.dumps(agent).decode() if enabled else None)


class RunKeyItem:
    """A value below the `Run` key."""

    def __init__(self, values: RunValues, name: str, command: Sequence[str]) -> None:
        self._values, self._name = values, name
        self._command = command

    def is_enabled(self) -> bool:
        try:
            return self._values.get(self._name) is not None
        except OSError:
            return False

    def set_enabled(self, enabled: bool) -> None:
        from subprocess import list2cmdline  # only quotes arguments as Windows expects them

        try:
            if enabled:
                self._values.set(self._name, list2cmdline(self._command))
            else:
                self._values.delete(self._name)
        except OSError as error:
            raise _not_changed(RUN_KEY, error) from error


class RegistryRunValues:
    """The `Run` key of the current user in the registry of Windows."""

    if sys.platform == "win32":

        def get(self, name: str) -> str | None:
            import winreg

            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, RUN_KEY) as key:
                    return str(winreg.QueryValueEx(key, name)[0])
            except FileNotFoundError:
                return None

        def set(self, name: str, command: str) -> None:
            import winreg

            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, RUN_KEY) as key:
                winreg.SetValueEx(key, name, 0, winreg.REG_SZ, command)

        def delete(self, name: str) -> None:
            import contextlib
            import winreg

            with (
                contextlib.suppress(FileNotFoundError),
                winreg.OpenKey(winreg.HKEY_CURRENT_USER, RUN_KEY, 0, winreg.KEY_SET_VALUE) as key,
            ):
                winreg.DeleteValue(key, name)


def _quoted(argument: str) -> str:
    """An argument as the specification of desktop entries wants it."""
    escaped = argument.replace("%", "%%")
    if not argument or any(character in _RESERVED for character in argument):
        for character in '\\"`$':
            escaped = escaped.replace(character, f"\\{character}")
        escaped = f'"{escaped}"'
    return _value(escaped)


def _value(text: str) -> str:
    """A text as the value of a desktop entry, which is a string with escapes."""
    return text.replace("\\", "\\\\")


def _write_or_delete(file: Path, text: str | None) -> None:
    try:
        if text is None:
            delete_file(file)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_private(file, text)
    except OSError as error:
        raise _not_changed(file, error) from error


def _not_changed(what: object, error: OSError) -> StorageFault:
    return StorageFault(
        f"{what} couldn't be changed ({error.strerror or error}).",
        meaning="Whether Patchbay starts at login is as it was.",
        todo="Check the permissions of this file, then try again.",
    )
