"""Builds the server's ASGI applications: the HTTP API over a `Backend`, and webhooks over the engine."""

from collections.abc import Callable, Sequence
from functools import cache, partial

from fastapi import APIRouter, Depends, FastAPI
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope, Send

from patchbay.domain.backend import Backend
from patchbay.domain.hosting import SelfTest
from patchbay.domain.ports import ApiKeys, InvitationAcceptance, SignInCallbacks, WebhookIntake
from patchbay.server import accept_invitation, errors, oauth_callback, openapi
from patchbay.server import address_self_test as self_tests
from patchbay.server import webhooks as webhook_addresses
from patchbay.server.authentication import WrongKeyThrottle, require_key
from patchbay.server.connection_limits import DEFAULT_LIMITS
from patchbay.server.event_streams import EventStreams
from patchbay.server.metrics import Metrics, MetricsMiddleware
from patchbay.server.middleware import ApiBodyParser, BearerKeys, HeadRequests, ListConcurrencyLimit
from patchbay.server.openapi import Description
from patchbay.server.request_bodies import BodyLimitMiddleware, BodyLimits
from patchbay.server.routes import (
    api_keys,
    apps,
    audit_log,
    connections,
    engine,
    executions,
    flows,
    folders,
    monitoring,
    people,
    secrets,
    service_settings,
    steps,
    templates,
    tools,
    workspace,
)
from patchbay.server.webhook_front import WebhookFront

_VERSIONED_ROUTERS = (
    api_keys.router,
    apps.router,
    audit_log.router,
    connections.router,
    connections.sign_in_router,
    engine.router,
    executions.bulk_retry_router,
    executions.router,
    flows.router,
    folders.router,
    people.invitation_router,
    people.role_router,
    people.router,
    secrets.router,
    service_settings.router,
    steps.router,
    templates.router,
    tools.router,
    workspace.router,
)
_UNVERSIONED_ROUTERS = (people.router, people.invitation_router)
"""Served without /v1 as well: that is how Automatisch documents them."""


class Application(FastAPI):
    """FastAPI, with webhooks served in front of its middleware and routing."""

    webhook_front: WebhookFront | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.webhook_front is None:
            await super().__call__(scope, receive, send)
        else:
            await self.webhook_front(scope, receive, send)

    def serve_webhooks(
        self,
        intake: WebhookIntake,
        max_concurrent: int,
        metrics: Metrics,
        body_limits: Callable[[Scope], BodyLimits],
    ) -> None:
        """Serve webhooks. The routes of this application only describe them."""
        routes = webhook_addresses.routes(intake, max_concurrent)
        self.router.routes.extend(routes)
        self.webhook_front = WebhookFront(super().__call__, routes, metrics, body_limits)


def create_app(
    backend: Backend,
    webhooks: WebhookIntake | None,
    api_keys: ApiKeys,
    *,
    version: str,
    base_path: str = "",
    callbacks: SignInCallbacks | None = None,
    accept_invitations: InvitationAcceptance | None = None,
    self_test: SelfTest | None = None,
    body_limits: Callable[[Scope], BodyLimits] | None = None,
    metrics: Metrics | None = None,
    interface_address: str | None = None,
    max_concurrent_webhooks: int = DEFAULT_LIMITS.max_webhooks,
    check_storage: monitoring.StorageCheck | None = None,
) -> Application:
    """The server as an ASGI application.

    `base_path` (such as "/api") is the path prefix of the API; webhooks, icons, the health check, and the
    OpenAPI document keep their paths. `callbacks` handles browsers that return from a sign-in,
    `accept_invitations` invitation links, `self_test` requests to the server's own public address. Without
    `webhooks`, another application serves them (`create_public_app`), with which `metrics` are shared.
    `interface_address` is the public address of the API. The health check calls `check_storage`.
    """
    app = Application(
        title="Patchbay",
        version=version,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.backend = backend
    app.state.api_keys = api_keys
    app.state.throttle = WrongKeyThrottle()
    app.state.events = EventStreams()
    app.state.metrics = metrics or Metrics(version)
    body_limits = body_limits or partial(webhook_addresses.body_limits, webhooks)
    if webhooks is not None:
        app.serve_webhooks(webhooks, max_concurrent_webhooks, app.state.metrics, body_limits)
    app.router.routes.extend(_browser_routes(callbacks, self_test))
    if accept_invitations is not None:
        app.router.routes.extend(
            accept_invitation.routes(accept_invitations, backend, base_path, interface_address)
        )
    app.router.routes.extend(_api_routes(base_path))
    app.include_router(apps.icon_router)
    app.include_router(monitoring.health(backend, version, check_storage))
    app.include_router(monitoring.router)
    app.router.routes.extend(openapi.routes(Description(app), base_path))
    return _with_middleware(app, app.state.metrics, body_limits)


def create_public_app(
    webhooks: WebhookIntake,
    callbacks: SignInCallbacks | None = None,
    self_test: SelfTest | None = None,
    metrics: Metrics | None = None,
    max_concurrent_webhooks: int = DEFAULT_LIMITS.max_webhooks,
) -> Application:
    """Webhooks and the redirect address, as an application for a separate origin.

    Nothing here shows or accepts an API key, so the pages that flows respond with find none on their origin.
    """
    app = Application(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.throttle = WrongKeyThrottle()
    app.state.events = EventStreams()
    metrics = metrics or Metrics("")
    body_limits = partial(webhook_addresses.body_limits, webhooks)
    app.serve_webhooks(webhooks, max_concurrent_webhooks, metrics, body_limits)
    app.router.routes.extend(_browser_routes(callbacks, self_test))
    return _with_middleware(app, metrics, body_limits)


def _browser_routes(callbacks: SignInCallbacks | None, self_test: SelfTest | None) -> list[BaseRoute]:
    found: list[BaseRoute] = []
    if self_test is not None:
        found += self_tests.routes(self_test)  # before the redirect address, whose test requests it handles
    if callbacks is not None:
        found += oauth_callback.routes(callbacks)
    return found


def _with_middleware(
    app: Application, metrics: Metrics, body_limits: Callable[[Scope], BodyLimits]
) -> Application:
    """The application with its middleware. The middleware added last runs first."""
    app.add_middleware(HeadRequests)
    app.add_middleware(ListConcurrencyLimit)
    app.add_middleware(ApiBodyParser)
    app.add_middleware(BearerKeys)
    app.add_middleware(BodyLimitMiddleware, body_limits=body_limits)
    app.add_middleware(MetricsMiddleware, metrics=metrics)
    errors.install_error_handlers(app)
    return app


@cache
def _api_routes(base_path: str) -> Sequence[BaseRoute]:
    """The API's routes: every resource under /v1; users, their folders, and invitations also without it; MCP.

    The routes hold no state of an application, so all applications of a process share them: building them
    takes a third of a second.
    """
    interface = APIRouter(prefix=base_path, dependencies=[Depends(require_key)])
    for router in _VERSIONED_ROUTERS:
        interface.include_router(router, prefix="/v1")
    for router in (*_UNVERSIONED_ROUTERS, tools.mcp_router):
        interface.include_router(router)
    routes = APIRouter()
    routes.include_router(interface)
    return tuple(routes.routes)
