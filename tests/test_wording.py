"""Words that are banned from names, texts, docstrings, and comments: they are vague where English has a term.

See docs/glossary.md for the terms to use.
"""

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.support.parsed_sources import parsed, walk

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "patchbay"

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
    ("everybody", "cli/server_arguments.py"): "value of --outgoing-addresses",
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
_ANY_BANNED = re.compile("|".join(BANNED), re.IGNORECASE)
_IN_COMMENT = re.compile(f"#.*({_ANY_BANNED.pattern})", re.IGNORECASE)


def _defined_names(tree: ast.AST) -> Iterator[str]:
    """Names that the module defines, not those it uses from other modules."""
    for node in walk(tree):
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
    for node in walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            yield node.value


def _comments(source: str) -> Iterator[str]:
    """All comments, if one of them may contain a banned word: finding them is slow."""
    if not _IN_COMMENT.search(source):
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def _banned_words(source: str) -> set[str]:
    """The banned words that a module uses. Most modules contain none of them, and aren't parsed."""
    if not _ANY_BANNED.search(source):
        return set()
    tree = parsed(source)
    texts = (*_defined_names(tree), *_texts(tree), *_comments(source))
    words = {word for text in texts for word in map(str.lower, _WORDS.findall(text))}
    return BANNED.keys() & (words | {word.removesuffix("s") for word in words})


def test_no_banned_word_comes_back():
    found: dict[str, set[str]] = defaultdict(set)
    for file in sorted(SOURCE.rglob("*.py")):
        name = file.relative_to(SOURCE).as_posix()
        for word in _banned_words(file.read_text("utf-8")):
            found[word].add(name)
    kept: dict[str, set[str]] = defaultdict(set)
    for word, name in KEPT:
        kept[word].add(name)

    new = {word: sorted(names - kept[word]) for word, names in found.items()}
    assert {f"{word} (say: {BANNED[word]})": names for word, names in new.items() if names} == {}
    assert {word: stale for word, names in kept.items() if (stale := names - found[word])} == {}


def test_apostrophes_are_straight():
    found = {
        f"{path.relative_to(SOURCE).as_posix()}: {text}"
        for path in SOURCE.rglob("*.py")
        if "tour" not in path.parts and ("’" in (source := path.read_text("utf-8")) or r"\u2019" in source)
        for text in _texts(parsed(source))
        if re.search(r"\w’\w", text)
    }

    assert not found, "Write ' in texts, as in “can't”"
