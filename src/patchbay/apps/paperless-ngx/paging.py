"""Pages by number, without the address of the next one: behind a proxy, its host can be wrong."""

from collections.abc import Sequence

from patchbay.domain.base import Json
from patchbay.integration import Response, page_numbers
from patchbay.integration.described_requests import PreparedRequest
from patchbay.integration.paging import Pages
from patchbay.integration.templates import find_value


class _NumberedPages:
    """Pages until one has no `next`: after the last one, Paperless-ngx responds with 404."""

    def __init__(self, numbers: Pages) -> None:
        self._numbers = numbers

    def first(self, request: PreparedRequest) -> PreparedRequest:
        return self._numbers.first(request)

    def next(
        self, request: PreparedRequest, response: Response, rows: Sequence[Json]
    ) -> PreparedRequest | None:
        has_next = find_value(response.json(), "next") is not None
        return self._numbers.next(request, response, rows) if has_next else None


def numbered_pages() -> Pages:
    """The pages of a list of Paperless-ngx."""
    return _NumberedPages(page_numbers(limit_key="page_size", limit=100))
