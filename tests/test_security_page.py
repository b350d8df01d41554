"""docs/security.md names a test for each statement; every one of them exists."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def test_every_statement_names_a_test_that_exists():
    page = (ROOT / "docs" / "security.md").read_text("utf-8")
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
    functions = {node.name for node in ast.walk(ast.parse(path.read_text("utf-8"))) if hasattr(node, "name")}
    return not name or name in functions
