"""A long list as lines of a file: read in large pages, written as a table or as a document a line."""

import csv
import io
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

from patchbay.domain.base import Model
from patchbay.domain.paging import MAX_PAGE_SIZE, Page, PageRequest

T = TypeVar("T")


async def every_page(ask: Callable[[PageRequest], Awaitable[Page[T]]]) -> AsyncIterator[Page[T]]:
    """The whole list, as large pages; at least one, which may be empty."""
    done, number, cursor = 0, 1, None
    while True:
        page = await ask(PageRequest(page=number, limit=MAX_PAGE_SIZE, cursor=cursor))
        yield page
        done += len(page.items)
        cursor, number = page.next_cursor, number + 1
        if not page.items or (cursor is None and done >= page.total):
            return


def table_text(columns: Sequence[str], rows: Iterable[Sequence[object]], head: bool) -> str:
    """Rows of a table, each with its end; `head` asks for the names of the columns before them."""
    text = io.StringIO()
    writer = csv.writer(text)
    if head:
        writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def document_lines(items: Iterable[Model]) -> str:
    """One document a line, as the HTTP interface writes it."""
    return "".join(json.dumps(item.wire(), ensure_ascii=False) + "\n" for item in items)
