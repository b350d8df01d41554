"""What the program tells macOS and the taskbar of Windows."""

import ctypes
import sys
import tomllib
from pathlib import Path
from typing import cast

from packaging.requirements import Requirement
from tests.support.other_systems import Library, module_of, windows_module

from patchbay.bootstrap.local import LocalWorkspace
from patchbay.bootstrap.workspace_runtime import WorkspaceRuntime
from patchbay.domain.backend import Backend
from patchbay.platform import app_nap
from patchbay.platform.app_nap import AppNapGuard

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]


class FakeFoundation:
    """Records the messages that are sent."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def process(self) -> int:
        return 1

    def text(self, words: str) -> str:
        return words

    def send(self, target: int, message: str, *arguments: object) -> int:
        self.messages.append(message)
        return 7


class Runtime:
    """A workspace that runs flows, as far as listening and closing need it."""

    listeners = None

    async def listen(self, *_: object, **__: object) -> None:
        return None

    async def close(self, _: float) -> None:
        return None


async def test_app_nap_is_held_off_while_flows_run(monkeypatch):
    foundation = FakeFoundation()
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(app_nap, "_Foundation", lambda: foundation)
    workspace = LocalWorkspace(cast(Backend, None), cast(WorkspaceRuntime, Runtime()))

    await workspace.listen(None, require_port=False)
    assert foundation.messages == ["beginActivityWithOptions:reason:", "retain"]
    await workspace.close()

    assert foundation.messages[2:] == ["endActivity:", "release"]


def test_messages_to_macos_have_the_types_of_their_arguments(monkeypatch):
    library = Library({"objc_getClass": 3, "sel_registerName": 4})
    prototypes: list[tuple[object, ...]] = []

    def prototype(*types: object):
        prototypes.append(types)
        return lambda _: lambda *arguments: 9

    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    monkeypatch.setattr(ctypes, "CFUNCTYPE", prototype)
    guard = AppNapGuard()

    guard.begin("Runs flows")
    guard.begin("Runs flows")
    guard.end()
    guard.end()

    pointer = ctypes.c_void_p
    assert (pointer, pointer, pointer, ctypes.c_uint64, pointer) in prototypes
    assert len(prototypes) == 4 + 3  # process, text, begin, retain; process, end, release


def test_other_systems_are_told_nothing(monkeypatch):
    foundation = FakeFoundation()
    monkeypatch.setattr(app_nap, "_Foundation", lambda: foundation)

    AppNapGuard().begin("Runs flows")

    assert foundation.messages == []


def test_the_taskbar_of_windows_groups_the_windows(monkeypatch):
    library = Library({})
    module = windows_module(monkeypatch, "patchbay.platform.app_identity", library)

    module.set_app_id()

    assert library.calls[0][0] == "SetCurrentProcessExplicitAppUserModelID"
    assert library.calls[0][1][0].value == module.APP_ID


def test_the_window_starts_without_a_console():
    assert PROJECT["gui-scripts"] == {"patchbay-window": PROJECT["scripts"]["patchbay"]}


def test_the_keychain_has_time_for_a_password_and_the_message_says_where(monkeypatch):
    module = module_of(monkeypatch, "patchbay.platform.system_keyring", "darwin")

    assert module.TIMEOUT_SECONDS == 120
    assert "Always Allow" in module._timed_out().todo


def test_time_zones_are_installed_where_python_may_not_find_those_of_the_system():
    needed = {
        system
        for requirement in map(Requirement, PROJECT["dependencies"])
        for system in ("win32", "darwin", "linux")
        if requirement.name == "tzdata" and requirement.marker.evaluate({"sys_platform": system})
    }

    assert needed == {"win32", "darwin"}
