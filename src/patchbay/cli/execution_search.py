"""Executions found by what their steps took in and put out, for `execution list` and `export`."""

from collections.abc import AsyncIterator

from patchbay.domain.backend import Backend
from patchbay.domain.execution_files import read_execution_pages
from patchbay.domain.executions import Execution, ExecutionFilter


async def iterate_executions(
    backend: Backend, where: ExecutionFilter, text: str | None
) -> AsyncIterator[tuple[tuple[Execution, ...], int | None]]:
    """Every execution of the filter, newest first, part by part, with how many there are in all if known.

    With a text, only those that it is found in. Raises `NotSupported` where that cannot be searched.
    """
    if text is None:
        async for page in read_execution_pages(backend, where):
            yield page.items, page.total
        return
    cursor = None
    while True:
        stretch = await backend.search_executions(text, where, cursor)
        yield stretch.items, None
        cursor = stretch.next_cursor
        if cursor is None:
            return
