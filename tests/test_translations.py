"""Every text of the window goes through a translation, and each language has them all."""

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import translation_files
from tests.support.parsed_sources import parsed, walk
from tests.support.translation_files import FOLDER, SOURCE, SourceText, code_of

from patchbay.desktop.core.language import TranslationFile, read_translations

LANGUAGES = sorted(FOLDER.glob("patchbay_*.ts"))
PROSE = re.compile(r"[A-Za-z’']{2,} [a-z’']{2,} [a-z’']{2,}")
NOT_SHOWN = {"warning", "info", "debug", "exception", "error", "setObjectName", "cast", "tr", "tr_count"}
"""Functions whose texts no one sees in the window, or that translate them."""


def test_each_language_has_every_text() -> None:
    texts = translation_files.source_texts()
    assert len(texts) > 2_000
    assert LANGUAGES
    for file in LANGUAGES:
        content = read_translations(file.read_text("utf-8"))
        missing = [text.text for text in texts if (text.text, text.note) not in content.finished]
        assert missing == [], f"{file.name}: run python -m tests.support.translation_files, and translate"
        assert file.read_text("utf-8") == translation_files.write(code_of(file), content, texts), (
            "a text is no longer used"
        )


@pytest.mark.parametrize("file", LANGUAGES, ids=lambda file: file.stem)
def test_texts_with_a_number_have_all_plural_forms(file: Path) -> None:
    content = read_translations(file.read_text("utf-8"))
    forms = int(re.findall(r"nplurals=(\d)", content.plural_rule)[0])
    counted = [text for text in translation_files.source_texts() if text.many is not None]
    assert counted
    assert {len(content.finished[text.text, text.note]) for text in counted} == {forms}


def test_an_update_keeps_drafts_and_adds_what_is_new(tmp_path: Path) -> None:
    texts = {SourceText("Open"): "a.py", SourceText("{n} flow", many="{n} flows"): "a.py"}
    file = tmp_path / "patchbay_fr.ts"
    content = TranslationFile("nplurals=2; plural=(n > 1);", {}, {("Open", ""): ("Ouvr",)})
    file.write_text(translation_files.write("fr", content, texts), "utf-8")

    read = read_translations(file.read_text("utf-8"))

    assert (code_of(file), read.plural_rule, read.finished) == ("fr", "nplurals=2; plural=(n > 1);", {})
    assert read.drafts["Open", ""] == ("Ouvr",)


@pytest.mark.parametrize("file", LANGUAGES, ids=lambda file: file.stem)
def test_translations_keep_the_fields(file: Path) -> None:
    """A field that is missing hides a value; one that no value has would be an error when it is shown."""
    translations = read_translations(file.read_text("utf-8")).finished
    for text in translation_files.source_texts():
        allowed = _fields(text.text) | _fields(text.many or "")
        for form in translations[text.text, text.note]:
            assert _fields(form) <= allowed, form
            assert text.many is not None or _fields(form) == allowed, form


def _fields(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field} if "{" in text else set()


def test_no_sentence_of_the_window_is_only_english() -> None:
    assert [found for file in sorted((SOURCE / "desktop").rglob("*.py")) for found in _sentences(file)] == []


def _sentences(file: Path) -> Iterator[str]:
    nodes = walk(parsed(file.read_text("utf-8")))
    passed_over: set[ast.AST] = set()
    for node in nodes:
        if _is_no_text_of_the_window(node):
            passed_over.update(walk(node))
    for node in nodes:
        text = node.value if isinstance(node, ast.Constant) and node not in passed_over else None
        if isinstance(text, str) and PROSE.search(text) and not text.startswith(NO_TEXTS_OF_THE_WINDOW):
            yield f"{file.name}:{getattr(node, 'lineno', 0)}: {text}"


def _is_no_text_of_the_window(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)  # a docstring
    if isinstance(node, (ast.Assert, ast.arg, ast.AnnAssign)) or (
        isinstance(node, ast.Raise) and _function(node.exc) in ("RuntimeError", "ValueError", "TypeError")
    ):
        return True
    return isinstance(node, ast.Call) and _function(node) in NOT_SHOWN


def _function(node: ast.AST | None) -> str:
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "id", None) or getattr(function, "attr", "")


NO_TEXTS_OF_THE_WINDOW = (
    # messages of Python's JSON module, which have translations
    "Expecting property name enclosed",
    "Illegal trailing comma before",
    "Unterminated string starting at",
    "Invalid control character at",
    # texts of the service, which have translations
    "Flows, executions, and encrypted credentials",
    "Key of the credentials, encrypted by",
    "Copies of what servers have",
    "Log and crash reports",
    "Copy of the database from before",
    "Each program runs under bubblewrap",
    "Bubblewrap isn't installed.",
    # errors of steps, which executions keep, and of an installation that is damaged
    "The text on the clipboard is longer than",
    "Copy less text, or save it as a file",
    "The Patchbay window doesn't respond.",
    "The program's resource files are missing",
    # keys, and a command
    "notified backup problem",
    "type it yourself",
    "Your own apps",
    "Language and formats",
    "For the selection",
    "Saved by you",
    "Adding sample executions",
    "patchbay app check ",
    "\nh1 {{",
)


def test_the_search_for_english_sentences_finds_one(tmp_path: Path) -> None:
    file = tmp_path / "planted.py"
    file.write_text(
        'Label("Delete this flow")\nlog.info("deleted a flow")\nLabel(tr("Delete another flow"))\n'
    )
    assert [found.partition(": ")[2] for found in _sentences(file)] == ["Delete this flow"]
