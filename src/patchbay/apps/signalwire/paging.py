"""The pages of SignalWire's lists."""

from collections.abc import Sequence

from patchbay.domain.base import Json
from patchbay.integration import Response
from patchbay.integration.described_requests import PreparedRequest


class NextPage:
    """Pages by an address in the response, which may lack the `/api` that it is below."""

    def first(self, request: PreparedRequest) -> PreparedRequest:
        """The request as it is."""
        return request

    def next(
        self, request: PreparedRequest, response: Response, rows: Sequence[Json]
    ) -> PreparedRequest | None:
        """The request of the page after this one; None if it's the last one."""
        address = str(response.json().get("next_page_uri") or "")
        if not address or not rows:
            return None
        path = f"/{address.lstrip('/')}"
        return request.moved_to(path if path.startswith("/api/") else f"/api{path}")
