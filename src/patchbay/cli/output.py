"""What commands print: the result on standard output, everything else on standard error."""

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from patchbay.domain.base import EpochMs
from patchbay.domain.errors import ValidationFailed


class WrongUsage(ValidationFailed):
    """The words of the command make no sense: exit code 2."""

    def __init__(self, option: str, happened: str, todo: str) -> None:
        super().__init__({option: [todo]}, happened=happened, todo=todo)


def data(document: Any, *, as_json: bool, text: str) -> None:
    """Print the result: the document with `--json`, otherwise the text."""
    print(json.dumps(document, ensure_ascii=False, indent=2) if as_json else text)


def result(document: Any, *, as_json: bool, text: str, failed: bool) -> None:
    """Like `data`; beside the document of something that failed, the text says why on standard error."""
    data(document, as_json=as_json, text=text)
    if failed and as_json:
        say(text)


def say(sentence: str) -> None:
    """Tell progress or a message; never on standard output."""
    print(sentence, file=sys.stderr, flush=True)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under a head, in columns as wide as their widest cell."""
    if not rows:
        return "Nothing there."
    lines = [list(head), *[list(row) for row in rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def moment(ms: EpochMs | None) -> str:
    """Local time to the second; a dash for never."""
    return "-" if ms is None else datetime.fromtimestamp(ms / 1000).strftime("%Y-%m-%d %H:%M:%S")


def pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def key_from_stdin(options: argparse.Namespace) -> str | None:
    """The API key given on standard input, None when it was not announced there."""
    return sys.stdin.readline().strip() or None if options.api_key_stdin else None
