"""The texts of the window that are translated; run as a program, this updates the files of the languages.

New texts are added to each `patchbay_XX.ts` as unfinished, and texts that are no longer used are removed.
With the code of a language that has no file, one with all texts is made.
"""

import ast
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

from tests.support.parsed_sources import parsed, walk

import patchbay
from patchbay.desktop import translations
from patchbay.desktop.core.language import TranslationFile, read_translations

SOURCE = Path(patchbay.__path__[0])
FOLDER = Path(translations.__path__[0])


@dataclass(frozen=True)
class SourceText:
    """A text to translate. `many` is the English plural of one that depends on a number."""

    text: str
    note: str = ""
    many: str | None = None


@cache
def source_texts() -> dict[SourceText, str]:
    """All texts, in the order of the source, each with the file that it is first in."""
    found: dict[SourceText, str] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        code = file.read_text("utf-8")
        if "tr(" not in code and "tr_count(" not in code:
            continue
        for node in walk(parsed(code)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                text = _text_of(node, file)
                if text is not None:
                    found.setdefault(text, file.relative_to(SOURCE).as_posix())
    return found


def _text_of(call: ast.Call, file: Path) -> SourceText | None:
    assert isinstance(call.func, ast.Name)
    if call.func.id == "tr":
        words = [_literal(argument, file) for argument in call.args]
        return SourceText(*words)
    if call.func.id == "tr_count":
        one, many, *note = [_literal(argument, file) for argument in call.args[1:]]
        return SourceText(one, note[0] if note else "", many)
    return None


def _literal(node: ast.expr, file: Path) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise SystemExit(f"{file}:{node.lineno}: the text must be a literal, so that it can be translated.")


def write(code: str, content: TranslationFile, texts: dict[SourceText, str]) -> str:
    """The file's new text, with the texts of each module together."""
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!DOCTYPE TS>",
        f'<TS version="2.1" language="{code}" sourcelanguage="en">',
        f"<extra-po-header-plural_forms>{escape(content.plural_rule)}</extra-po-header-plural_forms>",
        "<context>",
        "    <name>patchbay</name>",
    ]
    module = ""
    for text, file in sorted(texts.items(), key=lambda item: item[1]):
        if file != module:
            module = file
            lines.append(f"    <!-- {file} -->")
        key = text.text, text.note
        lines += _message(text, content.finished.get(key), content.drafts.get(key, ()))
    return "\n".join([*lines, "</context>", "</TS>", ""])


def _message(text: SourceText, finished: tuple[str, ...] | None, draft: tuple[str, ...]) -> list[str]:
    numerus = "" if text.many is None else ' numerus="yes"'
    lines = [f"    <message{numerus}>", f"        <source>{escape(text.text)}</source>"]
    if text.note:
        lines.append(f"        <comment>{escape(text.note)}</comment>")
    if text.many is not None:
        lines.append(f"        <extracomment>{escape(text.many)}</extracomment>")
    forms = (finished or draft) if text.many is not None else (finished or draft or ("",))[:1]
    inside = "".join(
        escape(form) if text.many is None else f"<numerusform>{escape(form)}</numerusform>" for form in forms
    )
    unfinished = ' type="unfinished"' if finished is None else ""
    return [*lines, f"        <translation{unfinished}>{inside}</translation>", "    </message>"]


def code_of(file: Path) -> str:
    """The language of a file, such as de."""
    return file.stem.partition("_")[2]


def update() -> int:
    """Update every file. Returns the number of texts that still need a translation."""
    texts, missing = source_texts(), 0
    for code in sys.argv[1:]:
        if not (file := FOLDER / f"patchbay_{code}.ts").exists():
            file.write_text(write(code, read_translations("<TS/>"), texts), "utf-8")
    for file in sorted(FOLDER.glob("patchbay_*.ts")):
        content = read_translations(file.read_text("utf-8"))
        file.write_text(write(code_of(file), content, texts), "utf-8")
        unfinished = [text for text in texts if (text.text, text.note) not in content.finished]
        missing += len(unfinished)
        print(f"{file.name}: {len(texts)} texts, {len(unfinished)} without a translation")
    return missing


if __name__ == "__main__":
    sys.exit(0 if update() == 0 else 1)
