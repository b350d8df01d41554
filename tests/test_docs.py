"""The documentation: its links lead somewhere, and the reference is complete."""

import json
import os
import re
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from tests.support import app_tables, command_tables
from tests.test_wording import BANNED

from patchbay.domain.condition_operators import OPERATORS
from patchbay.integration.registry import built_in_keys

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SOURCE = ROOT / "src" / "patchbay"
PAGES = sorted(DOCS.rglob("*.md")) + [
    ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")
]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_MODULE = re.compile(
    r"`((?:domain|integration|apps|storage|engine|service|server|client|platform|desktop|tour|demo|bootstrap|cli)"
    r"/[\w/.-]+)`"
)
_DEFINED = re.compile(r"((?:`[\w.]+`, )*`[\w.]+`) \(`([\w/]+\.py)`\)")
_GENERATED = re.compile(r"^<!-- (\w+) -->$.*?^<!-- /\1 -->$", re.MULTILINE | re.DOTALL)
"""Their texts are those of the program, which tests.test_wording.py reads."""
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(page: Path):
    assert [link for link in _links(page) if not _resolves(page, link)] == []


def test_the_command_reference_lists_every_command_and_option():
    written = command_tables.written()

    assert written == command_tables.tables(), "write it: python -m tests.support.command_tables"


def test_the_list_of_apps_describes_them_as_their_definitions_do():
    sections, written = app_tables.sections(), app_tables.written()
    headings = {text.splitlines()[0]: text for text in sections.values()}

    outdated = [heading for heading, text in written.items() if headings.get(heading) != text]
    missing = sorted(headings.keys() - written)

    assert outdated + missing == [], "write it: python -m tests.support.app_tables"


def test_the_dates_on_which_apps_were_checked_are_those_of_apps():
    checks = json.loads(app_tables.CHECKED.read_text("utf-8"))
    dates = {key: check if isinstance(check, str) else check["date"] for key, check in checks.items()}
    pages = [page for check in checks.values() if isinstance(check, dict) for page in check["pages"]]

    assert {key: date.fromisoformat(text).isoformat() for key, text in dates.items()} == dates
    assert [page for page in pages if not page.startswith("https://")] == []
    assert dates.keys() <= {*built_in_keys()}


def test_every_comparison_is_described():
    page = (DOCS / "reference/conditions.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", page.partition("|---|")[2], re.MULTILINE)

    assert dict(rows) == {key: operator.label for key, operator in OPERATORS.items()}


@pytest.mark.parametrize("page", ["architecture.md", "glossary.md", "explanation/secrets.md"])
def test_every_module_that_is_named_exists(page: str):
    named = _MODULE.findall((DOCS / page).read_text("utf-8"))

    assert [path for path in named if not (SOURCE / path).exists()] == []


def test_every_name_in_the_glossary_is_defined_where_it_says():
    cells = _DEFINED.findall((DOCS / "glossary.md").read_text("utf-8"))
    missing = [
        f"{path}: {name}"
        for names, path in cells
        for name in re.findall(r"`(\w+)", names)
        if not re.search(
            rf"\b(class|def) {name}\b|^{name}\b", (SOURCE / path).read_text("utf-8"), re.MULTILINE
        )
    ]

    assert len(cells) > 40
    assert missing == []


def test_every_page_says_first_whom_it_is_for():
    pages = [page for page in DOCS.rglob("*.md")]

    assert [
        str(page) for page in pages if not re.match(r"# .+\n\n\*For .+[.:]\*?", page.read_text("utf-8"))
    ] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_use_no_banned_word(page: Path):
    written = _GENERATED.sub("", _FENCE.sub("", page.read_text("utf-8")))
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)", "", written)
    words = {word.lower() for word in re.findall(r"[A-Za-z]+", prose)}

    assert sorted(words & {*BANNED, *(f"{word}s" for word in BANNED)}) == []


def test_the_index_lists_every_page():
    listed = {(DOCS / link.partition("#")[0]).resolve() for link in _links(DOCS / "index.md")}

    assert {page for page in DOCS.rglob("*.md")} - listed == {DOCS / "index.md"}


def _links(page: Path) -> list[str]:
    """The relative links of a page, outside code blocks."""
    found = _LINK.findall(_FENCE.sub("", page.read_text("utf-8")))
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def _resolves(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = Path(os.path.normpath(page.parent / path)) if path else page
    if not target.exists():
        return False
    return not anchor or anchor in _anchors(target)


@cache
def _anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, spelled as GitHub spells them."""
    headings = _HEADING.findall(_FENCE.sub("", page.read_text("utf-8")))
    return frozenset(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)
