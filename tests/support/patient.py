"""Clients of httpx whose requests may take as long as a busy machine needs, instead of five seconds."""

from typing import Any

import httpx
from tests.support.patience import PATIENCE

_TRUSTED = httpx.create_ssl_context()
"""Shared: reading the certificates takes each client as long as ten requests."""


class Client(httpx.Client):
    def __init__(self, **options: Any) -> None:
        super().__init__(**{"timeout": PATIENCE, "verify": _TRUSTED, **options})


class AsyncClient(httpx.AsyncClient):
    def __init__(self, **options: Any) -> None:
        super().__init__(**{"timeout": PATIENCE, "verify": _TRUSTED, **options})


def request(method: str, address: str, **options: Any) -> httpx.Response:
    return httpx.request(method, address, **{"timeout": PATIENCE, "verify": _TRUSTED, **options})


def get(address: str, **options: Any) -> httpx.Response:
    return request("GET", address, **options)


def post(address: str, **options: Any) -> httpx.Response:
    return request("POST", address, **options)
