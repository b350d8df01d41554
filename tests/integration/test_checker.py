"""The contract checker: it names the file and the line."""

from pathlib import Path

import pytest
from tests.support.app_folders import BUY, DEFINITION, STILL, VERIFY, write_app
from tests.support.patience import PATIENCE

import patchbay.apps
from patchbay.integration import App, checker, run_checks
from patchbay.integration.checker import check
from patchbay.integration.source_checks import Finding

APPS = Path(patchbay.apps.__path__[0])


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_checks, "_TIMEOUT_SECONDS", PATIENCE)
    monkeypatch.setattr(checker, "LOADING_TIMEOUT_SECONDS", PATIENCE)


@pytest.mark.parametrize("key", sorted(path.parent.name for path in APPS.glob("*/__init__.py")))
def test_the_built_in_apps_keep_the_contract(key):
    assert check(APPS / key) == []


def test_a_good_app_has_no_breach(tmp_path):
    assert check(write_app(tmp_path / "shop")) == []


@pytest.mark.parametrize(
    ("changes", "file", "line", "words"),
    [
        ({"__init__.py": None}, "__init__.py", 0, "This file is missing"),
        ({"__init__.py": "x = 1\n"}, "__init__.py", 1, "no `app = App"),
        ({"__init__.py": DEFINITION.replace('key="shop"', 'key="Shop"')}, "__init__.py", 9, "lower-case"),
        ({"__init__.py": DEFINITION.replace('key="shop"', 'key="store"')}, "__init__.py", 9, "folder name"),
        ({"__init__.py": DEFINITION.replace("#112233", "#12")}, "__init__.py", 13, "#RRGGBB"),
        ({"__init__.py": DEFINITION.replace("[buy]", "[buy, buy]")}, "__init__.py", 16, "defined 2 times"),
        (
            {"__init__.py": DEFINITION.replace('    base_url="https://shop.example",\n', "")},
            "__init__.py",
            7,
            "has no base_url",
        ),
        ({"__init__.py": "1/0\n" + DEFINITION}, "__init__.py", 1, "ZeroDivisionError"),
        ({"actions/buy.py": "def x(:\n"}, "actions/buy.py", 1, "invalid syntax"),
        (
            {
                "actions/buy.py": BUY.replace("    ctx.set", "    time.sleep(20)\n    ctx.set").replace(
                    "from patchbay", "import time\nfrom patchbay", 1
                )
            },
            "actions/buy.py",
            6,
            "await asyncio.sleep",
        ),
        (
            {
                "actions/buy.py": BUY.replace(
                    "    ctx.set", "    requests.get('https://x')\n    ctx.set"
                ).replace("from patchbay", "import requests\nfrom patchbay", 1)
            },
            "actions/buy.py",
            6,
            "await ctx.http",
        ),
        (
            {
                "actions/buy.py": BUY.replace("    ctx.set", "    nap(1)\n    ctx.set").replace(
                    "from patchbay", "from time import sleep as nap\nfrom patchbay", 1
                )
            },
            "actions/buy.py",
            6,
            "time.sleep blocks",
        ),
        ({"icon.svg": None}, "icon.svg", 1, "no icon"),
        ({"icon.svg": "<svg/>" + " " * 1_000_000}, "icon.svg", 1, "at most 1 MB"),
        ({"docs.md": None}, "docs.md", 1, "connection guide"),
        ({"auth/is_still_verified.py": None}, "auth/is_still_verified.py", 1, "no auth/is_still_verified.py"),
        (
            {"auth/verify_credentials.py": VERIFY.replace('    await ctx.http.get("/me")\n', "")},
            "auth/verify_credentials.py",
            4,
            "sends no request",
        ),
        (
            {"auth/verify_credentials.py": VERIFY.replace("screenName=", "name=")},
            "auth/verify_credentials.py",
            4,
            "screenName",
        ),
        (
            {"auth/verify_credentials.py": VERIFY.replace("async def", "def").replace("await ", "")},
            "auth/verify_credentials.py",
            1,
            "async def verify_credentials",
        ),
        (
            {"auth/is_still_verified.py": STILL.replace("    return True\n", "")},
            "auth/is_still_verified.py",
            6,
            "never returns True",
        ),
        (
            {"auth/is_still_verified.py": "async def is_still_verified(ctx):\n    return True\n"},
            "auth/is_still_verified.py",
            1,
            "sends no request, so it can't tell",
        ),
        (
            {
                "__init__.py": DEFINITION.replace(
                    "from .actions.buy import buy", "from .shopping import buy"
                ),
                "shopping.py": BUY,
                "actions/buy.py": None,
            },
            "__init__.py",
            16,
            "actions/buy.py",
        ),
    ],
)
def test_a_breach_names_its_file_and_line(tmp_path, changes, file, line, words):
    breaches = check(write_app(tmp_path / "shop", changes))

    assert [
        finding
        for finding in breaches
        if (finding.file, finding.line) == (file, line) and words in finding.message
    ]


@pytest.mark.parametrize(
    "asks", ["await sign_in(ctx)", "async with session(ctx) as server:\n        await server.noop()"]
)
def test_credentials_may_be_checked_over_another_protocol_than_http(tmp_path, asks):
    verify = VERIFY.replace('await ctx.http.get("/me")', asks)

    assert check(write_app(tmp_path / "shop", {"auth/verify_credentials.py": verify})) == []


def test_a_definition_alone_can_be_checked():
    breaches = check(App(name="", key="Bad Key", icon_url="https://x/y.svg", auth_doc_url="nowhere"))

    words = " ".join(map(str, breaches))
    for part in ("no name", "lower-case", "{BASE_URL}", "{DOCS_URL}"):
        assert part in words


def test_a_breach_reads_like_a_compiler_message():
    assert str(Finding("auth/x.py", 3, "Wrong.")) == "auth/x.py:3: Wrong."
