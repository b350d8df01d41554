"""A window that no one has used yet has imported and started only what its first list needs."""

import json
import subprocess
import sys

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from tests.support.forms import long_form

from patchbay.desktop.shell.first_use import FirstUse

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
