"""What the contract checker finds beyond files and keys: fields, kinds of triggers, loaders, and checks that
cannot fail."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.app_folders import AUTH, BUY, DEFINITION, VERIFY, write_app

from patchbay.domain.base import AppKey
from patchbay.integration import App, Auth, AuthField, Context, api_key_fields, oauth2
from patchbay.integration.app_rules import find_violations
from patchbay.integration.checker import app_folders, check
from patchbay.integration.new_app import write_app as new_app


async def _nothing(ctx: Context) -> None: ...


FIELDS = """from patchbay.integration import AuthField, Option, api_key_field
"""
SELL = """from patchbay.integration import TriggerKind, Trigger, dropdown, polling_trigger, one_page, text


async def run(ctx):
    ...


def cron(parameters):
    return "* * * * *"


async def watch(ctx):
    yield


sell = Trigger(key="sell", name="Sell", {})
"""


def with_fields(*fields: str) -> dict[str, str | None]:
    """The good app with these auth fields after its own, from line 9 on."""
    text = AUTH.replace('"""Auth."""\n', FIELDS).replace(
        "fields=api_key_fields(),",
        "fields=(*api_key_fields(),\n" + "".join(f"{field},\n" for field in fields) + "),",
    )
    return {"auth/__init__.py": text}


def with_trigger(arguments: str) -> dict[str, str | None]:
    """The good app with a trigger `sell`."""
    definition = DEFINITION.replace("from .auth", "from .triggers.sell import sell\nfrom .auth").replace(
        "actions=[buy],", "actions=[buy],\n    triggers=[sell],"
    )
    sell = SELL.replace("{}", arguments)
    return {"__init__.py": definition, "triggers/__init__.py": "", "triggers/sell.py": sell}


def with_argument(argument: str) -> dict[str, str | None]:
    """The good app whose action has one argument more, on line 8."""
    imports = BUY.replace(
        "Action, Context, text", "Action, Argument, ArgumentType, Context, dropdown, rows, text"
    )
    return {
        "actions/buy.py": imports.replace(
            'text("what", "What", required=True),', f'text("what", "What"),\n{argument},'
        )
    }


def found(tmp_path: Path, changes: dict[str, str | None]) -> list[str]:
    return [str(finding) for finding in check(write_app(tmp_path / "shop", changes))]


def only(tmp_path: Path, changes: dict[str, str | None]) -> str:
    [finding] = found(tmp_path, changes)
    return finding


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ('AuthField(key="a b", label="A")', "a single word"),
        ('AuthField(key="a", label="")', "no label"),
        ('AuthField(key="a", label="A", type="number")', "Use string or dropdown"),
        ('AuthField(key="a", label="A", type="dropdown")', "needs options"),
        ('AuthField(key="a", label="A", required=True, read_only=True)', "required and read-only"),
        ('AuthField(key="apiToken", label="A", value="abc")', "a secret can't have"),
        (
            'AuthField(key="a", label="A", value="c", options=(Option(label="B", value="b"),))',
            "isn't one of its options",
        ),
        ('AuthField(key="apiKey", label="A")', "defined 2 times"),
        ('AuthField(key="a", label="A", readonly=True)', "no property readonly. Did you mean read_only?"),
        ('AuthField(key="serverUrl", label="A", decides_destination=False)', "its name suggests"),
        ('AuthField(key="port", label="A", decides_destination=False)', "its name suggests"),
    ],
)
def test_a_wrong_auth_field_is_reported_with_its_line(tmp_path, field, words):
    findings = found(tmp_path, with_fields(field))

    assert [text for text in findings if words in text and text.startswith("auth/__init__.py:")], findings


def test_a_field_of_an_address_cannot_be_declared_harmless():
    fields = (AuthField(key="place", label="A", decides_destination=False), *api_key_fields())
    auth = Auth(fields=fields, verify_credentials=_nothing, is_still_verified=_nothing)
    app = App(name="Shop", key="shop", supports_connections=True, auth=auth)

    def words(**changes: Any) -> list[str]:
        return [
            fault.message
            for fault in find_violations(replace(app, **changes))
            if "part of an address" in fault.message
        ]

    assert words(api_base_url="https://api.shop.example") == []
    assert len(words(api_base_url="https://{auth.place}.shop.example")) == 1
    assert len(words(auth=replace(auth, sends_to=("https://{auth.place}.shop.example",)))) == 1
    elsewhere = oauth2(authorize_url="https://shop.example", token_url="https://{auth.place}.shop.example")
    assert len(words(auth=replace(auth, refresh_token=elsewhere.refresh_token))) == 1


def test_the_line_of_an_auth_field_is_its_own(tmp_path):
    finding = only(tmp_path, with_fields('AuthField(key="a", label="A")', 'AuthField(key="b", label="")'))

    written = (tmp_path / "shop" / "auth" / "__init__.py").read_text().splitlines()
    line = int(finding.split(":")[1])
    assert 'key="b"' in written[line - 1]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name="Shop"', "name=3", "name must be a text"),
        ("supports_connections=True", 'supports_connections="yes"', "must be True or False"),
        ("auth=auth", "auth=3", "must be an Auth"),
        ('base_url="https://shop', 'base_url="shop', "base_url “shop"),
        (
            'api_base_url="https://api.shop.example"',
            'api_base_url="{auth.instanceUrl}"',
            "no auth field instanceUrl",
        ),
        ('key="shop"', 'key="shop", icon_url="{BASE_URL}/icon.svg"', "must be a path below"),
        ('key="shop"', 'key="shop", auth_doc_url="https://x.example/shop/"', "must contain {DOCS_URL}"),
        ("actions=[buy]", "actions=[3]", "can only contain Action"),
        ("actions=[buy]", "actions=buy", "must be a list"),
        ("actions=[buy]", "actions=[buy], colour=3", "App has no property colour"),
    ],
)
def test_a_wrong_definition_is_reported_in_the_entry_file(tmp_path, old, new, words):
    findings = found(tmp_path, {"__init__.py": DEFINITION.replace(old, new)})

    assert [text for text in findings if words in text and text.startswith("__init__.py:")], findings


def test_the_key_of_a_built_in_app_is_taken(tmp_path):
    folder = write_app(
        tmp_path / "webhook", {"__init__.py": DEFINITION.replace('key="shop"', 'key="webhook"')}
    )

    assert [text for text in map(str, check(folder)) if "built-in app with the key" in text]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ('kind="polling", run=run', "an unknown kind"),
        ("kind=TriggerKind.SCHEDULE, run=run", "it needs cron"),
        ("run=run, cron=cron", "isn't a schedule"),
        ("kind=TriggerKind.POLLING", "no run function"),
        ("run=cron", "an async function (`async def`) as run"),
        ("kind=TriggerKind.WEBHOOK", "can't receive requests"),
        ("kind=TriggerKind.WEBHOOK, register_hook=run", "never removes"),
        ("run=run, register_hook=run, unregister_hook=run", "its kind isn't TriggerKind.WEBHOOK"),
        ("run=run, verify_webhook=run", "verifies requests, but its kind isn't TriggerKind.WEBHOOK"),
        (
            "kind=TriggerKind.WEBHOOK, show_webhook_url=True, verify_webhook=cron",
            "an async function (`async def`) as verify_webhook",
        ),
        ("kind=TriggerKind.WEBHOOK, show_webhook_url=True, watch=watch", "isn't a polling trigger"),
        ("run=run, watch=run", "with `yield`"),
        ('run=run, source=("folder",)', "names folder as its source, but has no argument with that key"),
        ('run=run, arguments=(text("folder", "Folder"),), source="folder"', "a string as its source"),
        (
            'kind=TriggerKind.SCHEDULE, run=run, cron=cron, arguments=(text("a", "A"),), source=("a",)',
            "has a source, but isn't a polling trigger",
        ),
    ],
)
def test_a_wrong_trigger_is_reported_in_its_own_file(tmp_path, arguments, words):
    finding = only(tmp_path, with_trigger(arguments))

    assert words in finding
    assert finding.startswith("triggers/sell.py:16:")


@pytest.mark.parametrize(
    "arguments",
    [
        "run=run",
        'run=run, arguments=(text("folder", "Folder"),), source=("folder",)',
        "kind=TriggerKind.WEBHOOK, register_hook=run, unregister_hook=run",
        "kind=TriggerKind.WEBHOOK, show_webhook_url=True, verify_webhook=run",
    ],
)
def test_a_good_trigger_has_no_findings(tmp_path, arguments):
    assert found(tmp_path, with_trigger(arguments)) == []


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ('dropdown("size", "Size", source="listSizes")', "no loader listSizes"),
        ('dropdown("size", "Size")', "needs options"),
        (
            'dropdown("size", "Size", ["S"], depends_on=["colour"])',
            "depends on the argument colour, which doesn't",
        ),
        (
            'dropdown("size", "Size", source="x", given={"a": "{parameters.colour}"})',
            "depends on the argument colour, which doesn't",
        ),
        (
            'text("size", "Size", visible_if={"colour": "red"})',
            "depends on the argument colour, which doesn't",
        ),
        ('text("size", " ")', "no label"),
        ('rows("size", "Size", [])', "argument needs fields"),
        ('rows("size", "Size", [dropdown("a", "A", source="listSizes")])', "no loader listSizes"),
        ('Argument(key="size", label="Size", requird=True)', "no property requird. Did you mean required?"),
    ],
)
def test_a_wrong_argument_is_reported_where_it_stands(tmp_path, argument, words):
    findings = found(tmp_path, with_argument(argument))

    assert [text for text in findings if words in text and text.startswith("actions/buy.py:9:")], findings


def test_a_loader_of_the_other_kind_is_reported(tmp_path):
    loader = "from patchbay.integration import DynamicFields\nasync def load(ctx):\n    return []\n"
    loader += 'sizes = DynamicFields(key="listSizes", load=load)\n'
    changes = with_argument('dropdown("size", "Size", source="listSizes")')
    changes |= {
        "sizes.py": loader,
        "__init__.py": DEFINITION.replace("from .auth", "from .sizes import sizes\nfrom .auth").replace(
            "auth=auth,", "auth=auth, dynamic_fields=[sizes],"
        ),
    }

    assert "dropdowns load from dynamic_data" in only(tmp_path, changes)


SWALLOWS = VERIFY.replace(
    '    await ctx.http.get("/me")\n',
    '    try:\n        await ctx.http.get("/me")\n    except Exception:\n        pass\n',
)


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        (
            {"auth/verify_credentials.py": SWALLOWS},
            "auth/verify_credentials.py:4: It accepts credentials that the service rejects with 401",
        ),
        ({"auth/verify_credentials.py": SWALLOWS}, "auth/is_still_verified.py:6: It returns True although"),
        (
            {"auth/verify_credentials.py": VERIFY.replace("    await ctx.h", "    len(3)\n    await ctx.h")},
            "auth/verify_credentials.py:5: verify_credentials fails with TypeError",
        ),
        (
            {"__init__.py": DEFINITION.replace("    before_request=[bearer()],\n", "")},
            "__init__.py:7: The entered secret isn't sent",
        ),
        (
            {"auth/__init__.py": AUTH.replace("api_key_fields()", "api_key_fields()[1:]")},
            "auth/verify_credentials.py:6: It reads screenName from the auth data",
        ),
        (
            {
                "auth/__init__.py": AUTH.replace(
                    "is_still_verified=is_still_verified", "is_still_verified=len"
                )
            },
            "auth/__init__.py:10: is_still_verified must be an async function",
        ),
    ],
)
def test_a_check_that_cannot_fail_is_found(tmp_path, changes, finding):
    findings = found(tmp_path, changes)

    assert [text for text in findings if text.startswith(finding)], findings


def test_an_auth_without_a_test_is_reported_with_what_is_missing(tmp_path):
    findings = found(
        tmp_path, {"auth/__init__.py": AUTH.replace("    is_still_verified=is_still_verified,\n", "")}
    )

    assert "auth/__init__.py:7: Auth is missing is_still_verified." in findings


def test_a_check_that_hangs_is_reported_and_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr("patchbay.integration.run_checks._TIMEOUT_SECONDS", 0.3)
    hangs = VERIFY.replace(
        '    await ctx.http.get("/me")\n', '    while True:\n        pass\n    await ctx.http.get("/me")\n'
    )

    findings = found(tmp_path, {"auth/verify_credentials.py": hangs})

    assert [text for text in findings if "didn't finish" in text], findings


BROWSER = """from patchbay.integration import Auth, AuthField, Option, api_key_field, oauth2, oauth_fields

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

oauth = oauth2(authorize_url="https://shop.example/authorize", token_url="https://shop.example/token")


async def own(ctx):
    ...


auth = Auth(
    fields={fields},
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    generate_auth_url={generate},
    refresh_token=oauth.refresh_token,
    browser_if={browser_if},
)
"""
OPTIONS = '(Option(label="A", value="browser"), Option(label="B", value="key"))'
CHOICE = f'AuthField(key="how", label="How", value="{{}}", options={OPTIONS})'


def browser(
    fields: str, browser_if: str = "{}", generate: str = "oauth.generate_auth_url"
) -> dict[str, str | None]:
    named = VERIFY.replace('ctx.auth.data.get("screenName")', '"Ada"')
    text = BROWSER.format(fields=fields, browser_if=browser_if, generate=generate)
    return {"auth/__init__.py": text, "auth/verify_credentials.py": named}


def test_an_app_with_a_browser_sign_in_keeps_the_contract(tmp_path):
    choice = CHOICE.format("browser")

    assert found(tmp_path, browser("oauth_fields()")) == []
    both = browser(f"({choice}, *oauth_fields(), api_key_field())", '{"how": "browser"}')
    assert found(tmp_path, both) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (browser("(*oauth_fields(), api_key_field())"), "both browser sign-in and the field apiKey"),
        (
            browser(f"({CHOICE.format('key')}, *oauth_fields(), api_key_field())", '{"how": "browser"}'),
            "Browser sign-in must be the preset option of how",
        ),
        (browser("oauth_fields()", '{"how": "browser"}'), "no auth field how"),
        (browser("oauth_fields()[1:]"), "needs the field oAuthRedirectUrl"),
        (browser("oauth_fields()", generate="own"), "should be defined in auth/generate_auth_url.py"),
    ],
)
def test_a_wrong_browser_sign_in_is_found(tmp_path, changes, words):
    findings = found(tmp_path, changes)

    assert [text for text in findings if words in text], findings


def test_an_icon_that_is_no_picture_and_an_empty_guide_are_found(tmp_path):
    findings = found(tmp_path, {"icon.svg": "hello", "docs.md": " "})

    assert [text.split(":")[0] for text in findings] == ["icon.svg", "docs.md"]


def test_code_that_exits_while_it_is_checked_is_a_finding_with_its_line(tmp_path):
    findings = found(tmp_path, {"actions/buy.py": "import sys\nsys.exit(2)\n"})

    assert "actions/buy.py:2: The app can't be loaded: SystemExit: 2" in findings


def test_a_new_app_keeps_the_contract_under_any_good_key(tmp_path):
    for key in ("shop", "my-shop-2", "a"):
        assert check(new_app(AppKey(key), tmp_path / "apps")) == []


def test_a_folder_of_apps_stands_for_each_of_them(tmp_path):
    one, two = new_app(AppKey("one"), tmp_path), new_app(AppKey("two"), tmp_path)

    assert app_folders(tmp_path) == [one, two]
    assert app_folders(one) == [one]
    assert app_folders(tmp_path / "nothing") == [tmp_path / "nothing"]
