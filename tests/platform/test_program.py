"""The command that starts the program again."""

import subprocess
import sys

from patchbay.platform.program import program_command

PRINT_COMMAND = "from patchbay.platform.program import program_command; print(*program_command(), sep='\\n')"


def test_a_program_is_started_by_the_same_interpreter(monkeypatch):
    monkeypatch.delenv("APPIMAGE", raising=False)

    assert program_command() == (sys.executable, "-P", "-m", "patchbay")


def test_a_program_of_a_package_stays_isolated_from_other_python_packages(monkeypatch):
    monkeypatch.delenv("APPIMAGE", raising=False)

    printed = subprocess.check_output([sys.executable, "-I", "-c", PRINT_COMMAND], text=True)

    assert printed.splitlines() == [sys.executable, "-I", "-m", "patchbay"]


def test_an_appimage_is_started_by_its_file_and_not_where_it_is_mounted(monkeypatch):
    monkeypatch.setenv("APPIMAGE", "/apps/patchbay.AppImage")

    assert program_command() == ("/apps/patchbay.AppImage",)


def test_the_command_runs_the_program(monkeypatch):
    monkeypatch.delenv("APPIMAGE", raising=False)

    printed = subprocess.check_output([*program_command(), "--version"], text=True)

    assert printed.startswith("patchbay ")


def test_the_program_imports_nothing_from_the_current_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("APPIMAGE", raising=False)
    (tmp_path / "json.py").write_text("print('imported from the current folder')")

    printed = subprocess.check_output([*program_command(), "--version"], text=True, cwd=tmp_path)

    assert printed.startswith("patchbay ")
