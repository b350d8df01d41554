"""A long list as lines of a file: read in large pages, written as a table or as a document a line."""

import csv
import io
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

from patchbay.domain.base import Model
from patchbay.domain.paging import MAX_PAGE_SIZE, Page, PageRequest

T = TypeVar("T")

_QUOTES = "\"'\u2018\u2019\u201c\u201d\ufeff"
_OPERATORS = "=+\\-@\uff1d\uff0b\uff0d\uff20\u2212"
_FORMULA = re.compile(rf"[\s{_QUOTES}]*[{_OPERATORS}]|[\t\r\n]")
"""How a cell begins that a spreadsheet may take for a formula, behind spaces and quotation marks too."""
_NEXT_CELL = re.compile(rf"(?<=[;\t\r\n])(?=[\s{_QUOTES}]*[{_OPERATORS}])")
"""Where a formula would begin for a spreadsheet that separates cells by semicolons or tabs."""
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)*)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


async def read_all_pages(fetch_page: Callable[[PageRequest], Awaitable[Page[T]]]) -> AsyncIterator[Page[T]]:
    """The whole list, as large pages; at least one, which may be empty."""
    item_count, number, cursor = 0, 1, None
    while True:
        page = await fetch_page(PageRequest(page=number, limit=MAX_PAGE_SIZE, cursor=cursor))
        yield page
        item_count += len(page.items)
        cursor, number = page.next_cursor, number + 1
        if not page.items or (cursor is None and item_count >= page.total):
            return


def to_csv(columns: Sequence[str], rows: Iterable[Sequence[object]], head: bool, *, raw: bool = False) -> str:
    """Rows as CSV, each with its line end; `head` puts the names of the columns before them.

    Texts that a spreadsheet would run as a formula get an apostrophe in front, unless `raw`.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    if head:
        writer.writerow(columns)
    writer.writerows(rows if raw else ([escape_formula(value) for value in row] for row in rows))
    return text.getvalue()


def escape_formula(value: object) -> object:
    """The value as a spreadsheet shows it instead of evaluating it. Numbers stay numbers."""
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    text = _NEXT_CELL.sub("'", value)
    return f"'{text}" if _FORMULA.match(value) else text


def to_jsonl(items: Iterable[Model]) -> str:
    """One document a line, as the HTTP interface writes it."""
    return "".join(json.dumps(item.wire(), ensure_ascii=False) + "\n" for item in items)
