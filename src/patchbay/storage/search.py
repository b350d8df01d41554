"""Full-text search in executions: their notes, and the inputs, outputs, and errors of their steps."""

import json
import time
from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import Connection

from patchbay.domain.base import ExecutionId
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.executions import ExecutionFilter, SearchPage
from patchbay.storage.driver import ANY_CASE_COLLATION, Driver, Twin, driver_of
from patchbay.storage.execution_filter import select_executions
from patchbay.storage.executions import (
    ListPosition,
    PageSlice,
    Row,
    decode_cursor,
    encode_cursor,
    read_executions,
    rows_after,
    scan_rows,
    time_range_of,
)

SEARCH_SECONDS = 0.15
"""Time limit of one search request."""
MAX_SEARCHED = 20_000
MAX_FOUND = 50
MAX_TEXT_LENGTH = 500
_BATCH_SIZE = 200
_GLOB_ESCAPES = {"*": "[*]", "?": "[?]", "[": "[[]"}


def search(
    tx: Connection, text: str, where: ExecutionFilter, cursor: str | None, *, budget: float = SEARCH_SECONDS
) -> SearchPage:
    """Search inputs, outputs, errors, and notes for a text in any case, newest first, from `cursor` on.

    Stops after `budget` seconds, 20,000 executions, or 50 results, whichever comes first, but searches at
    least one execution. Raises `ValidationFailed` for a text that is empty or longer than 500 characters.
    """
    deadline, matcher = time.monotonic() + budget, _TextMatcher(driver_of(tx), text)
    found: list[ExecutionId] = []
    searched = 0
    last: Row | None = None
    complete = True
    for row, is_match in _search_rows(tx, matcher, where, cursor, deadline):
        if is_match is None:
            complete = False
            break
        searched, last = searched + 1, row
        if is_match:
            found.append(row[0])
        if searched == MAX_SEARCHED or len(found) == MAX_FOUND:
            complete = False
            break
    return SearchPage(
        items=read_executions(tx, found),
        searched=searched,
        reached=last[1] if last else None,
        next_cursor=encode_cursor(last) if last and not complete else None,
    )


def _search_rows(
    tx: Connection, matcher: "_TextMatcher", where: ExecutionFilter, cursor: str | None, deadline: float
) -> Iterator[tuple[Row, bool | None]]:
    """The rows after the cursor, and whether each has the text; None for the first one after the deadline."""
    is_first = True
    for rows in _batches(tx, where, cursor):
        if not is_first and time.monotonic() > deadline:
            yield rows[0], None
        yield from zip(rows, matcher.match([key for key, _ in rows], deadline), strict=True)
        is_first = False


def _batches(tx: Connection, where: ExecutionFilter, cursor: str | None) -> Iterator[list[Row]]:
    """All rows that match the filter, after the cursor."""
    selection, before = select_executions(tx, where), decode_cursor(cursor)
    rows: list[Row] = [(ExecutionId(""), 0)] * _BATCH_SIZE
    while len(rows) == _BATCH_SIZE:
        page_slice = PageSlice(_BATCH_SIZE, 0, before)
        if selection.other_conditions:
            rows = scan_rows(tx, selection, where, page_slice)
        else:
            rows = rows_after(driver_of(tx), selection, time_range_of(where), page_slice)
        if rows:
            yield rows
            before = ListPosition(rows[-1][1], rows[-1][0])


class _TextMatcher:
    """Finds a text in an execution: in its note, or in the JSON of its steps' inputs, outputs, and errors.

    The database searches without holding Python's interpreter lock, so other threads keep running.
    """

    def __init__(self, driver: Driver, text: str) -> None:
        if not text.strip():
            raise ValidationFailed({"text": ["Enter a text to search for."]})
        if len(text) > MAX_TEXT_LENGTH:
            raise ValidationFailed({"text": [f"Use at most {MAX_TEXT_LENGTH} characters."]})
        self._driver = driver
        match, patterns = _MATCH_OPERATOR.on(driver)(_spellings(text))
        tests = " OR ".join(
            f"{column} {match.format(place)}"
            for column in ("input", "output", "error")
            for place in range(len(patterns))
        )
        self._patterns = {f"text_{place}": pattern for place, pattern in enumerate(patterns)}
        self._query = _HAS_TEXT.on(driver).format(match=match.format(0), tests=tests)

    def match(self, ids: Sequence[ExecutionId], deadline: float) -> Iterator[bool | None]:
        """Whether each of these executions has the text. None for those that weren't searched before the
        deadline; the first one always is.
        """
        return _MATCH.on(self._driver)(self, ids, deadline)

    def match_each(self, ids: Sequence[ExecutionId], deadline: float) -> Iterator[bool | None]:
        """See `match`: a statement for each."""
        for number, execution_id in enumerate(ids):
            if number and time.monotonic() > deadline:
                yield None
            else:
                values = {"id": execution_id, **self._patterns}
                yield bool(self._driver.execute(self._query, values).fetchone()[0])

    def match_together(self, ids: Sequence[ExecutionId], deadline: float) -> Iterator[bool | None]:
        """See `match`: one statement, which is one message to the server. It ends at the deadline itself."""
        seconds = max(0.0, deadline - time.monotonic())
        values = {"ids": list(ids), "seconds": seconds, **self._patterns}
        for row in self._driver.execute(self._query, values):
            yield row[0]


_HAS_TEXT = Twin(
    sqlite="""
SELECT EXISTS (SELECT 1 FROM execution WHERE id = :id AND note {match})
    OR EXISTS (SELECT 1 FROM execution_step WHERE execution_id = :id AND ({tests}))
""",
    postgresql="""
SELECT CASE WHEN place = 1 OR clock_timestamp() < statement_timestamp() + :seconds * INTERVAL '1 second' THEN
    EXISTS (SELECT 1 FROM execution WHERE id = searched.key AND note {match})
    OR EXISTS (SELECT 1 FROM execution_step WHERE execution_id = searched.key AND ({tests}))
END FROM unnest(CAST(:ids AS TEXT[])) WITH ORDINALITY AS searched (key, place)
""",
)
_MATCH = Twin(sqlite=_TextMatcher.match_each, postgresql=_TextMatcher.match_together)


def _spellings(text: str) -> list[str]:
    """The forms in which a text can be stored: as it is, in a JSON string, or as part of compact JSON."""
    text = text.encode("utf-8", "replace").decode()
    quoted = json.dumps(text, ensure_ascii=False)[1:-1]
    compact = text.replace('": ', '":').replace(', "', ',"')
    # A NUL would end a pattern, and stored JSON never contains one.
    return [each for each in dict.fromkeys((text, quoted, compact)) if "\0" not in each]


def _match_operator_of_sqlite(texts: Iterable[str]) -> tuple[str, list[str]]:
    """The SQL operator that finds these texts in any case, and its patterns.

    LIKE is fast but ignores case only for ASCII letters; for others, GLOB gets both cases of every letter.
    """
    if all(text.isascii() for text in texts):
        return "LIKE :text_{} ESCAPE '\\'", [f"%{_escaped(text)}%" for text in texts]
    return "GLOB :text_{}", [f"*{''.join(map(_case_insensitive_glob, text))}*" for text in texts]


def _match_operator_of_postgresql(texts: Iterable[str]) -> tuple[str, list[str]]:
    """The same for PostgreSQL. Rules for the letters of all languages cost time, so English has its own."""
    collation = '"C"' if all(text.isascii() for text in texts) else ANY_CASE_COLLATION
    return f"ILIKE :text_{{}} COLLATE {collation} ESCAPE '\\'", [f"%{_escaped(text)}%" for text in texts]


_MATCH_OPERATOR = Twin(sqlite=_match_operator_of_sqlite, postgresql=_match_operator_of_postgresql)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _case_insensitive_glob(letter: str) -> str:
    cases = {case for case in (letter, letter.lower(), letter.upper(), letter.title()) if len(case) == 1}
    return f"[{''.join(sorted(cases))}]" if len(cases) > 1 else _GLOB_ESCAPES.get(letter, letter)
