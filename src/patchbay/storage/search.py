"""Looking for a text in what steps took in and put out, a short stretch of the history at a time."""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator

from sqlalchemy import Connection

from patchbay.domain.base import ExecutionId
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.history import SearchPage
from patchbay.storage.execution_filter import select_executions
from patchbay.storage.execution_pages import (
    ListPosition,
    PageSlice,
    Row,
    after,
    decode_cursor,
    encode_cursor,
    time_range_of,
)
from patchbay.storage.executions import read_executions, scan_rows
from patchbay.storage.sqlite import driver_of

SEARCH_SECONDS = 0.15
"""Seconds after which a stretch ends."""

MAX_SEARCHED = 20_000
MAX_FOUND = 50
MAX_TEXT_LENGTH = 500
"""Characters of the text."""

_BATCH_SIZE = 200
_SPECIAL = {"*": "[*]", "?": "[?]", "[": "[[]"}


def search(
    tx: Connection, text: str, where: ExecutionFilter, cursor: str | None, *, budget: float = SEARCH_SECONDS
) -> SearchPage:
    """One stretch, newest first, from `cursor` on. Upper and lower case are the same, in every script.

    Ends after `budget` seconds, 20,000 executions or 50 finds, whatever comes first, and goes through one
    execution at least. Raises `ValidationFailed` for a text that is empty or longer than 500 characters.
    """
    deadline, find = time.monotonic() + budget, _TextMatcher(driver_of(tx), text)
    found: list[ExecutionId] = []
    searched, row, complete = 0, None, True
    for row in _rows_to_search(tx, where, cursor):
        searched += 1
        if find.matches(row[0]):
            found.append(row[0])
        if time.monotonic() > deadline or searched == MAX_SEARCHED or len(found) == MAX_FOUND:
            complete = False
            break
    return SearchPage(
        items=read_executions(tx, found), searched=searched, reached=row[1] if row else None,
        next_cursor=encode_cursor(row) if row and not complete else None,
    )  # fmt: skip


def _rows_to_search(tx: Connection, where: ExecutionFilter, cursor: str | None) -> Iterator[Row]:
    """All rows of the filter from the cursor on."""
    selection, before = select_executions(tx, where), decode_cursor(cursor)
    rows: list[Row] = [("", 0)] * _BATCH_SIZE
    while len(rows) == _BATCH_SIZE:
        page_slice = PageSlice(_BATCH_SIZE, 0, before)
        if selection.other_conditions:
            rows = scan_rows(tx, selection, where, page_slice)
        else:
            rows = after(driver_of(tx), selection, time_range_of(where), page_slice)
        yield from rows
        if rows:
            before = ListPosition(rows[-1][1], rows[-1][0])


class _TextMatcher:
    """Whether a text is in an execution: in its note, or as JSON in the data and errors of its steps.

    SQLite looks for it without Python, so that nothing else in this process has to wait.
    """

    def __init__(self, driver: sqlite3.Connection, text: str) -> None:
        if not text.strip():
            raise ValidationFailed({"text": ["Say what to look for."]})
        if len(text) > MAX_TEXT_LENGTH:
            raise ValidationFailed({"text": [f"Look for {MAX_TEXT_LENGTH} characters at most."]})
        self._driver = driver
        match, self._patterns = _match_operator(_spellings(text))
        tests = " OR ".join(
            f"{column} {match.format(place)}"
            for column in ("input", "output", "error")
            for place in range(2, 2 + len(self._patterns))
        )
        self._query = (
            f"SELECT EXISTS (SELECT 1 FROM execution WHERE id = ?1 AND note {match.format(2)}) OR EXISTS"
            f" (SELECT 1 FROM execution_step WHERE execution_id = ?1 AND ({tests}))"
        )

    def matches(self, execution_id: ExecutionId) -> bool:
        return bool(self._driver.execute(self._query, (execution_id, *self._patterns)).fetchone()[0])


def _spellings(text: str) -> list[str]:
    """The text as it may be stored: as it is, within a JSON string, or as a piece of compact JSON."""
    text = text.encode("utf-8", "replace").decode()
    quoted = json.dumps(text, ensure_ascii=False)[1:-1]
    compact = text.replace('": ', '":').replace(', "', ',"')
    # A NUL would end a pattern, and JSON never holds one.
    return [each for each in dict.fromkeys((text, quoted, compact)) if "\0" not in each]


def _match_operator(texts: Iterable[str]) -> tuple[str, list[str]]:
    """The operator that finds these texts in any case, and its patterns.

    LIKE is quick and knows the case of ASCII letters only; GLOB is told both cases of every letter.
    """
    if all(text.isascii() for text in texts):
        return "LIKE ?{} ESCAPE '\\'", [f"%{_escaped(text)}%" for text in texts]
    return "GLOB ?{}", [f"*{''.join(map(_case_insensitive_glob, text))}*" for text in texts]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _case_insensitive_glob(letter: str) -> str:
    cases = {case for case in (letter, letter.lower(), letter.upper(), letter.title()) if len(case) == 1}
    return f"[{''.join(sorted(cases))}]" if len(cases) > 1 else _SPECIAL.get(letter, letter)
