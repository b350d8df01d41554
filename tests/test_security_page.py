"""docs/operate/security.md names a test for each statement; every one of them exists."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def test_every_statement_names_a_test_that_exists():
    page = (ROOT / "docs" / "operate" / "security.md").read_text("utf-8")
    statements = [
        line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| statement")
    ]
    asset_rows = page.split("## Anonymous")[0].count("\n| ")

    assert len([line for line in statements if NAMED.search(line)]) == len(statements) - asset_rows
    assert [named for named in NAMED.findall(page) if not _exists(*named)] == []


def _exists(file: str, name: str) -> bool:
    path = ROOT / file
    if not path.is_file():
        return False
    return not name or name in _names(path)


@cache
def _names(path: Path) -> frozenset[str]:
    """The functions and classes of a file."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return frozenset(
        node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    )
