"""A simulated service: records requests, and responds as the author of the app says, or from the facts."""

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
from tests.support.catalogue import samples
from tests.support.catalogue.facts import Facts, facts_of, responses, the_app
from tests.support.shared_workers import SharedWorkers

from patchbay.domain.base import ConnectionId, FlowId
from patchbay.domain.ports import WebhookRequest
from patchbay.integration import urls
from patchbay.integration.context import Context, CurrentAuth, CurrentFlow, CurrentStep
from patchbay.integration.http_factory import HttpFactory

NOW = 1_767_225_600_000
WEBHOOK_URL = "https://patchbay.example.com/webhooks/sample-flow"
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_UNREACHABLE = {"$unreachable": True}
_MAX_REQUESTS = 200
"""Requests of one call. With more, its paging doesn't end."""


@dataclass(frozen=True)
class Sent:
    """A request as the service received it. `url` has no query."""

    method: str
    url: str
    query: dict[str, str]
    headers: dict[str, str]
    content: bytes

    @property
    def is_form(self) -> bool:
        return "form-urlencoded" in self.headers.get("content-type", "")

    @property
    def body(self) -> Any:
        """The JSON or form of the body; None if it has neither."""
        if self.is_form:
            return dict(parse_qsl(self.content.decode(), keep_blank_values=True))
        try:
            return json.loads(self.content) if self.content else None
        except ValueError:
            return None


Respond = Callable[[httpx.Request], httpx.Response | None]


class SimulatedService:
    """The service of one app. `requests` are all it received; `interfere` responds in its place.

    `known` are the responses by request, and `data` are the values of the connection.
    """

    def __init__(
        self,
        key: str,
        interfere: Respond | None = None,
        *,
        known: dict[str, Any] | None = None,
        data: dict[str, Any] | None = None,
    ) -> None:
        self.key, self.requests = key, list[Sent]()
        self.documents: list[tuple[Sent, Any]] = []
        self.made_up: list[Sent] = []
        """Requests without a realistic response."""
        self.known = responses(key) if known is None else known
        self._interfere = interfere
        self._data = samples.auth_data(key) if data is None else data

    def respond(self, request: httpx.Request) -> httpx.Response:
        """The response to a request, which is recorded."""
        url = str(request.url.copy_with(query=None))
        headers = {name.lower(): value for name, value in request.headers.items()}
        sent = Sent(request.method, self._canonical(url), dict(request.url.params), headers, request.content)
        self.requests.append(sent)
        assert len(self.requests) <= _MAX_REQUESTS, f"{self.key} doesn't stop requesting pages"
        if self._interfere is not None and (answer := self._interfere(request)) is not None:
            return answer
        if self._is_token_request(sent):
            return httpx.Response(200, json=token_response(self.key))
        status, extra, document = self._document(sent)
        self.documents.append((sent, document))
        if document == _UNREACHABLE:
            raise httpx.ConnectError("simulated", request=request)
        if document is None:
            return httpx.Response(status, headers=extra)
        if isinstance(document, str):
            return httpx.Response(status, headers=extra, text=document)
        return httpx.Response(status, headers=extra, json=document)

    def _canonical(self, url: str) -> str:
        """The address with the base of the facts in place of the app's own: the vendor may have moved on."""
        app, theirs = the_app(self.key), facts_of(self.key)["apiBaseUrl"].rstrip("/")
        ours = urls.fill_template(app.api_base_url, self._data).rstrip("/")
        return theirs + url.removeprefix(ours) if theirs and ours and url.startswith(ours) else url

    def _is_token_request(self, sent: Sent) -> bool:
        oauth = facts_of(self.key)["auth"].get("oauth", {})
        calls = [oauth.get("tokenCall"), oauth.get("refreshCall")]
        is_grant = "grant_type" in {**(sent.body if isinstance(sent.body, dict) else {}), **sent.query}
        return is_grant or any(call and self.is_call(sent, call) for call in calls)

    def _document(self, sent: Sent) -> tuple[int, dict[str, str], Any]:
        best: tuple[int, Any] | None = None
        for pattern, document in self.known.items():
            if pattern.startswith("$"):
                continue
            score = self._matches(sent, pattern)
            if score and (best is None or score > best[0]):
                best = score, document
        if best is None:
            self.made_up.append(sent)
            return 200, {}, made_up_response(facts_of(self.key), sent)
        document = best[1]
        if (
            isinstance(document, dict)
            and any(name.startswith("$") for name in document)
            and ({*document} <= {"$status", "$headers", "$json", "$text"})
        ):
            body = document.get("$json", document.get("$text"))
            return document.get("$status", 200), document.get("$headers", {}), body
        return 200, {}, document

    def _matches(self, sent: Sent, pattern: str) -> int:
        """How specific the pattern is if it fits; 0 if it doesn't."""
        method, _, target = pattern.partition(" ")
        path, _, query = target.partition("?")
        wanted = dict(parse_qsl(query))
        expression = re.escape(self.full_url(path)).replace(r"\*", "[^/?]+")
        if sent.method != method or not re.fullmatch(expression, sent.url):
            return 0
        given = {**(sent.body if isinstance(sent.body, dict) else {}), **sent.query}
        if any(str(given.get(name)) != value for name, value in wanted.items()):
            return 0
        return 1 + len(path) + 1000 * len(wanted)

    def full_url(self, path: str) -> str:
        """The address of a path in the facts."""
        path = urls.fill_template(path, self._data)
        base = facts_of(self.key)["apiBaseUrl"].rstrip("/")
        return path if urls.is_absolute(path) else f"{base}/{path.lstrip('/')}"

    def is_call(self, sent: Sent, call: Facts) -> bool:
        """Whether a recorded request is one of the facts, by method and path."""
        if sent.method != call["method"] or "path" not in call:
            return False
        path = call["path"].partition("?")[0]
        for name, value in self._data.items():
            path = path.replace(f"{{auth.{name}}}", str(value))
        base = "" if urls.is_absolute(path) else facts_of(self.key)["apiBaseUrl"].rstrip("/")
        full = path if urls.is_absolute(path) else f"{base}/{path.lstrip('/')}"
        pieces = _PLACEHOLDER.split(full)
        expression = "".join(re.escape(piece) if i % 2 == 0 else ".+?" for i, piece in enumerate(pieces))
        return re.fullmatch(expression.rstrip("/") + "/?", sent.url) is not None


def token_response(key: str) -> dict[str, Any]:
    """What the token address returns."""
    oauth = facts_of(key)["auth"].get("oauth", {})
    return {
        "access_token": "secret-accessToken-0123456789",
        "refresh_token": "secret-refreshToken-0123456789",
        "token_type": "Bearer",
        "expires_in": 3600,
        "scope": oauth.get("scopeSeparator", " ").join(oauth.get("scopes", ())),
        **responses(key).get("$token", {}),
    }


def made_up_response(own: Facts, sent: Sent) -> Any:
    """A response of the shape that the facts suggest: the lists in which items are identified."""
    document: dict[str, Any] = {"id": "1", "name": "Sample", "data": [{"id": "1", "name": "Sample"}]}
    for trigger in own["triggers"]:
        match = re.match(r"\{response([^}]*)\}", trigger.get("internalId") or "")
        called = [call.get("path", "") for call in trigger.get("calls", ())]
        if match and any(path.rsplit("/", 1)[-1] == sent.url.rsplit("/", 1)[-1] for path in called):
            return _nested(match[1].strip("."))
    return document


def _nested(path: str) -> Any:
    name, _, rest = path.partition(".")
    if name.endswith("[]"):
        rows = [_with_id(rest, number) for number in ("2", "1")]
        return {name.removesuffix("[]"): rows} if name != "[]" else rows
    return {name: _nested(rest) if rest else "1"}


def _with_id(path: str, number: str) -> Any:
    name, _, rest = path.partition(".")
    if name.endswith("[]"):
        return {name.removesuffix("[]"): [_with_id(rest, number)]}
    return {name: _with_id(rest, number) if rest else number, "name": f"Sample {number}"}


@asynccontextmanager
async def calling(
    service: SimulatedService,
    parameters: dict[str, Any] | None = None,
    *,
    data: dict[str, Any] | None = None,
    request: WebhookRequest | None = None,
    **more: Any,
) -> AsyncIterator[Context]:
    """The context of one call of the app against the simulated service."""
    app = the_app(service.key)
    factory, workers = HttpFactory(transport=httpx.MockTransport(service.respond)), SharedWorkers()
    ctx = Context(
        app=app,
        auth=CurrentAuth(
            id=ConnectionId("sample-connection"),
            data=samples.auth_data(service.key) if data is None else data,
        ),
        flow=CurrentFlow(id=FlowId("sample-flow"), remote_webhook_id="sample-remoteWebhookId"),
        step=CurrentStep(app_key=app.app_key, parameters=dict(parameters or {})),
        http_factory=factory,
        workers=workers,
        idempotency_key="sample:1",
        webhook_url=WEBHOOK_URL,
        request=request,
        now=NOW,
        **more,
    )
    try:
        with ctx.mask_errors():
            yield ctx
    finally:
        await factory.aclose()


def path_of(url: str) -> str:
    """The path of an address, for messages."""
    return urlsplit(url).path
