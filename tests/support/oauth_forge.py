"""A small OAuth provider over real HTTP, an app that signs in there, and credentials kept in memory."""

import asyncio
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from tests.support.third_party import Reply, Seen

from patchbay.domain.base import ConnectionId
from patchbay.integration import App, Auth, Context, bearer, oauth2
from patchbay.integration.context import CurrentAuth
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.token_renewal import stored_auth

NOW = 1_750_000_000_000
STATE = "the-state-of-this-sign-in"


@dataclass
class Provider:
    """Grants tokens; `answers` come first, then good ones. Knows the newest access token only."""

    answers: list[Reply] = field(default_factory=list)
    forms: list[dict[str, str]] = field(default_factory=list)
    issued: int = 0
    lifetime: int | None = 3600
    asked: asyncio.Event | None = None
    """Set when tokens are asked for."""

    def __call__(self, request: Seen) -> Reply:
        if request.path != "/token":
            good = request.headers.get("authorization") == f"Bearer access-{self.issued}"
            return Reply(200, {"who": "ada"}) if good else Reply(401, {"error": "invalid_token"})
        if self.asked is not None:
            self.asked.set()
        form = dict(parse_qsl(request.body.decode()))
        self.forms.append(form | {"basic": request.headers.get("authorization", "")})
        if self.answers:
            return self.answers.pop(0)
        self.issued += 1
        answer = {"access_token": f"access-{self.issued}", "refresh_token": f"refresh-{self.issued}"}
        return Reply(200, answer | ({"expires_in": self.lifetime} if self.lifetime else {}))


class Kept:
    """Credentials in memory, as the service keeps them."""

    def __init__(self, data):
        self.data, self.invalid = data, []

    async def load(self, connection_id):
        await asyncio.sleep(0)
        return dict(self.data)

    async def save(self, connection_id, data):
        self.data = data

    async def replace(self, connection_id, before, after):
        await asyncio.sleep(0)
        if self.data != before:
            return False
        self.data = after
        return True

    async def webhook_secrets(self, flow_id):
        return ()

    async def mark_invalid(self, connection_id, reason):
        self.invalid.append(reason)


def forge(url: str, **more) -> App:
    oauth = oauth2(
        authorize_url=f"{url}/authorize", token_url=f"{url}/token", **({"scopes": ("read",)} | more)
    )

    async def verify(ctx: Context) -> None:
        await oauth.sign_in(ctx)

    async def still(ctx: Context) -> bool:
        return bool(await ctx.http.get("/me"))

    auth = Auth(
        fields=(),
        generate_auth_url=oauth.generate_auth_url,
        verify_credentials=verify,
        is_still_verified=still,
        refresh_token=oauth.refresh_token,
    )
    return App(
        name="Forge",
        key="forge",
        supports_connections=True,
        api_base_url=url,
        auth=auth,
        before_request=[bearer(field="accessToken")],
    )


def came_back(url: str, http: HttpFactory, *, app: App | None = None, **callback: str) -> Context:
    """A sign-in whose browser came back with this."""
    data: dict[str, Any] = {
        "clientId": "patchbay",
        "clientSecret": "cs-12345678",
        "oAuthRedirectUrl": "http://127.0.0.1:1/cb",
        "state": STATE,
        "codeVerifier": "v" * 96,
        "callback": {"state": STATE, "code": "the-code-99"} | callback,
    }
    return Context(app=app or forge(url), auth=CurrentAuth(data=data), http_factory=http, now=NOW)


async def using(kept: Kept, app: App, http: HttpFactory, now: int = NOW) -> Context:
    auth = await stored_auth(kept, ConnectionId("connection-1"))
    return Context(app=app, auth=auth, http_factory=http, now=now)


def granted(number: int = 0, **more) -> dict[str, Any]:
    return {
        "clientId": "patchbay",
        "accessToken": f"access-{number}",
        "refreshToken": f"refresh-{number}",
        "obtainedAt": NOW,
        "expiresAt": NOW + 3_600_000,
    } | more
