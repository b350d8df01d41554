"""Webhooks of Mailchimp: the token in the address, and signatures."""

import hmac
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from tests.support.app_calls import built_in_app
from tests.support.catalogue.service import NOW, SimulatedService, calling

from patchbay.domain.ports import WebhookRequest
from patchbay.integration import App, Trigger

SECRET = "3f1b7c52d90e"
BODY = b"type=subscribe&data%5Bemail%5D=ada%40example.com"
SECONDS = NOW // 1000
AUDIENCE = {"audienceId": "a6b5da1054"}


@pytest.fixture
def trigger() -> Trigger:
    app: App = built_in_app("mailchimp")
    return next(one for one in app.triggers if one.key == "newSubscribers")


def signature(body: bytes = BODY, secret: str = SECRET, seconds: int = SECONDS) -> str:
    digest = hmac.new(secret.encode(), f"{seconds}.".encode() + body, "sha256").hexdigest()
    return f"t={seconds},v1={digest}"


def delivery(header: str | None, token: str, method: str = "POST", **more: str) -> WebhookRequest:
    headers = {} if header is None else {"X-Mailchimp-Signature": header}
    body = BODY if method == "POST" else b""
    return WebhookRequest(method=method, headers=headers, query={"token": token, **more}, raw_body=body)


def token_of(service: SimulatedService) -> str:
    return parse_qs(urlsplit(service.requests[0].body["url"]).query)["token"][0]


@pytest.mark.parametrize(
    ("header", "is_valid"),
    [
        (signature(), True),
        (f"t={SECONDS},v1=0a,v1={signature().partition('v1=')[2]}", True),
        (signature(b"{}"), False),
        (signature(secret="another"), False),
        (signature(seconds=SECONDS - 301), False),
        ("t=,v1=", False),
        ("nonsense", False),
        (None, False),
    ],
)
async def test_only_deliveries_with_a_valid_signature_are_accepted(trigger, header, is_valid):
    service = SimulatedService("mailchimp")

    async with calling(service, AUDIENCE) as ctx:
        await trigger.register_hook(ctx)
        ctx.request = delivery(header, token_of(service))

        assert await trigger.verify_webhook(ctx) is is_valid
        assert (ctx.signed_delivery is not None) is is_valid
    assert ctx.flow.remote_webhook_id == "dd6a72a2f6"


async def test_a_valid_signature_without_the_token_is_rejected(trigger):
    async with calling(SimulatedService("mailchimp"), AUDIENCE) as ctx:
        await trigger.register_hook(ctx)
        ctx.request = delivery(signature(), "another")

        assert not await trigger.verify_webhook(ctx)


def respond_without_secret(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"id": "dd6a72a2f6"})


async def test_an_unsigned_webhook_needs_only_the_token(trigger):
    service = SimulatedService("mailchimp", respond_without_secret)

    async with calling(service, AUDIENCE) as ctx:
        await trigger.register_hook(ctx)
        ctx.request = delivery(None, token_of(service))
        assert await trigger.verify_webhook(ctx)

        ctx.request = delivery(None, "another")
        assert not await trigger.verify_webhook(ctx)


async def test_mailchimp_can_check_the_address_before_there_is_a_secret(trigger):
    async with calling(SimulatedService("mailchimp"), AUDIENCE) as ctx:
        ctx.request = delivery(None, "any", "GET")
        assert await trigger.verify_webhook(ctx)

        ctx.request = delivery(None, "any", "GET", type="subscribe")
        assert not await trigger.verify_webhook(ctx)
