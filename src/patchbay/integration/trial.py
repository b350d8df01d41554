"""Runs an app's code without network and engine, for authors' tests and the checker."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from patchbay.domain.base import AppKey, ConnectionId, EpochMs, Json, JsonObject
from patchbay.domain.errors import NotFound, NotSupported
from patchbay.domain.fields import Option
from patchbay.domain.ports import TriggerItem
from patchbay.integration.app_definition import App, Auth
from patchbay.integration.context import Context, CurrentAuth, CurrentStep, collect_items
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.registry import load_app, mount_apps_folder
from patchbay.integration.workers import Workers

ResponseSpec = tuple[int, Any]
"""A status and a JSON document."""
_PACKAGE = "patchbay_tried_apps"
_NEW_YEAR_2026: EpochMs = 1_767_225_600_000


@dataclass(frozen=True)
class RecordedRequest:
    """A request as the service would receive it. Header names are lower-case."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes = field(repr=False)
    host: str = ""

    @property
    def json(self) -> Any:
        """The body, parsed as JSON."""
        return json.loads(self.body)


class Trial:
    """An app with a simulated service that responds from a table. `requests` are those of the last call.

    `answers` maps `"GET /path"` to a status and a JSON document; everything else gets `otherwise`. `data`
    is the entered auth data; `verify` adds the values that the app sets.
    """

    def __init__(
        self,
        app: App | Path,
        data: Mapping[str, Json] | None = None,
        answers: Mapping[str, ResponseSpec] | None = None,
        *,
        otherwise: ResponseSpec = (404, {"error": "There is nothing here."}),
    ) -> None:
        if isinstance(app, Path):
            folder = app.resolve()
            mount_apps_folder(folder.parent, _PACKAGE)
            app = load_app(AppKey(folder.name), _PACKAGE)
        self.app = app
        self.data: JsonObject = dict(data or {})
        self.requests: list[RecordedRequest] = []
        self._answers, self._otherwise = dict(answers or {}), otherwise

    async def verify(self) -> None:
        """Run `verify_credentials`, as when connecting. Raises the app's errors."""
        async with self.context({}) as ctx:
            await self._auth().verify_credentials(ctx)

    async def still_verified(self) -> bool:
        """Run `is_still_verified`, as when testing a connection."""
        async with self.context({}) as ctx:
            return await self._auth().is_still_verified(ctx)

    async def trigger(self, key: str, **parameters: Json) -> list[TriggerItem]:
        """Run a trigger and return its items, newest first."""
        found = next((trigger for trigger in self.app.triggers if trigger.key == key), None)
        if found is None or found.run is None:
            raise NotFound(f"{self.app.name} has no polling trigger {key}.")
        async with self.context(parameters) as ctx:
            return list(await collect_items(found.run, ctx))

    async def action(self, key: str, **parameters: Json) -> Any:
        """Run an action and return its output."""
        found = next((action for action in self.app.actions if action.key == key), None)
        if found is None:
            raise NotFound(f"{self.app.name} has no action {key}.")
        async with self.context(parameters) as ctx:
            await found.run(ctx)
            return ctx.action_output

    async def options(self, loader: str, **parameters: Json) -> list[Option]:
        """Run a loader and return the dropdown's options."""
        found = next((item for item in self.app.dynamic_data if item.key == loader), None)
        if found is None:
            raise NotFound(f"{self.app.name} has no list {loader}.")
        async with self.context(parameters) as ctx:
            return list(await found.load(ctx))

    def _auth(self) -> Auth:
        if self.app.auth is None:
            raise NotSupported(f"{self.app.name} doesn't need a connection.", feature="connections")
        return self.app.auth

    @asynccontextmanager
    async def context(self, parameters: JsonObject) -> AsyncIterator[Context]:
        """The context for one call with these parameters."""
        self.requests = []
        factory, workers = HttpFactory(transport=httpx.MockTransport(self._respond)), Workers(max_processes=1)
        ctx = Context(
            app=self.app,
            auth=CurrentAuth(id=ConnectionId("trial"), data=dict(self.data)),
            step=CurrentStep(app_key=self.app.app_key, parameters=parameters),
            http_factory=factory,
            workers=workers,
            idempotency_key="trial:1",
            webhook_url="https://patchbay.example.com/webhooks/trial",
            now=_NEW_YEAR_2026,
        )
        try:
            yield ctx
        finally:
            self.data = dict(ctx.auth.data)
            await factory.aclose()
            await workers.close()

    def _respond(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        headers = {name.lower(): value for name, value in request.headers.items()}
        query = dict(request.url.params)
        recorded = RecordedRequest(request.method, path, query, headers, request.content, request.url.host)
        self.requests.append(recorded)
        status, document = self._answers.get(f"{request.method} {path}", self._otherwise)
        return httpx.Response(status, json=document)
