"""What is started on Windows: only installed programs, the real interpreter, and nothing without limits."""

import sys

import pytest
from tests.support.other_systems import Library, windows_module

from patchbay.integration.installed_programs import find_program, python_interpreter
from patchbay.integration.sandbox.program import Program, confine_argv
from patchbay.integration.workers import _command


def test_programs_in_the_current_folder_are_never_found(tmp_path, monkeypatch):
    current, installed = tmp_path / "current", tmp_path / "installed"
    for folder in (current, installed):
        folder.mkdir()
        (folder / "node.exe").touch(mode=0o755)
    monkeypatch.chdir(current)
    monkeypatch.setattr(sys, "platform", "win32")

    assert find_program("node", "") is None
    assert find_program("node", f".:{installed}") == str(installed / "node.exe")


def test_an_empty_entry_of_the_search_path_is_no_folder(tmp_path, monkeypatch):
    (tmp_path / "node").touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ":/nowhere:.")

    assert find_program("node") is None


def test_the_interpreter_is_started_itself_and_not_the_launcher_of_a_virtual_environment(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(sys, "executable", "/venv/Scripts/python.exe")
    monkeypatch.setattr(sys, "_base_executable", "/Python/python.exe")

    assert str(python_interpreter()) == "/Python/python.exe"
    assert _command()[0] == "/Python/python.exe"
    assert confine_argv(Program(), isolated=False)[0] == "/Python/python.exe"


@pytest.mark.parametrize(
    ("failing", "opened", "closed"),
    [
        ("CreateJobObjectW", 0, 0),
        ("SetInformationJobObject", 0, 1),
        ("OpenProcess", 0, 1),
        ("AssignProcessToJobObject", 1, 2),
    ],
)
def test_a_process_without_its_limits_is_an_error(monkeypatch, failing, opened, closed):
    library = Library({failing: 0})
    module = windows_module(monkeypatch, "patchbay.integration.windows_job", library)

    with pytest.raises(OSError, match="denied"):
        module.JobObject(42, 256)

    assert library.called().count("CloseHandle") == closed
    assert ("OpenProcess" in library.called()) == (opened > 0 or failing == "OpenProcess")


def test_a_process_gets_its_limits(monkeypatch):
    library = Library({})
    module = windows_module(monkeypatch, "patchbay.integration.windows_job", library)

    module.JobObject(42, 256).end()

    assert "AssignProcessToJobObject" in library.called()
    assert library.called()[-2:] == ["TerminateJobObject", "CloseHandle"]
