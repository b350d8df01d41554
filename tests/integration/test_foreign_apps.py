"""Third-party code: apps of other packages, and code that hangs, exits, or misreports itself."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.support.app_folders import DEFINITION, write_app
from tests.support.patience import PATIENCE
from tests.support.processes import program, run

from patchbay.domain.base import AppKey
from patchbay.integration.app_threads import AppCodeExited, AppCodeTimedOut, run_contained
from patchbay.integration.registry import load_apps

SHOP = AppKey("shop")
LAMP = AppKey("lamp")


def install(site: Path, name: str, code: str, points_at: str) -> None:
    """What `pip install` leaves behind for a package with one module and an entry point."""
    (site / f"{name}.py").write_text(code)
    write_metadata(site, name, points_at)


def write_metadata(site: Path, name: str, points_at: str) -> None:
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[patchbay.apps]\n{name} = {points_at}\n")


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder in which packages are installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        del sys.modules[name]


PLAIN = (
    'from patchbay.integration import App\napp = App(name="{name}", key="{key}", primary_color="#112233")\n'
)


def test_an_installed_package_brings_its_app(site):
    write_app(site / "shop_for_patchbay")
    write_metadata(site, "shop", "shop_for_patchbay:app")

    info = load_apps().info(SHOP)

    assert (info.name, info.broken) == ("Shop", None)
    assert info.icon_svg == "<svg/>"


def test_an_entry_point_may_name_the_module(site):
    install(site, "lamp", PLAIN.format(name="Lamp", key="lamp"), "lamp")

    assert load_apps().get(LAMP).name == "Lamp"


@pytest.mark.parametrize(
    ("code", "points_at", "reason"),
    [
        ("raise RuntimeError('out of order')", "lamp:app", "out of order"),
        ("raise SystemExit(3)", "lamp:app", "SystemExit"),
        ("raise KeyboardInterrupt", "lamp:app", "KeyboardInterrupt"),
        ("app = 3", "lamp:app", "doesn't define"),
        ("app = 3", "lamp:nothing", "nothing"),
        ("app = 3", "no_such_module:app", "no_such_module"),
        (PLAIN.format(name="Lamp", key="Lamp"), "lamp:app", "lower-case"),
    ],
)
def test_a_package_that_is_broken_is_listed_with_its_reason(site, code, points_at, reason):
    install(site, "lamp", code, points_at)

    registry = load_apps()

    assert reason in (registry.info(LAMP).broken or "")
    assert registry.get(AppKey("webhook")).name == "Webhook"


def test_a_package_is_found_by_the_program_itself(tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    install(site, "lamp", PLAIN.format(name="Lamp", key="lamp"), "lamp:app")

    listed = run(
        program("app", "list", "--json", data=tmp_path / "data"),
        env={"PYTHONPATH": f"{site}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
    )

    assert "Lamp" in [app["name"] for app in listed.json]


def test_an_app_that_hangs_is_given_up_after_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr("patchbay.integration.registry.LOADING_TIMEOUT_SECONDS", 0.3)
    write_app(tmp_path / "shop", {"__init__.py": "while True: pass\n" + DEFINITION})
    write_app(tmp_path / "stop", {"__init__.py": DEFINITION.replace('key="shop"', 'key="stop"')})

    registry = load_apps(tmp_path)

    assert "timed out after 0.3 seconds" in (registry.info(SHOP).broken or "")
    assert registry.get(AppKey("stop")).name == "Shop"


@pytest.mark.parametrize(
    "definition",
    [
        DEFINITION.replace('name="Shop"', 'name="Shop", description=object()'),
        DEFINITION.replace('name="Shop"', 'name="Shop", category=["a"]'),
        DEFINITION.replace("actions=[buy]", "actions=None"),
        "class Odd(Exception):\n    def __str__(self):\n        raise ValueError\nraise Odd\n",
    ],
)
def test_an_app_that_cannot_even_be_described_is_broken_and_stops_no_list(tmp_path, definition):
    write_app(tmp_path / "shop", {"__init__.py": definition})

    registry = load_apps(tmp_path)

    assert registry.info(SHOP).broken
    assert len(registry.infos()) > 5


def test_contained_code_gives_its_value_or_its_error():
    assert run_contained(lambda: 3, 5) == 3
    with pytest.raises(ZeroDivisionError):
        run_contained(lambda: 1 / 0, 5)
    with pytest.raises(AppCodeExited, match="SystemExit"):
        run_contained(sys.exit, 5)


def test_an_endless_loop_is_ended_and_not_only_left():
    def loop() -> None:
        while True:
            pass

    with pytest.raises(AppCodeTimedOut):
        run_contained(loop, 0.2)

    ends = time.monotonic() + PATIENCE
    while [thread for thread in threading.enumerate() if thread.name == "app-code"]:
        assert time.monotonic() < ends, "it is still running"
        time.sleep(0.01)
