"""Import rules of apps. The import linter cannot see folders such as http-request, so files are read here."""

import ast
from pathlib import Path

import pytest

import patchbay.apps

APPS = Path(patchbay.apps.__path__[0])
ALLOWED = ("patchbay.domain", "patchbay.integration")


def imported(file: Path) -> list[str]:
    """What a file imports by absolute name."""
    names = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.append(node.module or "")
    return names


@pytest.mark.parametrize("key", sorted(path.parent.name for path in APPS.glob("*/__init__.py")))
def test_apps_import_integration_and_domain_only(key):
    files = list((APPS / key).rglob("*.py"))

    ours = [name for file in files for name in imported(file) if name.startswith("patchbay")]
    foreign = [
        name for file in files for name in imported(file) if name.split(".")[0] in ("httpx", "sqlalchemy")
    ]

    assert [name for name in ours if not name.startswith(ALLOWED)] == []
    assert foreign == []


@pytest.mark.parametrize("key", sorted(path.parent.name for path in APPS.glob("*/__init__.py")))
def test_apps_read_no_clock(key):
    text = " ".join(file.read_text(encoding="utf-8") for file in (APPS / key).rglob("*.py"))

    assert not [call for call in ("time.time(", "datetime.now(", "utcnow(", "date.today(") if call in text]
