"""What every system can import, and words that fit every system."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
POSIX_ONLY = re.compile(r"^(?:import|from) (fcntl|grp|pty|pwd|resource|syslog|termios|tty)\b", re.MULTILINE)
KEYS = re.compile(r"\bCtrl\+|^(?:Del|Backspace)$")
DEFINE_KEYS = ("kit/shortcuts.py", "shell/commands.py", "editor/page.py")


def test_no_module_needs_what_windows_lacks():
    found = [
        str(file.relative_to(ROOT))
        for folder in ("src", "tests")
        for file in (ROOT / folder).rglob("*.py")
        if POSIX_ONLY.search(file.read_text("utf-8"))
    ]

    assert found == []


def test_keys_are_shown_as_the_system_writes_them():
    desktop = ROOT / "src" / "patchbay" / "desktop"
    found = [
        f"{file.relative_to(desktop)}:{line} {text}"
        for file in desktop.rglob("*.py")
        if file.relative_to(desktop).as_posix() not in DEFINE_KEYS
        for line, text in _texts(file.read_text("utf-8"))
        if KEYS.search(text)
    ]

    assert found == []


def _texts(source: str) -> list[tuple[int, str]]:
    """Lines and string literals of a module that may contain keys, without docstrings."""
    if "Ctrl+" not in source and '"Del"' not in source:
        return []
    nodes = list(ast.walk(ast.parse(source)))
    documentation = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    return [
        (node.lineno, node.value)
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation
    ]
