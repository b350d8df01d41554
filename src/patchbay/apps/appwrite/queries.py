"""Appwrite's way to order, limit, and page lists: JSON objects in the parameter `queries[]`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.integration.described_requests import PreparedRequest
from patchbay.integration.request import Response

_LIMIT = 100


@dataclass(frozen=True)
class QueryPages:
    """Pages by the ID of the last row. `order` is a query that comes first."""

    order: JsonObject | None = None

    def first(self, request: PreparedRequest) -> PreparedRequest:
        """The request of the first page."""
        return self._page(request, [])

    def next(
        self, request: PreparedRequest, response: Response, rows: Sequence[Any]
    ) -> PreparedRequest | None:
        """The request of the page after the last of these rows; None if the page isn't full."""
        if len(rows) < _LIMIT:
            return None
        return self._page(request, [{"method": "cursorAfter", "values": [rows[-1]["$id"]]}])

    def _page(self, request: PreparedRequest, after: list[JsonObject]) -> PreparedRequest:
        limit: JsonObject = {"method": "limit", "values": [_LIMIT]}
        queries: list[Json] = [
            json.dumps(query) for query in ([self.order] if self.order else []) + [limit, *after]
        ]
        return replace(request, query={**request.query, "queries[]": queries})
