"""Words that are banned from names, texts, docstrings, and comments: they are vague where English has a term.

`language_allowed.json` lists, for each word, the files that still have it. The list can only get shorter: run
`python -m tests.test_language` after removing words. See docs/glossary.md for the terms to use.
"""

import ast
import io
import json
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "patchbay"
ALLOWED_FILE = Path(__file__).with_name("language_allowed.json")

BANNED = {
    "aftermath": "effects",
    "anew": "again",
    "answer": "response, reply, result",
    "answered": "responded to",
    "answering": "responding to",
    "anybody": "a user, anyone",
    "deed": "action",
    "desk": "controller, window",
    "everybody": "everyone, all users",
    "house": "runtime, workspace",
    "nobody": "no one, or name the subject",
    "noun": "resource, kind",
    "refusal": "rejection",
    "refuse": "reject",
    "refused": "rejected",
    "somebody": "a user, someone",
    "thing": "what it is: flow, item, resource",
    "tidy": "clean up",
    "told": "notified, called with",
    "whoever": "the user who, anyone who",
    "whom": "name the person or role",
}
"""Each word, with what to say instead. Plurals are banned too."""

KEPT = {
    ("answer", "apps/patchbay/actions/answer.py"): "key of an action",
    ("answer", "domain/flow_calls.py"): "key of the output of a step",
    ("answer", "integration/context.py"): "attribute of the context, part of the API for app authors",
    ("answer", "integration/trial.py"): "argument in the tests of app authors",
    ("answer", "storage/remote_cache.py"): "table",
    ("answer", "storage/remote_cache_file.py"): "table",
    ("answered", "storage/repositories/sign_ins.py"): "column",
    ("deed", "domain/audit_log.py"): "key of the wire format",
    ("deed", "storage/repositories/audit.py"): "column",
    ("desk", "server/openapi_schemas.py"): "“Support desk”, in an example",
    ("everybody", "cli/commands.py"): "value of --outgoing-addresses",
    ("noun", "domain/audit_log.py"): "key of the wire format",
    ("noun", "domain/changes.py"): "key of the wire format",
    ("noun", "server/routes/audit_log.py"): "parameter of the HTTP API",
    ("noun", "storage/repositories/audit.py"): "column",
    ("refused", "domain/executions.py"): "key of the wire format",
    ("refused", "integration/network_errors.py"): "term for TCP connections",
    ("tidy", "cli/commands.py"): "name of a command",
    ("anew", "storage/migrations/versions/0006_repair.py"): "released migrations never change",
    ("somebody", "storage/migrations/versions/0009_permissions.py"): "released migrations never change",
    (
        "somebody",
        "storage/migrations/versions/0010_approved_connections.py",
    ): "released migrations never change",
}
"""Words that stay because they are part of an interface, or of a released migration, by word and file."""

_WORDS = re.compile(r"[A-Za-z][a-z]*|[A-Z]+(?![a-z])")


def _defined_names(tree: ast.AST) -> Iterator[str]:
    """Names that the module defines, not those it uses from other modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _texts(tree: ast.AST) -> Iterator[str]:
    """String literals with more than one word, including docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            yield node.value


def _comments(source: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def _found() -> dict[str, list[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for file in sorted(SOURCE.rglob("*.py")):
        name = file.relative_to(SOURCE).as_posix()
        source = file.read_text("utf-8")
        tree = ast.parse(source)
        for text in (*_defined_names(tree), *_texts(tree), *_comments(source)):
            for word in map(str.lower, _WORDS.findall(text)):
                banned = word if word in BANNED else word.removesuffix("s")
                if banned in BANNED and (banned, name) not in KEPT:
                    found[banned].add(name)
    return {word: sorted(found[word]) for word in sorted(found)}


def _allowed() -> dict[str, list[str]]:
    allowed: dict[str, list[str]] = json.loads(ALLOWED_FILE.read_text("utf-8"))
    return allowed


def test_no_banned_word_comes_back():
    allowed = _allowed()
    new = {
        word: [name for name in names if name not in allowed.get(word, [])]
        for word, names in _found().items()
    }

    assert {f"{word} (say: {BANNED[word]})": names for word, names in new.items() if names} == {}


def test_the_list_of_allowed_words_has_only_files_that_need_it():
    found = _found()
    stale = {
        word: [name for name in names if name not in found.get(word, [])]
        for word, names in _allowed().items()
    }

    assert {word: names for word, names in stale.items() if names} == {}, "python -m tests.test_language"


def _shorten_list() -> None:
    """Remove the entries that are no longer needed; never add any."""
    found, allowed = _found(), _allowed()
    shorter = {
        word: left
        for word, names in allowed.items()
        if (left := sorted(set(names) & set(found.get(word, []))))
    }
    ALLOWED_FILE.write_text(json.dumps(shorter, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    _shorten_list()
