"""What a service answered, unwrapped: the envelope of the interface and the models in it."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from patchbay.client.failures import from_answer, not_understood
from patchbay.client.patience import Reply
from patchbay.client.reading import read, read_all
from patchbay.domain.base import Model

M = TypeVar("M", bound=Model)


class Answer:
    """The `data` and `meta` of a successful call; both empty when there was no content."""

    def __init__(self, body: Mapping[str, Any], base_url: str) -> None:
        self._base_url = base_url
        self.data: Any = body.get("data")
        meta = body.get("meta")
        self.meta: Mapping[str, Any] = meta if isinstance(meta, Mapping) else {}

    def one(self, model: type[M]) -> M:
        """The data as a model. Raises `ServerFault` when it is none."""
        if (found := read(model, self.data)) is None:
            raise not_understood(self._base_url)
        return found

    def many(self, model: type[M]) -> tuple[M, ...]:
        """The data as models, in their order, without rows of which nothing can be understood.

        Raises `ServerFault` when that is all of them.
        """
        found = read_all(model, self.rows())
        if not found and self.rows():
            raise not_understood(self._base_url)
        return found

    def rows(self) -> list[Any]:
        """The data as a list; none for null. Raises `ServerFault` for anything else."""
        if self.data is None:
            return []
        if not isinstance(self.data, list):
            raise not_understood(self._base_url)
        return self.data

    @property
    def total(self) -> int | None:
        """How many there are in all pages; None where the service does not say so."""
        told = self.meta.get("count")
        try:
            return None if told is None else max(0, int(told))
        except (TypeError, ValueError, OverflowError):
            return None

    @property
    def count(self) -> int:
        """How many there are in all pages; of those that came, where the service does not say so."""
        came = len(self.data) if isinstance(self.data, list) else 0
        return came if self.total is None else self.total


def unwrapped(reply: Reply, base_url: str) -> Answer:
    """The answer in a reply. Raises the error kinds for refusals, `ServerFault` for what is no answer."""
    if not reply.ok:
        raise from_answer(reply.status, reply.headers, reply.content, base_url)
    if not reply.content:
        return Answer({}, base_url)
    try:
        body = json.loads(reply.content)
    except (ValueError, RecursionError) as error:
        raise not_understood(base_url, reply.headers, reply.content) from error
    if not isinstance(body, dict) or "data" not in body:
        raise not_understood(base_url)
    return Answer(body, base_url)
