"""Ghost's tokens, which are signed with the admin key, and the signatures of its deliveries."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode

import pytest
from tests.support.catalogue.service import NOW, SimulatedService, calling

from patchbay.domain.base import AppKey
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.ports import WebhookRequest
from patchbay.integration.registry import BUILT_IN, load_app

SITE = "https://blog.example"
CONTENT = b'{"post": {}}'


def _part(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


async def test_a_request_has_a_token_that_expires_and_is_signed_with_the_key():
    service = SimulatedService("ghost")
    async with calling(service, data={"instanceUrl": SITE, "apiKey": "k1:00ff"}) as ctx:
        await ctx.http.get("/ghost/api/admin/pages/")

    scheme, _, token = service.requests[0].headers["authorization"].partition(" ")
    header, claims, signature = token.split(".")
    now = NOW // 1000
    assert scheme == "Ghost"
    assert json.loads(_part(header)) == {"alg": "HS256", "typ": "JWT", "kid": "k1"}
    assert json.loads(_part(claims)) == {"iat": now, "exp": now + 300, "aud": "/admin/"}
    expected = hmac.new(b"\x00\xff", f"{header}.{claims}".encode(), hashlib.sha256).digest()
    assert _part(signature) == expected


async def test_another_address_gets_no_token():
    service = SimulatedService("ghost")
    async with calling(service, data={"instanceUrl": SITE, "apiKey": "k1:00ff"}) as ctx:
        await ctx.http.get("https://elsewhere.example/pages/")

    assert "authorization" not in service.requests[0].headers


@pytest.mark.parametrize("key", ["22444f78447824223cefc48062", "k1:", ":00ff", "k1:xyz"])
async def test_a_key_of_another_kind_is_explained(key):
    service = SimulatedService("ghost")
    async with calling(service, data={"instanceUrl": SITE, "apiKey": key}) as ctx:
        with pytest.raises(ValidationFailed, match="Admin API key"):
            await ctx.http.get("/ghost/api/admin/pages/")

    assert service.requests == []


@pytest.mark.parametrize(
    ("secret", "signed", "accepted"),
    [
        (b"newest", CONTENT + b"1767225600000", True),
        (b"earlier", CONTENT, True),
        (b"newest", CONTENT + b"1767225600001", False),
        (b"", CONTENT, False),
        (b"another", CONTENT, False),
    ],
)
async def test_deliveries_are_accepted_with_the_right_signature(secret, signed, accepted):
    trigger = load_app(AppKey("ghost"), BUILT_IN).triggers[0]
    async with calling(SimulatedService("ghost"), data={"instanceUrl": SITE, "apiKey": "k1:00ff"}) as ctx:
        ctx.flow.webhook_secrets = ("newest", "earlier")
        digest = hmac.new(secret, signed, hashlib.sha256).hexdigest()
        header = {"X-Ghost-Signature": f"sha256={digest}, t=1767225600000"}
        ctx.request = WebhookRequest(method="POST", headers=header, query={}, raw_body=CONTENT)

        assert await trigger.verify_webhook(ctx) is accepted
        assert bool(ctx.signed_delivery) is accepted
