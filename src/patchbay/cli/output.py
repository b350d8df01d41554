"""Prints for commands: the result on standard output, everything else on standard error."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from patchbay.domain.errors import ValidationFailed

if TYPE_CHECKING:
    from patchbay.domain.base import EpochMs

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters, which a terminal would execute, and those that change the direction of text."""


class WrongUsage(ValidationFailed):
    """An invalid combination of arguments: exit code 2."""

    def __init__(self, option: str, happened: str, todo: str) -> None:
        super().__init__({option: [todo]}, happened=happened, todo=todo)


def data(document: Any, *, as_json: bool, text: str) -> None:
    """Print the result: the document with `--json`, otherwise the text."""
    print(pretty(document) if as_json else printable(text))


def result(document: Any, *, as_json: bool, text: str, failed: bool) -> None:
    """Print like `data`. If the command failed and printed JSON, also print the text on standard error."""
    data(document, as_json=as_json, text=text)
    if failed and as_json:
        print_message(text)


def print_message(sentence: str) -> None:
    """Print progress or a message on standard error."""
    print(printable(sentence), file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """Escape control characters, so that names and responses can't control the terminal.

    Line breaks and tabs stay.
    """
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows below a header, in columns as wide as their widest cell."""
    if not rows:
        return "No results."
    lines = [
        list(head),
        *[[printable(cell).replace("\n", "\\n").replace("\t", "\\t") for cell in row] for row in rows],
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def format_time(ms: EpochMs | None) -> str:
    """Local time with seconds, or a dash for None."""
    return "-" if ms is None else datetime.fromtimestamp(ms / 1000).strftime("%Y-%m-%d %H:%M:%S")


def format_size(size: float) -> str:
    """A number of bytes in a readable unit: 266 kB."""
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def pretty(value: Any) -> str:
    """Indented JSON, with control characters escaped so that it stays valid."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def key_from_stdin(options: argparse.Namespace) -> str | None:
    """The API key on standard input; None without `--api-key-stdin`."""
    return sys.stdin.readline().removeprefix("\ufeff").strip() or None if options.api_key_stdin else None
