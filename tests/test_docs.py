"""The documentation: its links lead somewhere, and the reference is complete."""

import os
import re
from functools import cache
from pathlib import Path

import pytest
from tests.support import command_tables

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md")) + [
    ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")
]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(page: Path):
    assert [link for link in _links(page) if not _resolves(page, link)] == []


def test_the_command_reference_lists_every_command_and_option():
    written = command_tables.written()

    assert written == command_tables.tables(), "write it: python -m tests.support.command_tables"


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
