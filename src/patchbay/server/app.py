"""Builds the service: the HTTP interface over a Backend, and the webhook addresses over the engine."""

from fastapi import APIRouter, Depends, FastAPI
from starlette.responses import Response

from patchbay.domain.backend import Backend
from patchbay.domain.ports import ApiKeys, Joining, SignInCallbacks, WebhookIntake
from patchbay.server import callback, failures, joining
from patchbay.server import webhooks as webhook_addresses
from patchbay.server.access import require_key
from patchbay.server.envelope import json_response
from patchbay.server.events import EventStreams
from patchbay.server.forms import FormBodies
from patchbay.server.guard import Guard
from patchbay.server.routes import (
    api_keys,
    apps,
    audit,
    connections,
    engine,
    execution_retries,
    executions,
    flows,
    folders,
    invitations,
    people,
    roles,
    secrets,
    sign_ins,
    steps,
    templates,
    workspace,
)

_VERSIONED = (
    api_keys, apps, audit, connections, engine, execution_retries, executions, flows, folders,
    invitations, people, roles, secrets, sign_ins, steps, templates, workspace,
)  # fmt: skip


def create_app(
    backend: Backend,
    webhooks: WebhookIntake,
    api_keys: ApiKeys,
    *,
    version: str,
    base_path: str = "",
    callbacks: SignInCallbacks | None = None,
    invited: Joining | None = None,
) -> FastAPI:
    """The service as an ASGI application.

    `base_path` ("/api", say) goes before the addresses of the interface; webhooks, icons, the health check
    and the description stay where they are. `callbacks` takes what browsers bring back from sign-ins,
    `invited` the people who follow an invitation.
    """
    app = FastAPI(
        title="Patchbay", version=version, docs_url=None, redoc_url=None, redirect_slashes=False,
    )  # fmt: skip
    app.state.backend = backend
    app.state.api_keys = api_keys
    app.state.events = EventStreams()
    app.router.routes.extend(webhook_addresses.routes(webhooks))
    if callbacks is not None:
        app.router.routes.extend(callback.routes(callbacks))
    if invited is not None:
        app.router.routes.extend(joining.routes(invited, backend, base_path))
    app.include_router(_interface(base_path))
    app.include_router(apps.icons)
    app.include_router(_health(version))
    app.add_middleware(FormBodies)
    app.add_middleware(
        Guard, allowance=webhook_addresses.allowance
    )  # outermost: what is added last comes first
    failures.install(app)
    return app


def _interface(base_path: str) -> APIRouter:
    """Every resource under /v1; users, their folders and invitations also without, as they are written."""
    interface = APIRouter(prefix=base_path, dependencies=[Depends(require_key)])
    for module in _VERSIONED:
        interface.include_router(module.router, prefix="/v1")
    for module in (people, invitations):
        interface.include_router(module.router)
    return interface


def _health(version: str) -> APIRouter:
    router = APIRouter(tags=["workspace"])

    @router.get("/healthcheck")
    async def healthcheck() -> Response:
        """Whether the service answers. Needs no API key."""
        return json_response({"status": "ok", "version": version})

    return router
