"""`patchbay app list` on this computer, which doesn't open the workspace."""

import subprocess
import sys

import pytest
from tests.support.app_folders import write_app

from patchbay.cli import app_list
from patchbay.cli.main import main
from patchbay.integration.registry import load_apps


@pytest.fixture
def listed(tmp_path, capsys):
    def run(*words: str) -> list[str]:
        assert main(["--data-dir", str(tmp_path), "app", "list", *words]) == 0
        return capsys.readouterr().out.splitlines()

    return run


def test_the_list_is_that_of_the_registry(listed, tmp_path):
    expected = [info.key for info in load_apps().infos()]

    assert [line.split()[0] for line in listed()[1:]] == expected
    assert not (tmp_path / "patchbay.db").exists()


def test_it_imports_no_app_nor_what_runs_them(tmp_path, monkeypatch):
    code = (
        "import sys; from patchbay.cli import app_list; from patchbay.platform.paths import AppPaths\n"
        "app_list._built_in_keys = lambda: {row[0] for row in app_list._indexed_rows()}\n"
        f"app_list.list_local(None, AppPaths.choose({str(tmp_path)!r}))\n"
        "print([name for name in sys.modules if name.startswith(('patchbay.integration', 'patchbay.apps.'))])"
    )

    assert subprocess.check_output([sys.executable, "-c", code], text=True).splitlines()[-1] == "[]"


def test_apps_of_ones_own_are_listed_with_the_reason_if_they_cannot_be_loaded(listed, tmp_path):
    write_app(tmp_path / "apps" / "shop")
    write_app(tmp_path / "apps" / "shaky", {"__init__.py": "1 / 0\n"})

    lines = {line.split()[0]: line for line in listed()}

    assert "Shop" in lines["shop"]
    assert "ZeroDivisionError" in lines["shaky"]
    assert "github" in lines


def test_an_app_that_is_not_indexed_is_listed_too(listed, monkeypatch):
    monkeypatch.setattr(app_list, "_indexed_rows", list)

    assert any(line.startswith("github ") for line in listed())
