"""Programs start, close, and report with damaged files in the data folder."""

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from patchbay.domain.backups import BackupStatus
from patchbay.platform.backup_state import read_backup_status
from patchbay.platform.engine_lock import EngineLock, find_attachment
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile, read_settings
from patchbay.platform.start_settings import StartSettings, read_start_settings
from patchbay.platform.window_state import WindowState

DEEP = "[" * 200_000 + "]" * 200_000
NO_SIGNALS = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
LARGE = 64 << 20

WINDOW = """
import os, signal, sys
from unittest.mock import patch
from patchbay.cli import main, window as command
command.import_qt()
from PySide6.QtCore import QTimer
from patchbay.bootstrap import window_frame

class Window(window_frame.MainWindow):
    def complete(self, *arguments, **options):
        super().complete(*arguments, **options)
        if sys.argv[2] == "complete":
            QTimer.singleShot(0, self, use)
    def show(self):
        super().show()
        if sys.argv[2] == "frame":
            QTimer.singleShot(0, self, use)

def use():
    if sys.argv[3] == "close":
        shown.close()
    else:
        os.kill(os.getpid(), signal.SIGTERM)

class Shown(Window):
    def __init__(self, *arguments):
        global shown
        super().__init__(*arguments)
        shown = self

patch.object(window_frame, "MainWindow", Shown).start()
sys.exit(main(["--data-dir", sys.argv[1], "--workspace", "demo"]))
"""
"""Starts the real window, and ends it while it loads or once it is complete."""


def _run(*words: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if name != "PYSIDE6_OPTION_LAZY"}
    return subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def _command(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return _run("-m", "patchbay", "--data-dir", str(folder), *words)


@pytest.fixture
def paths(tmp_path: Path) -> AppPaths:
    chosen = AppPaths.choose(tmp_path / "data")
    chosen.prepare()
    return chosen


@pytest.mark.parametrize(
    "text",
    [DEEP, '{"geometry": "\\ud800"}', '{"geometry": [], "recent": [[1]]}'],
    ids=["deep", "half", "types"],
)
def test_the_window_opens_with_a_damaged_window_state(paths: AppPaths, text: str):
    paths.window_state.write_text(text, "utf-8")

    ended = _run("-c", WINDOW, str(paths.data), "complete", "close")

    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    assert json.loads(paths.window_state.read_text("utf-8"))["recent"] == []


@pytest.mark.parametrize("when", ["frame", "complete"])
@pytest.mark.parametrize("how", ["close", pytest.param("terminate", marks=NO_SIGNALS)])
def test_the_program_ends_although_the_window_state_cannot_be_written(paths: AppPaths, when: str, how: str):
    paths.window_state.mkdir()

    ended = _run("-c", WINDOW, str(paths.data), when, how)

    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr


def test_large_files_are_not_read(paths: AppPaths):
    files = paths.settings, paths.window_state, paths.attachment_file, paths.backup_status
    for file in files:
        with file.open("wb") as opened:
            opened.truncate(LARGE)

    tracemalloc.start()
    try:
        found = read_start_settings(paths.settings), read_settings(paths.settings)
        others = WindowState(paths.window_state).load(), find_attachment(paths), read_backup_status(paths)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert found == (StartSettings(), None)
    assert others == ({}, None, BackupStatus())
    assert peak < LARGE // 4


def test_settings_that_are_too_large_are_kept_under_another_name(paths: AppPaths):
    with paths.settings.open("wb") as opened:
        opened.truncate(LARGE)

    file = SettingsFile(paths.settings)

    assert file.unreadable is not None
    assert file.unreadable.stat().st_size == LARGE


def test_the_doctor_reports_a_damaged_restore(paths: AppPaths):
    paths.pending_restore.write_text(DEEP, "utf-8")

    ended = _command(paths.data, "doctor")

    assert "restore.json is damaged" in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    "text",
    [
        '{"address": "http://127.0.0.1:9", "token": "t", "pid": NaN}',
        '{"address": "http://127.0.0.1:9", "token": "t", "pid": "1"}',
        '{"address": "http://127.0.0.1:9", "token": "\\ud800", "pid": 1}',
        '{"address": ["http://127.0.0.1:9"], "token": "t", "pid": 1}',
        '{"address": "http://127.0.0.1:9", "token": "t", "pid": 1, "role": []}',
        '{"address": "http://127.0.0.1:9", "pid": 1}',
    ],
)
def test_an_announcement_with_wrong_values_counts_as_none(paths: AppPaths, text: str):
    paths.attachment_file.write_text(text, "utf-8")

    assert find_attachment(paths) is None


@pytest.mark.parametrize(
    "text", [DEEP, '{"address": "http://127.0.0.1:9", "token": "t", "pid": 1e999}'], ids=["deep", "infinite"]
)
def test_the_doctor_reports_a_running_engine_whose_announcement_is_damaged(paths: AppPaths, text: str):
    paths.attachment_file.write_text(text, "utf-8")
    lock = EngineLock(paths.lock, paths.database)
    assert lock.acquire()
    try:
        ended = _command(paths.data, "doctor")
    finally:
        lock.release()

    assert "running in another program" in ended.stdout
    assert "Traceback" not in ended.stderr
