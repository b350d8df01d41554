"""Folders, settings, locks, logs and crash reports."""

import logging
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest
from tests.support.patience import PATIENCE

from patchbay.platform import engine_lock, logs, settings
from patchbay.platform.crash_reports import CrashReports
from patchbay.platform.paths import AppPaths, write_private
from patchbay.platform.settings import SettingsFile
from patchbay.platform.window_state import WindowState


@pytest.fixture
def paths(tmp_path) -> AppPaths:
    made = AppPaths.choose(tmp_path / "data")
    made.prepare()
    return made


def test_one_option_moves_everything(tmp_path):
    paths = AppPaths.choose(tmp_path)

    assert all(
        tmp_path in item.parents
        for item in (paths.database, paths.settings, paths.attachment_file, paths.logs)
    )


def test_private_files_are_closed_to_others_and_replaced_whole(tmp_path):
    target = tmp_path / "file"

    write_private(target, "one")
    write_private(target, "two")

    assert target.read_text() == "two"
    assert [item.name for item in tmp_path.iterdir() if "file" in item.name] == ["file"]
    if os.name == "posix":
        assert target.stat().st_mode & 0o777 == 0o600


def test_settings_survive_a_restart_and_unknown_options_are_kept(paths):
    paths.settings.write_text('workspace = "local"\nfuture = 3\n[appearance]\nscheme = "dark"\n')
    file = SettingsFile(paths.settings)
    file.value.workspace = "demo"

    file.save()
    again = SettingsFile(paths.settings)

    assert again.value.workspace == "demo"
    assert again.value.appearance.scheme == "dark"
    assert "future = 3" in paths.settings.read_text()


def test_what_was_changed_last_is_saved_even_if_an_earlier_save_takes_longer(paths, monkeypatch):
    file, begun, may_write = SettingsFile(paths.settings), threading.Event(), threading.Event()

    def write_slowly(path: Path, text: str) -> None:
        if not begun.is_set():
            begun.set()
            assert may_write.wait(PATIENCE)
        write_private(path, text)

    monkeypatch.setattr(settings, "write_private", write_slowly)
    with ThreadPoolExecutor(2) as threads:
        threads.submit(file.save)
        assert begun.wait(PATIENCE)
        file.value.workspace = "demo"
        second = threads.submit(file.save)
        wait([second], timeout=0.2)  # it must not overtake the first
        may_write.set()

    assert SettingsFile(paths.settings).value.workspace == "demo"


def test_unreadable_settings_are_kept_aside_and_reported(paths):
    paths.settings.write_text("scheme = = dark")

    file = SettingsFile(paths.settings)

    assert file.unreadable == paths.settings.with_suffix(".unreadable.toml")
    assert file.value.workspace is None
    assert paths.settings.with_suffix(".unreadable.toml").read_text() == "scheme = = dark"


def test_only_one_holds_the_engine_lock(paths):
    first, second = (engine_lock.EngineLock(paths.lock, paths.database) for _ in range(2))

    assert first.acquire()
    assert not second.acquire()

    first.release()
    assert second.acquire()
    second.release()


def test_the_running_service_is_found_and_its_token_is_not_shown(paths):
    engine_lock.announce_service(paths, "http://127.0.0.1:8787", "t0ken-value")

    found = engine_lock.find_attachment(paths)

    assert found is not None
    assert found.token == "t0ken-value"
    assert "t0ken-value" not in repr(found)
    engine_lock.withdraw_announcement(paths)
    assert engine_lock.find_attachment(paths) is None


@pytest.mark.parametrize(
    "line",
    [
        "x-api-token: abcdef123456",
        '{"apiKey": "abcdef123456"}',
        "Authorization: Bearer abcdef123456",
        "password=abcdef123456&user=anna",
        "refresh_token='abcdef123456'",
    ],
)
def test_secrets_are_masked_in_logs(line):
    assert "abcdef123456" not in logs.mask(line)


def test_ordinary_lines_are_left_alone():
    assert logs.mask("flow 12 published, 3 keys checked") == "flow 12 published, 3 keys checked"


def test_a_bug_in_any_thread_is_written_down_once(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)
    monkeypatch.setattr("faulthandler.enable", lambda file: None)
    reported: list[Any] = []
    reports = CrashReports(tmp_path, reported.append)
    reports.install()
    logging.getLogger("crash").setLevel(logging.CRITICAL)

    def fail() -> None:
        raise RuntimeError("token=abcdef123456")

    for _ in range(2):
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()

    assert len(reported) == 1
    text = reported[0].read_text()
    assert "RuntimeError" in text
    assert "abcdef123456" not in text
    reports.close()


def test_an_unreadable_window_state_counts_as_none(tmp_path):
    state = WindowState(tmp_path / "window.json")
    state.save({"width": 1280})
    assert state.load() == {"width": 1280}

    (tmp_path / "window.json").write_text("[")

    assert state.load() == {}
