"""The services that templates use, simulated below the HTTP clients of the apps."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
from tests.support.catalogue import samples
from tests.support.catalogue.facts import deviations, facts_of, responses
from tests.support.catalogue.service import SimulatedService

from patchbay.integration.context import Context
from patchbay.integration.http_client import AppHttp
from patchbay.integration.http_factory import HttpFactory

_MOVED_TO = re.compile(r"the API base URL is (\S+)")
"""The address in a deviation from the facts: the vendor has moved since."""


@dataclass
class ServiceOfApp:
    """The service of one app, and the requests that it received."""

    key: str
    is_empty: bool = False
    """Whether its lists have no items, as before those that start the flow."""
    addresses: list[str] = field(default_factory=list)
    """The addresses of all requests."""

    def __post_init__(self) -> None:
        self.data = self._at_own_host(samples.auth_data(self.key))
        self.simulated = SimulatedService(self.key, known={}, data=self.data)
        self.http = HttpFactory(transport=httpx.MockTransport(self._respond))

    def _at_own_host(self, value: Any) -> Any:
        """The value with a host of its own in place of the one that all samples share."""
        host = f"{self.key}.example.com"
        return json.loads(json.dumps(value).replace("service.example.com", host))

    def use(self, answers: Mapping[str, Any]) -> None:
        """Respond with these answers from now on, and otherwise with the catalogue's."""
        self.simulated.known = self._at_own_host({**responses(self.key), **answers})

    def _respond(self, request: httpx.Request) -> httpx.Response:
        self.addresses.append(str(request.url.copy_with(query=None)))
        response = self.simulated.respond(request)
        if not self.is_empty or "json" not in response.headers.get("content-type", ""):
            return response
        return httpx.Response(response.status_code, json=without_items(response.json()))

    def foreign_addresses(self) -> list[str]:
        """Requests to hosts that neither the facts of the app nor its connection name."""
        own, listed = facts_of(self.key), " ".join(deviations(self.key))
        named = [own["apiBaseUrl"], *_paths(own), *_MOVED_TO.findall(listed)]
        named += [
            request.partition(" ")[2] for request in self.simulated.known if not request.startswith("$")
        ]
        hosts = {urlsplit(self.simulated.full_url(address)).netloc for address in named}
        return [address for address in self.addresses if urlsplit(address).netloc not in hosts]


def _paths(value: Any) -> Iterator[str]:
    """All paths of requests in facts."""
    if isinstance(value, dict):
        yield from ([value["path"]] if isinstance(value.get("path"), str) else [])
        yield from (path for item in value.values() for path in _paths(item))
    elif isinstance(value, list):
        yield from (path for item in value for path in _paths(item))


def without_items(document: Any) -> Any:
    """A response of the same shape with empty lists."""
    if isinstance(document, list):
        return []
    if isinstance(document, dict):
        return {name: without_items(value) for name, value in document.items()}
    return document


class Services(HttpFactory):
    """The HTTP clients of a workspace in which each app reaches only its own simulated service."""

    def __init__(self) -> None:
        super().__init__(transport=httpx.MockTransport(_refuse))
        self._apps: dict[str, ServiceOfApp] = {}
        self._answers: Mapping[str, Any] = {}

    def respond(self, answers: Mapping[str, Any]) -> None:
        """Let services respond with these answers by app."""
        self._answers = answers
        for key, service in self._apps.items():
            service.use(answers.get(key, {}))

    def of(self, key: str) -> ServiceOfApp:
        """The service of an app."""
        if key not in self._apps:
            self._apps[key] = ServiceOfApp(key)
            self._apps[key].use(self._answers.get(key, {}))
        return self._apps[key]

    def used(self) -> list[ServiceOfApp]:
        """The services of all apps that have been used."""
        return list(self._apps.values())

    def client(self, ctx: Context) -> AppHttp:
        return self.of(ctx.app.key).http.client(ctx)

    async def aclose(self) -> None:
        for service in self._apps.values():
            await service.http.aclose()
        await super().aclose()


def _refuse(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError(f"no app sent this request to {request.url.host}", request=request)
