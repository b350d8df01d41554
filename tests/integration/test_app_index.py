"""The index of the built-in apps: current, and enough to list them."""

import subprocess
import sys

import pytest
from tests.support import app_index

import patchbay.apps
from patchbay.domain.base import AppKey
from patchbay.domain.errors import NotFound
from patchbay.integration import registry
from patchbay.integration.app_index import IndexedApp, read_index
from patchbay.integration.registry import AppRegistry, listed_built_in_apps, load_apps

COMMAND = "update it: python -m tests.support.app_index"
APPS = "{name.split('.')[2] for name in sys.modules if name.startswith('patchbay.apps.')}"


def test_the_index_describes_apps_as_their_definitions_do():
    lines, written = app_index.lines(), app_index.written()

    assert [key for key in read_index() if lines.get(key) not in written] == [], COMMAND


def test_the_index_has_every_app():
    assert set(read_index()) == set(app_index.lines()), COMMAND


def test_a_list_of_indexed_apps_imports_none_of_them():
    code = (
        "import sys, patchbay.integration.registry as r; apps = r.load_apps()\n"
        "apps.infos(), apps.rate_limits(), apps.info('github', detail=False)\n"
        f"print(*{APPS} & set(r.read_index())); apps.get('github'); print(*{APPS} & set(r.read_index()))"
    )

    listed, used = subprocess.check_output([sys.executable, "-c", code], text=True).splitlines()

    assert listed == ""
    assert used == "github"


def test_indexed_and_imported_apps_are_listed_alike():
    imported = AppRegistry(registry.built_in_apps())

    assert load_apps().infos() == imported.infos()


def test_an_app_that_the_index_lacks_is_imported(monkeypatch):
    monkeypatch.setattr(registry, "read_index", dict)

    assert AppRegistry(listed_built_in_apps()).info(AppKey("github"), detail=False).name == "GitHub"


def test_an_indexed_app_whose_definition_fails_is_listed_as_broken(monkeypatch, tmp_path):
    (tmp_path / "shaky").mkdir()
    (tmp_path / "shaky" / "__init__.py").write_text("1 / 0\n", "utf-8")
    monkeypatch.setattr(patchbay.apps, "__path__", [*patchbay.apps.__path__, str(tmp_path)])
    entry = read_index()[AppKey("github")]
    shaky = IndexedApp(info=entry.info.model_copy(update={"key": "shaky"}))
    apps = AppRegistry([shaky])
    assert apps.broken() == ()

    with pytest.raises(NotFound, match="can't be used"):
        apps.get(AppKey("shaky"))

    assert "division by zero" in (apps.infos()[0].broken or "")
    assert [app.key for app in apps.broken()] == ["shaky"]
    assert apps.all() == ()


def test_a_folder_cannot_replace_an_indexed_app():
    entry = read_index()[AppKey("github")]
    other = AppRegistry(registry.built_in_apps()).get(AppKey("github"))

    apps = AppRegistry([entry, other])

    assert [app.key for app in apps.broken()] == ["github (2)"]
