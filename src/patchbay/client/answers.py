"""What a service answered, unwrapped: the envelope of the interface and the models in it."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from patchbay.client.failures import error_from_response, invalid_response_error
from patchbay.client.patience import RawResponse
from patchbay.client.reading import parse_models, read
from patchbay.domain.base import Model

M = TypeVar("M", bound=Model)


class ApiResponse:
    """The `data` and `meta` of a successful call; both empty when there was no content."""

    def __init__(self, body: Mapping[str, Any], base_url: str) -> None:
        self._base_url = base_url
        self.data: Any = body.get("data")
        meta = body.get("meta")
        self.meta: Mapping[str, Any] = meta if isinstance(meta, Mapping) else {}

    def one(self, model: type[M]) -> M:
        """The data as a model. Raises `ServerFault` when it is none."""
        if (found := read(model, self.data)) is None:
            raise invalid_response_error(self._base_url)
        return found

    def many(self, model: type[M]) -> tuple[M, ...]:
        """The data as models, in their order, without rows of which nothing can be understood.

        Raises `ServerFault` when that is all of them.
        """
        found = parse_models(model, self.rows())
        if not found and self.rows():
            raise invalid_response_error(self._base_url)
        return found

    def rows(self) -> list[Any]:
        """The data as a list; none for null. Raises `ServerFault` for anything else."""
        if self.data is None:
            return []
        if not isinstance(self.data, list):
            raise invalid_response_error(self._base_url)
        return self.data

    @property
    def total(self) -> int | None:
        """How many there are in all pages; None where the service does not say so."""
        count = self.meta.get("count")
        try:
            return None if count is None else max(0, int(count))
        except (TypeError, ValueError, OverflowError):
            return None

    @property
    def count(self) -> int:
        """How many there are in all pages; of those that came, where the service does not say so."""
        received = len(self.data) if isinstance(self.data, list) else 0
        return received if self.total is None else self.total


def unwrap_response(raw_response: RawResponse, base_url: str) -> ApiResponse:
    """The answer in a reply. Raises the error kinds for refusals, `ServerFault` for what is no answer."""
    if not raw_response.ok:
        raise error_from_response(raw_response.status, raw_response.headers, raw_response.content, base_url)
    if not raw_response.content:
        return ApiResponse({}, base_url)
    try:
        body = json.loads(raw_response.content)
    except (ValueError, RecursionError) as error:
        raise invalid_response_error(base_url, raw_response.headers, raw_response.content) from error
    if not isinstance(body, dict) or "data" not in body:
        raise invalid_response_error(base_url)
    return ApiResponse(body, base_url)
