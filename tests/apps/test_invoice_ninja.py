"""What the app for Invoice Ninja does besides the contract: empty parts of bodies, types, and deliveries."""

from typing import Any

import httpx
import pytest
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.domain.base import AppKey
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.ports import WebhookRequest
from patchbay.integration.registry import BUILT_IN, load_app


async def _sent(action_key: str, parameters: dict[str, Any]) -> tuple[dict[str, str], Any]:
    app, service = load_app(AppKey("invoice-ninja"), BUILT_IN), SimulatedService("invoice-ninja")
    action = next(action for action in app.actions if action.key == action_key)
    async with calling(service, parameters) as ctx:
        await action.run(ctx)
    return service.requests[0].query, service.requests[0].body


async def test_a_client_without_a_contact_has_no_empty_one():
    _, body = await _sent("createClient", {"clientName": "Roses Inc", "contactEmail": ""})

    assert body == {"name": "Roses Inc"}


async def test_countries_languages_and_currencies_are_sent_as_text():
    chosen = {"languageCode": 3, "currencyCode": 3, "countryCode": 276, "contactEmail": "bob@example.com"}

    _, body = await _sent("createClient", chosen)

    assert body == {
        "contacts": [{"email": "bob@example.com"}],
        "settings": {"language_id": "3", "currency_id": "3"},
        "country_id": "276",
    }


async def test_an_invoice_has_numbers_and_what_happens_to_it_is_in_the_query():
    parameters = {
        "clientId": "VolejRejNm",
        "sendEmail": "true",
        "isAmountDiscount": "false",
        "discount": "2.5",
        "lineItemCost": "12,50",
        "lineItemTaxRate1": "19",
    }

    with pytest.raises(ValidationFailed):
        await _sent("createInvoice", parameters)
    query, body = await _sent("createInvoice", {**parameters, "lineItemCost": "12.50"})

    assert query == {"send_email": "true"}
    assert body == {
        "client_id": "VolejRejNm",
        "discount": 2.5,
        "is_amount_discount": False,
        "line_items": [{"cost": 12.5, "tax_rate1": 19}],
    }


async def test_a_payment_without_an_invoice_lists_none():
    _, body = await _sent("createPayment", {"clientId": "VolejRejNm", "paymentType": "1"})

    assert body == {"client_id": "VolejRejNm", "type_id": "1"}


async def test_only_deliveries_with_the_registered_token_are_accepted():
    app, service = load_app(AppKey("invoice-ninja"), BUILT_IN), SimulatedService("invoice-ninja")
    trigger = app.triggers[0]
    assert trigger.register_hook is not None
    assert trigger.verify_webhook is not None
    async with calling(service) as ctx:
        await trigger.register_hook(ctx)
    token = service.requests[0].body["headers"]["X-Patchbay-Token"]

    accepted = []
    for headers in ({"x-patchbay-token": token}, {"x-patchbay-token": f"{token}0"}, {}):
        request = WebhookRequest(method="POST", headers=headers, query={}, raw_body=b"{}")
        async with calling(service, request=request) as ctx:
            ctx.flow.webhook_secrets = (token,)
            accepted.append(await trigger.verify_webhook(ctx))

    assert accepted == [True, False, False]


@pytest.mark.parametrize(
    ("instance", "address"),
    [
        ("", "https://invoicing.co/api/v1/ping"),
        ("https://own.example.com/api", "https://own.example.com/api/v1/ping"),
    ],
)
async def test_without_an_instance_of_its_own_a_connection_is_one_to_the_vendors(instance: str, address: str):
    app, asked = load_app(AppKey("invoice-ninja"), BUILT_IN), list[str]()
    assert app.auth is not None

    def respond(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(200, json={"user_name": "Ada", "company_name": "Garden Ltd"})

    data = {"apiToken": "secret-apiToken-0123456789", "instanceUrl": instance}
    async with calling(SimulatedService("invoice-ninja", respond), data=data) as ctx:
        await app.auth.verify_credentials(ctx)

    assert asked == [address]
    assert ctx.auth.data["screenName"] == "Ada @ Garden Ltd"
