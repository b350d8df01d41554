"""Xero: the organization of a request, payment types, and rows that change."""

from typing import Any

import pytest
from tests.support.app_calls import built_in_trigger
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.domain.errors import ValidationFailed
from patchbay.integration.context import collect_items

CHANGED, NEW = "db54aab0-ad40-4ced-bcff-0940ba20db2c", "0b3f6b1c-1a0c-4d0d-9c5b-4e6d3a2f1b10"


async def poll(service: SimulatedService, trigger: str, parameters: dict[str, Any], **more: Any) -> list[Any]:
    run = built_in_trigger("xero", trigger).run
    assert run is not None
    async with calling(service, parameters, **more) as ctx:
        return [item.internal_id for item in await collect_items(run, ctx)]


async def test_requests_name_the_organization_of_the_connection_and_ask_for_json():
    service = SimulatedService("xero")
    await poll(service, "newBankTransactions", {"organizationId": "x"})

    [sent] = service.requests
    assert sent.headers["xero-tenant-id"] == "70784a63-d24b-46a9-a4db-0e70a274b056"
    assert sent.headers["accept"] == "application/json"


@pytest.mark.parametrize(("chosen", "where"), [("ACCPAYPAYMENT", 'PaymentType=="ACCPAYPAYMENT"'), ("", None)])
async def test_payments_are_those_of_the_chosen_type(chosen: str, where: str | None):
    service = SimulatedService("xero")
    await poll(service, "newPayments", {"organizationId": "x", "paymentType": chosen})

    assert service.requests[0].query.get("where") == where


async def test_a_payment_type_cannot_change_the_condition():
    service = SimulatedService("xero")
    with pytest.raises(ValidationFailed):
        await poll(service, "newPayments", {"organizationId": "x", "paymentType": '" OR Amount>0 OR "'})

    assert service.requests == []


async def test_a_known_row_that_changed_does_not_hide_a_new_one():
    known = frozenset({CHANGED})

    async def find_seen(internal_ids):
        return frozenset(internal_ids) & known

    found = await poll(
        SimulatedService("xero"),
        "newBankTransactions",
        {"organizationId": "x"},
        known_ids=known,
        find_seen_ids=find_seen,
    )

    assert found == [NEW]
