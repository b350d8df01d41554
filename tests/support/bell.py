"""A third party that keeps webhooks, over real HTTP, and the app that registers them there."""

import hashlib
import hmac
from typing import Any

from tests.support.desk import DeskService

from patchbay.domain.errors import ThirdPartyError
from patchbay.integration import (
    App,
    Auth,
    Context,
    Trigger,
    TriggerKind,
    api_key_fields,
    delivery_id,
    header_key,
    text,
    without_credentials,
)


class BellService(DeskService):
    """Keeps one webhook for an account, as many services do."""

    def __init__(self) -> None:
        super().__init__()
        self.hooks: dict[str, dict[str, Any]] = {}
        self.refused_events: set[str] = set()
        self.refuses_removal = False
        self._count = 0

    def answer(self, method: str, path: str, key: str | None, body: Any) -> tuple[int, Any]:
        self.calls.append(f"{method} {path}")
        if key != self.good_key:
            return 401, {"message": "Invalid API key"}
        if path == "/me":
            return 200, {"login": "ada"}
        if path == "/webhooks":
            return self._put(body)
        if self.refuses_removal:
            return 500, {"message": "Out of order"}
        hook_id = path.removeprefix("/webhooks/").removesuffix("/remove")
        return (200, self.hooks.pop(hook_id)) if hook_id in self.hooks else (404, {"message": "No such hook"})

    def _put(self, body: dict[str, Any]) -> tuple[int, Any]:
        if body["event"] in self.refused_events:
            return 422, {"message": f"No such event: {body['event']}"}
        if self.hooks:
            return 409, {"message": "This account has a webhook already"}
        self._count += 1
        self.hooks[f"hook-{self._count}"] = body
        return 201, {"id": f"hook-{self._count}"}


def signed(key: str, body: bytes) -> dict[str, str]:
    """The headers of a call that Bell makes."""
    return {"x-bell-signature": hmac.new(key.encode(), body, hashlib.sha256).hexdigest()}


async def _verify(ctx: Context) -> None:
    await ctx.http.get("/me")


async def _still(ctx: Context) -> bool:
    await _verify(ctx)
    return True


async def _is_bell(ctx: Context) -> bool:
    assert ctx.request is not None
    wanted = signed(str(ctx.auth.data["apiKey"]), ctx.request.raw_body)["x-bell-signature"]
    return hmac.compare_digest(ctx.request.headers.get("x-bell-signature", ""), wanted)


async def _register(ctx: Context) -> None:
    hook = {"url": ctx.webhook_url, "event": ctx.parameters["event"]}
    answer = await ctx.http.post("/webhooks", json=hook)
    await ctx.flow.set_remote_webhook_id(str(answer.json()["id"]))
    if ctx.parameters["event"] == "half":
        raise ThirdPartyError(app="Bell", said="Only half of it", status=422)
    if ctx.parameters["event"] == "bug":
        raise ZeroDivisionError


async def _unregister(ctx: Context) -> None:
    await ctx.http.post(f"/webhooks/{ctx.flow.remote_webhook_id}/remove")


async def _rung(ctx: Context) -> None:
    assert ctx.request is not None
    item = {"body": ctx.request.body, "headers": without_credentials(ctx.request.headers)}
    ctx.push_trigger_item(item, delivery_id(ctx.request))


bell = App(
    name="Bell",
    key="bell",
    supports_connections=True,
    base_url="https://bell.example",
    api_base_url="https://api.bell.example",
    auth=Auth(
        fields=api_key_fields(),
        verify_credentials=_verify,
        is_still_verified=_still,
        verify_webhook=_is_bell,
    ),
    before_request=[header_key("X-Desk-Key")],
    triggers=[
        Trigger(
            key="rung",
            name="Bell rung",
            kind=TriggerKind.WEBHOOK,
            arguments=(text("event", "Event", required=True),),
            run=_rung,
            register_hook=_register,
            unregister_hook=_unregister,
        )
    ],
)
