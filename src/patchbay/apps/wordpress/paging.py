"""Pages of lists. WordPress says how many there are in a header, and rejects requests for further ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from patchbay.domain.base import Json
from patchbay.integration.described_requests import PreparedRequest
from patchbay.integration.request import Response


@dataclass(frozen=True)
class WordPressPages:
    """Pages by number, as many as `X-WP-TotalPages` says."""

    def first(self, request: PreparedRequest) -> PreparedRequest:
        """The request of the first page."""
        return replace(request, query={**request.query, "per_page": 100, "page": 1})

    def next(
        self, request: PreparedRequest, response: Response, rows: Sequence[Json]
    ) -> PreparedRequest | None:
        """The request of the page after this one; None if it's the last one."""
        number, total = int(str(request.query["page"])), response.headers.get("x-wp-totalpages", "")
        if not rows or not total.isdecimal() or number >= int(total):
            return None
        return replace(request, query={**request.query, "page": number + 1})


PAGES = WordPressPages()
