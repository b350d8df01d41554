"""Finding apps and showing them."""

import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from tests.support.app_folders import DEFINITION, write_app

from patchbay.domain.base import AppKey
from patchbay.domain.errors import NotFound
from patchbay.integration import Action, App, Context, RateLimit, text
from patchbay.integration.registry import MAX_APP_FILE_BYTES, AppRegistry, load_apps

SHOP = AppKey("shop")

BUILT_IN = {
    "better-stack",
    "caldav",
    "changedetection",
    "datastore",
    "delay",
    "filter",
    "formatter",
    "http-request",
    "patchbay",
    "redmine",
    "scheduler",
    "webhook",
}


@pytest.fixture(scope="module")
def built_in() -> AppRegistry:
    return load_apps()


def test_every_built_in_app_loads(built_in):
    assert {app.key for app in built_in.all()} >= BUILT_IN
    assert built_in.broken() == ()


def test_apps_are_listed_by_name(built_in):
    names = [info.name for info in built_in.infos()]

    assert names == sorted(names, key=str.casefold)


@pytest.mark.parametrize("key", sorted(BUILT_IN))
def test_every_built_in_app_brings_its_icon_guide_and_colour(built_in, key):
    info = built_in.info(key)

    assert "<svg" in info.icon_svg
    assert info.docs_markdown.startswith("# ")
    assert info.description
    assert info.icon_url == f"/apps/{key}/assets/icon.svg"


@pytest.mark.parametrize("key", ["better-stack", "changedetection"])
def test_api_key_apps_have_the_two_fields_of_the_contract(built_in, key):
    fields = {field.key: field for field in built_in.info(key).auth.fields}

    for name, label in (("screenName", "Screen name"), ("apiKey", "API Key")):
        field = fields[name]
        assert (field.label, field.type, field.required) == (label, "string", True)
        assert (field.read_only, field.click_to_copy, field.value, field.placeholder) == (
            False,
            False,
            None,
            None,
        )


def test_placeholders_are_filled_with_the_addresses_of_the_service():
    registry = load_apps(base_url="http://127.0.0.1:3000", docs_url="https://docs.example")

    info = registry.info(AppKey("webhook"))

    assert info.icon_url == "http://127.0.0.1:3000/apps/webhook/assets/icon.svg"
    assert info.auth_doc_url == "https://docs.example/apps/webhook/connection"


def test_a_list_carries_no_details_and_one_app_does(built_in):
    listed = next(info for info in built_in.infos() if info.key == "better-stack")
    read = built_in.info("better-stack")

    assert (listed.auth, listed.triggers, listed.actions, listed.docs_markdown) == (None, None, None, "")
    assert read.auth is not None
    assert read.action("createIncident") is not None
    assert read.auth.uses_browser is False


def test_apps_with_http_connections_get_the_api_request_action(built_in):
    assert built_in.info("better-stack").action("apiRequest") is not None
    assert built_in.info("changedetection").action("apiRequest") is not None
    assert built_in.info("http-request").action("apiRequest") is None


def test_loading_all_built_in_apps_imports_nothing_that_takes_long():
    """Libraries come with the first use; `python -m tests.benchmarks` measures how long a start takes."""
    code = (
        "import sys, patchbay.integration.registry as r, patchbay.domain.ports\n"
        "before = set(sys.modules); r.load_apps().all()\n"
        "tops = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(tops - set(sys.stdlib_module_names) - {'patchbay'}))\n"
        "print('|', *({'httpx', 'phonenumbers', 'bs4', 'sqlalchemy', 'PySide6'} & set(sys.modules)))"
    )

    loaded, _, heavy = subprocess.check_output([sys.executable, "-c", code], text=True).partition("|")

    assert loaded.split() == ["orjson", "regex"]
    assert heavy.split() == []


def test_unknown_apps_and_steps_are_not_found(built_in):
    with pytest.raises(NotFound, match="no app nope"):
        built_in.get("nope")
    with pytest.raises(NotFound, match="no action nope"):
        built_in.action("filter", "nope")
    with pytest.raises(NotFound, match="no trigger nope"):
        built_in.trigger("webhook", "nope")
    with pytest.raises(NotFound):
        built_in.dynamic_data("changedetection", "nope")
    with pytest.raises(NotFound):
        built_in.dynamic_fields("formatter", "nope")


def test_an_app_from_the_users_folder_is_loaded_with_its_files(tmp_path):
    write_app(tmp_path / "shop")

    registry = load_apps(tmp_path)

    assert registry.get(SHOP).actions[0].key == "buy"
    assert registry.info(SHOP).icon_svg == "<svg/>"
    assert registry.info(SHOP).docs_markdown == "# Connect Shop"


@pytest.mark.parametrize("kind", ["elsewhere", "above", "too large"])
def test_only_files_of_the_folder_are_shown_of_an_app(tmp_path, kind):
    """Icons are served to everybody, so a link must not reach another file of the computer."""
    secret, icon = tmp_path / "secret.txt", tmp_path / "shop" / "icon.svg"
    secret.write_text("<svg>secret</svg>")
    write_app(tmp_path / "shop")
    icon.unlink()
    if kind == "too large":
        icon.write_text("<svg>" + " " * MAX_APP_FILE_BYTES)
    else:
        icon.symlink_to(secret if kind == "elsewhere" else "../secret.txt")

    registry = load_apps(tmp_path)

    assert registry.info(SHOP).icon_svg == ""
    assert registry.info(SHOP).broken is None
    assert registry.info(SHOP).docs_markdown == "# Connect Shop"


def test_the_folder_of_an_app_may_be_a_link(tmp_path):
    write_app(tmp_path / "elsewhere" / "shop")
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps" / "shop").symlink_to(tmp_path / "elsewhere" / "shop", target_is_directory=True)

    assert load_apps(tmp_path / "apps").info(SHOP).icon_svg == "<svg/>"


def test_rate_limits_of_an_app_are_in_the_list(tmp_path):
    limited = DEFINITION.replace("    auth=auth,", "    auth=auth, rate_limit=RateLimit(calls=5),")
    write_app(tmp_path / "shop", {"__init__.py": "from patchbay.integration import RateLimit\n" + limited})

    listed = {info.key: info.rate_limit for info in load_apps(tmp_path).infos()}

    assert (listed[SHOP], listed[AppKey("filter")]) == (RateLimit(calls=5), None)


def test_a_changed_app_is_read_again(tmp_path):
    write_app(tmp_path / "shop")
    load_apps(tmp_path)

    write_app(tmp_path / "shop", {"__init__.py": DEFINITION.replace('"Shop"', '"Shop two"')})

    assert load_apps(tmp_path).get(SHOP).name == "Shop two"


def test_a_change_within_a_second_that_leaves_the_size_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    write_app(tmp_path / "shop")
    definition = tmp_path / "shop" / "__init__.py"
    os.utime(definition, ns=(10**18, 10**18))
    registry = load_apps(tmp_path)

    write_app(tmp_path / "shop", {"__init__.py": DEFINITION.replace('"Shop"', '"Stop"')})
    os.utime(definition, ns=(10**18 + 1000, 10**18 + 1000))

    assert registry.reload_changed()
    assert registry.get(SHOP).name == "Stop"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"__init__.py": "x = 1"}, "doesn't define"),
        ({"__init__.py": "raise RuntimeError('boom')"}, r"RuntimeError: boom \(__init__.py, line 1\)"),
        ({"__init__.py": "def broken(:\n"}, "SyntaxError"),
        ({"__init__.py": "import sys; sys.exit(3)"}, "SystemExit"),
        ({"actions/buy.py": "import nothing_like_this"}, "nothing_like_this"),
        ({"__init__.py": DEFINITION.replace('key="shop"', 'key="other"')}, "differs from the folder name"),
        ({"__init__.py": DEFINITION.replace("#112233", "red")}, "#RRGGBB"),
        ({"__init__.py": DEFINITION.replace("[buy]", "[buy, buy]")}, "defined 2 times"),
        (
            {"__init__.py": DEFINITION.replace("    auth=auth,", "    auth=auth, rate_limit=(5, 1),")},
            "RateLimit",
        ),
        ({"__init__.py": DEFINITION.replace("    auth=auth,\n", "")}, "no auth definition"),
        ({"__init__.py": None}, "doesn't define"),
    ],
)
def test_a_broken_app_is_listed_with_its_reason_and_stops_nothing(tmp_path, changes, reason):
    write_app(tmp_path / "shop", changes)
    write_app(tmp_path / "stop", {"__init__.py": DEFINITION.replace('key="shop"', 'key="stop"')})

    registry = load_apps(tmp_path)

    assert registry.get(AppKey("stop")).name == "Shop"
    broken = registry.info(SHOP)
    assert broken.broken is not None
    assert re.search(reason, broken.broken)
    with pytest.raises(NotFound, match="can't be used"):
        registry.get(SHOP)
    assert "shop" in [info.key for info in registry.infos()]


def test_a_folder_cannot_take_the_place_of_a_built_in_app(tmp_path):
    write_app(
        tmp_path / "better-stack", {"__init__.py": DEFINITION.replace('key="shop"', 'key="better-stack"')}
    )

    registry = load_apps(tmp_path)

    assert registry.get(AppKey("better-stack")).name == "Better Stack"
    assert registry.info(AppKey("better-stack (2)")).broken == "Another app already uses this key."


def test_other_files_in_the_users_folder_are_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / ".git").mkdir()

    assert load_apps(tmp_path).broken() == ()
    assert load_apps(tmp_path / "missing").broken() == ()


def test_an_app_may_bring_its_own_api_request():
    async def run(ctx: Context) -> None: ...

    own = Action(key="apiRequest", name="Mine", run=run, arguments=(text("a", "A"),))
    shop = App(name="Shop", key="shop", supports_connections=True, api_base_url="https://x.example")

    registry = AppRegistry([replace(shop, actions=[own])])

    assert [action.name for action in registry.get(SHOP).actions] == ["Mine"]
