"""Files are replaced and deleted although another process reads them for a moment, as on Windows."""

import time

import pytest
from tests.support.other_systems import windows_error

from patchbay.domain import file_moves
from patchbay.domain.file_moves import delete_file, replace_file
from patchbay.platform.engine_lock import withdraw_announcement
from patchbay.platform.paths import AppPaths, write_private


class Busy:
    """A method of `Path` that fails some times before it works."""

    def __init__(self, method, failures: int, code: int = 32) -> None:
        self._method, self.failures, self._code = method, failures, code

    def __get__(self, path, _):
        def call(*arguments, **options):
            if self.failures:
                self.failures -= 1
                raise windows_error(self._code)
            return self._method(path, *arguments, **options)

        return call


@pytest.fixture
def pauses(monkeypatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr(time, "sleep", found.append)
    return found


def make_busy(monkeypatch, path, name: str, failures: int, code: int = 32) -> None:
    monkeypatch.setattr(type(path), name, Busy(getattr(type(path), name), failures, code))


def test_a_file_in_use_is_replaced_a_moment_later(tmp_path, monkeypatch, pauses):
    make_busy(monkeypatch, tmp_path, "replace", 3)

    write_private(tmp_path / "settings.toml", "new")

    assert (tmp_path / "settings.toml").read_text() == "new"
    assert len(pauses) == 3


def test_a_file_in_use_is_deleted_a_moment_later(tmp_path, monkeypatch, pauses):
    file = tmp_path / "service.json"
    file.touch()
    make_busy(monkeypatch, tmp_path, "unlink", 2, code=5)

    delete_file(file)

    assert not file.exists()
    assert len(pauses) == 2


def test_attempts_end(tmp_path, monkeypatch, pauses):
    make_busy(monkeypatch, tmp_path, "replace", 100)

    with pytest.raises(PermissionError):
        replace_file(tmp_path / "new", tmp_path / "old")

    assert pauses == list(file_moves.RETRY_DELAYS)


def test_other_errors_are_raised_at_once(tmp_path, pauses):
    with pytest.raises(FileNotFoundError):
        replace_file(tmp_path / "missing", tmp_path / "old")

    assert pauses == []


def test_a_server_closes_although_its_announcement_cannot_be_deleted(tmp_path, monkeypatch, pauses, caplog):
    make_busy(monkeypatch, tmp_path, "unlink", 100)

    withdraw_announcement(AppPaths.choose(tmp_path))

    assert "service.json couldn't be deleted" in caplog.text
