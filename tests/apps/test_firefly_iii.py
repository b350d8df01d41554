"""Webhooks of Firefly III: signatures, and servers before version 6.4."""

import hmac
import json

import httpx
import pytest
from tests.support.app_calls import built_in_app
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.domain.errors import ThirdPartyError
from patchbay.domain.ports import WebhookRequest
from patchbay.integration import App, Trigger

SECRET = "iMLZLtLx2JHWhK9Dtyuoqyir"
BODY = b'{"uuid":"7d5a","trigger":"STORE_TRANSACTION"}'


@pytest.fixture
def trigger() -> Trigger:
    app: App = built_in_app("firefly-iii")
    return next(one for one in app.triggers if one.key == "transactionCreated")


def signature(body: bytes = BODY, secret: str = SECRET) -> str:
    digest = hmac.new(secret.encode(), b"1767225600." + body, "sha3_256").hexdigest()
    return f"t=1767225600,v1={digest}"


@pytest.mark.parametrize(
    ("header", "is_valid"),
    [
        (signature(), True),
        (signature(b"{}"), False),
        (signature(secret="another"), False),
        ("t=1767225600,v1=", False),
        ("nonsense", False),
        ("", False),
    ],
)
async def test_only_deliveries_with_a_valid_signature_are_accepted(trigger, header, is_valid):
    request = WebhookRequest(method="POST", headers={"Signature": header}, query={}, raw_body=BODY)
    service = SimulatedService("firefly-iii")
    assert trigger.register_hook is not None
    assert trigger.verify_webhook is not None

    async with calling(service, request=request) as ctx:
        await trigger.register_hook(ctx)

        assert await trigger.verify_webhook(ctx) is is_valid
        assert (ctx.signed_delivery is not None) is is_valid
    assert [sent.method for sent in service.requests] == ["POST"]


async def test_without_a_stored_secret_no_delivery_is_accepted(trigger):
    request = WebhookRequest(
        method="POST", headers={"Signature": signature(secret="")}, query={}, raw_body=BODY
    )

    async with calling(SimulatedService("firefly-iii"), request=request) as ctx:
        assert not await trigger.verify_webhook(ctx)


def respond_without_secret(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"data": {"id": "2", "attributes": {"active": True}}})


async def test_a_webhook_without_a_secret_is_an_error_of_its_registration(trigger):
    with pytest.raises(ThirdPartyError, match="unexpected response"):
        async with calling(SimulatedService("firefly-iii", respond_without_secret)) as ctx:
            await trigger.register_hook(ctx)

    assert ctx.flow.remote_webhook_id == "2"


def respond_as_before_6_4(request: httpx.Request) -> httpx.Response | None:
    if "trigger" in json.loads(request.content):
        return None
    return httpx.Response(422, json={"message": "The trigger field is required."})


async def test_older_servers_get_one_trigger_instead_of_a_list(trigger):
    service = SimulatedService("firefly-iii", respond_as_before_6_4)
    assert trigger.register_hook is not None

    async with calling(service) as ctx:
        await trigger.register_hook(ctx)

        assert ctx.flow.remote_webhook_id == "2"
    assert [sent.body.get("triggers", sent.body.get("trigger")) for sent in service.requests] == [
        ["STORE_TRANSACTION"],
        "STORE_TRANSACTION",
    ]


async def test_other_errors_of_the_registration_are_reported(trigger):
    service = SimulatedService("firefly-iii", lambda request: httpx.Response(404, json={"message": "Off"}))
    assert trigger.register_hook is not None

    with pytest.raises(ThirdPartyError):
        async with calling(service) as ctx:
            await trigger.register_hook(ctx)

    assert len(service.requests) == 1
