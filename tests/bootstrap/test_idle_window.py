"""A window that no one has used yet has imported and started only what its first list needs."""

import json
import subprocess
import sys

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from tests.support.forms import long_form

from patchbay.bootstrap import qt_types, window_controller
from patchbay.desktop.shell.first_use import FirstUse
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile

UNUSED = (
    "fastapi",
    "starlette",
    "uvicorn",
    "patchbay.server.app",
    "patchbay.desktop.executions.tab",
    "patchbay.desktop.my_apps.tab",
    "patchbay.desktop.settings.dialog",
    "patchbay.tour",
)
FASTEST_TIMER_MS = 1_000


@long_form
@pytest.mark.parametrize("workspace", ["demo", "local"])
def test_an_open_window_has_imported_neither_the_http_server_nor_other_tabs(tmp_path, workspace):
    words = [sys.executable, "-m", "tests.support.idle_window", str(tmp_path / "data"), workspace]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, timeout=120)
    found = json.loads(done.stdout)

    assert "patchbay.desktop.flows.tab" in found["modules"]
    assert [name for name in UNUSED if name in found["modules"]] == []
    assert [interval for interval in found["timers"] if interval < FASTEST_TIMER_MS] == []


@pytest.mark.parametrize("first", ["use", "workspace"])
def test_tabs_are_loaded_once_a_window_is_used_and_has_a_workspace(qtbot, tmp_path, monkeypatch, first):
    """A window that shows its welcome page is used before it has one."""
    loaded: list[bool] = []
    monkeypatch.setattr(window_controller, "load_tabs", lambda: loaded.append(True))
    monkeypatch.setattr(qt_types, "_create_each_type", lambda: iter(()))
    paths = AppPaths.choose(tmp_path / "data")
    paths.prepare()
    controller = window_controller.WindowController(paths, SettingsFile(paths.settings), saves_settings=False)
    qtbot.addWidget(controller.window)
    with qtbot.waitExposed(controller.window):
        controller.window.show()
    steps = [
        lambda: QTest.keyClick(controller.window, Qt.Key.Key_Shift),
        lambda: controller.open("demo"),
    ]
    for step in steps if first == "use" else reversed(steps):
        qtbot.wait_until(lambda: controller.findChild(qt_types.QtTypes) is None)
        assert not loaded
        step()

    qtbot.wait_until(lambda: bool(loaded))
    qtbot.wait_until(lambda: controller.findChild(qt_types.QtTypes) is None)
    controller.close()


def test_the_first_movement_over_a_window_is_its_first_use(qtbot):
    uses: list[bool] = []
    window = QWidget()
    qtbot.addWidget(window)
    inner = QWidget(window)
    inner.resize(200, 200)
    FirstUse(window, lambda: uses.append(True))
    with qtbot.waitExposed(window):
        window.show()
    shown = len(uses)

    for place in (QPoint(20, 20), QPoint(40, 40), QPoint(60, 60)):
        QTest.mouseMove(inner, place)
        qtbot.wait_until(lambda: len(uses) == 1)

    assert shown == 0
