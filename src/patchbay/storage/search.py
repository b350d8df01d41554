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
from patchbay.storage.execution_filter import selected
from patchbay.storage.execution_pages import Before, Part, Row, after, all_times, cursor_of, place_of
from patchbay.storage.executions import read_executions, rows_by_reading
from patchbay.storage.sqlite import driver_of

BUDGET = 0.15
"""Seconds after which a stretch ends."""

MOST_SEARCHED = 20_000
MOST_FOUND = 50
LONGEST = 500
"""Characters of the text."""

_AT_ONCE = 200
_SPECIAL = {"*": "[*]", "?": "[?]", "[": "[[]"}


def search(
    tx: Connection, text: str, where: ExecutionFilter, cursor: str | None, *, budget: float = BUDGET
) -> SearchPage:
    """One stretch, newest first, from `cursor` on. Upper and lower case are the same, in every script.

    Ends after `budget` seconds, 20,000 executions or 50 finds, whatever comes first, and goes through one
    execution at least. Raises `ValidationFailed` for a text that is empty or longer than 500 characters.
    """
    ends, find = time.monotonic() + budget, _Finder(driver_of(tx), text)
    found: list[ExecutionId] = []
    searched, row, complete = 0, None, True
    for row in _rows(tx, where, cursor):
        searched += 1
        if find.is_in(row[0]):
            found.append(row[0])
        if time.monotonic() > ends or searched == MOST_SEARCHED or len(found) == MOST_FOUND:
            complete = False
            break
    return SearchPage(
        items=read_executions(tx, found), searched=searched, reached=row[1] if row else None,
        next_cursor=cursor_of(row) if row and not complete else None,
    )  # fmt: skip


def _rows(tx: Connection, where: ExecutionFilter, cursor: str | None) -> Iterator[Row]:
    """All rows of the filter from the cursor on."""
    chosen, before = selected(tx, where), place_of(cursor)
    rows: list[Row] = [("", 0)] * _AT_ONCE
    while len(rows) == _AT_ONCE:
        part = Part(_AT_ONCE, 0, before)
        if chosen.others:
            rows = rows_by_reading(tx, chosen, where, part)
        else:
            rows = after(driver_of(tx), chosen, all_times(where), part)
        yield from rows
        if rows:
            before = Before(rows[-1][1], rows[-1][0])


class _Finder:
    """Whether a text is in an execution: in its note, or as JSON in the data and errors of its steps.

    SQLite looks for it without Python, so that nothing else in this process has to wait.
    """

    def __init__(self, driver: sqlite3.Connection, text: str) -> None:
        if not text.strip():
            raise ValidationFailed({"text": ["Say what to look for."]})
        if len(text) > LONGEST:
            raise ValidationFailed({"text": [f"Look for {LONGEST} characters at most."]})
        self._driver = driver
        match, self._patterns = _matching(_spellings(text))
        tests = " OR ".join(
            f"{column} {match.format(place)}"
            for column in ("input", "output", "error")
            for place in range(2, 2 + len(self._patterns))
        )
        self._query = (
            f"SELECT EXISTS (SELECT 1 FROM execution WHERE id = ?1 AND note {match.format(2)}) OR EXISTS"
            f" (SELECT 1 FROM execution_step WHERE execution_id = ?1 AND ({tests}))"
        )

    def is_in(self, execution_id: ExecutionId) -> bool:
        return bool(self._driver.execute(self._query, (execution_id, *self._patterns)).fetchone()[0])


def _spellings(text: str) -> list[str]:
    """The text as it may be stored: as it is, within a JSON string, or as a piece of compact JSON."""
    text = text.encode("utf-8", "replace").decode()
    quoted = json.dumps(text, ensure_ascii=False)[1:-1]
    compact = text.replace('": ', '":').replace(', "', ',"')
    # A NUL would end a pattern, and JSON never holds one.
    return [each for each in dict.fromkeys((text, quoted, compact)) if "\0" not in each]


def _matching(texts: Iterable[str]) -> tuple[str, list[str]]:
    """The operator that finds these texts in any case, and its patterns.

    LIKE is quick and knows the case of ASCII letters only; GLOB is told both cases of every letter.
    """
    if all(text.isascii() for text in texts):
        return "LIKE ?{} ESCAPE '\\'", [f"%{_escaped(text)}%" for text in texts]
    return "GLOB ?{}", [f"*{''.join(map(_in_any_case, text))}*" for text in texts]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _in_any_case(letter: str) -> str:
    cases = {case for case in (letter, letter.lower(), letter.upper(), letter.title()) if len(case) == 1}
    return f"[{''.join(sorted(cases))}]" if len(cases) > 1 else _SPECIAL.get(letter, letter)
