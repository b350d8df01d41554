"""A workspace that listens for browsers coming back, and a person with a browser, at a real provider."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.contract_workspaces import Served, served
from tests.support.oidc_provider import Browser, OidcProvider
from tests.support.workspace import CATCH, WorkspaceRuntime, open_runtime

from patchbay.domain.base import AppKey
from patchbay.domain.connections import Connection
from patchbay.domain.executions import Execution, ExecutionFilter, ExecutionStep
from patchbay.domain.flows import Flow, StepChange
from patchbay.domain.paging import PageRequest
from patchbay.domain.ports import WebhookRequest
from patchbay.integration import (
    Action,
    App,
    Auth,
    AuthField,
    Context,
    DynamicData,
    Option,
    bearer,
    oauth2,
    oauth_fields,
    revocation,
)
from patchbay.integration.registry import BUILT_IN, load_app

CALLED = WebhookRequest(method="GET", headers={}, query={})


oauth = oauth2(
    authorize_url="{auth.instanceUrl}/auth",
    token_url="{auth.instanceUrl}/token",
    scopes=("openid", "email", "offline_access"),
    revoke=revocation("{auth.instanceUrl}/token/revocation"),
)


async def _verify(ctx: Context) -> None:
    await oauth.sign_in(ctx)
    me = (await ctx.http.get("/me")).json()
    await ctx.auth.set(screenName=me["email"], accountId=me["sub"])


async def _still(ctx: Context) -> bool:
    await ctx.http.get("/me")
    return True


async def _who(ctx: Context) -> None:
    ctx.set_action_item((await ctx.http.get("/me")).json())


async def _choices(ctx: Context) -> list[Option]:
    return [Option(label=(await ctx.http.get("/me")).json()["email"], value=1)]


circle = App(
    name="Circle",
    key="circle",
    supports_connections=True,
    base_url="https://circle.example",
    api_base_url="{auth.instanceUrl}",
    auth=Auth(
        fields=(
            AuthField(key="instanceUrl", label="Instance", required=True),
            *oauth_fields(secret_required=False),
        ),
        generate_auth_url=oauth.generate_auth_url,
        verify_credentials=_verify,
        is_still_verified=_still,
        refresh_token=oauth.refresh_token,
    ),
    before_request=[bearer(field="accessToken")],
    actions=[Action(key="who", name="Who am I", run=_who)],
    dynamic_data=[DynamicData(key="choices", load=_choices)],
)
"""An app that names its connections after the account, as apps with OAuth do."""


@dataclass
class SignInDesk:
    """Everything a sign-in takes."""

    runtime: WorkspaceRuntime
    service: Served
    browser: Browser
    provider: OidcProvider

    async def connect(self, login: str = "ada", **changes: str) -> Connection:
        backend = self.runtime.backend
        began = await backend.begin_sign_in(AppKey("http"), self.provider.connection(**changes))
        await self.browser.sign_in(began.url, login)
        return await backend.finish_sign_in(began.id)

    async def join_circle(self, login: str, connection: Connection | None = None) -> Connection:
        """Sign in to the app Circle, for a new connection or again."""
        backend = self.runtime.backend
        values: dict[str, Any] = {"instanceUrl": self.provider.address, "clientId": "desktop"}
        began = await backend.begin_sign_in(AppKey("circle"), values, connection.id if connection else None)
        await self.browser.sign_in(began.url, login)
        return await backend.finish_sign_in(began.id)

    async def secrets(self, connection: Connection) -> dict[str, Any]:
        return await self.runtime.credentials.load(connection.id)

    async def spoil_access(self, connection: Connection) -> None:
        """Put an access token in place that the provider does not know, as if it had been taken back."""
        data = await self.secrets(connection)
        await self.runtime.credentials.save(connection.id, {**data, "accessToken": "taken-back-early"})

    async def flow(self, connection: Connection) -> Flow:
        """Published; asks the provider who we are whenever it is called."""
        ask = StepChange(
            app_key=AppKey("http-request"),
            key="customRequest",
            connection_id=connection.id,
            parameters={"method": "GET", "url": "/me"},
        )
        flow = await self.runtime.flow(CATCH, ask)
        return await self.runtime.backend.publish_flow((await self.runtime.skipped(flow)).id)

    async def call(self, flow: Flow) -> ExecutionStep:
        """Run the flow once to its end; what its request came to."""
        await self.runtime.engine.deliver(flow.id, CALLED, synchronous=True)
        newest = (await self.runs(flow))[0]
        return (await self.runtime.backend.execution_steps(newest.id))[-1]

    async def runs(self, flow: Flow) -> tuple[Execution, ...]:
        where = ExecutionFilter(flow_id=flow.id)
        return (await self.runtime.backend.list_executions(where, PageRequest(limit=100))).items


@asynccontextmanager
async def sign_in_desk(folder: Path, provider: OidcProvider) -> AsyncIterator[SignInDesk]:
    apps = [load_app(AppKey(key), BUILT_IN) for key in ("http", "http-request")] + [circle]
    runtime = await open_runtime(folder, more_apps=apps)
    await runtime.engine.start()
    try:
        async with served(runtime) as service, Browser() as browser:
            runtime.address[0] = service.base_url
            provider.grants.clear()
            yield SignInDesk(runtime, service, browser, provider)
    finally:
        await runtime.close()
