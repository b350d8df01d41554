"""Frappe: the fields of a type of document, and the values that are sent."""

import pytest
from tests.support.app_calls import built_in_app
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.domain.errors import ValidationFailed


async def run(action: str, **parameters: str) -> SimulatedService:
    service = SimulatedService("frappe")
    [found] = [one for one in built_in_app("frappe").actions if one.key == action]
    async with calling(service, {"doctype": "Sales Invoice", **parameters}) as ctx:
        await found.run(ctx)
    return service


async def test_only_fields_that_can_be_filled_are_offered():
    [loader] = built_in_app("frappe").dynamic_fields
    async with calling(SimulatedService("frappe"), {"doctype": "Customer"}) as ctx:
        fields = {field.key: field for field in await loader.load(ctx)}

    assert [*fields] == ["customer_name", "customer_type", "disabled", "territory", "accounts"]
    assert [option.value for option in fields["customer_type"].options] == ["Company", "Individual"]
    assert [option.value for option in fields["disabled"].options] == ["1", "0"]
    assert fields["accounts"].multiline
    assert not any(field.required for field in fields.values())


async def test_no_fields_are_offered_without_a_type():
    [loader] = built_in_app("frappe").dynamic_fields
    async with calling(SimulatedService("frappe"), {}) as ctx:
        assert await loader.load(ctx) == []


async def test_filled_fields_are_sent_as_entered():
    service = await run("createDoc", customer_name="Ada", territory="")

    [sent] = service.requests
    assert (sent.url, sent.body) == (
        "https://erp.example.com/api/v2/document/Sales%20Invoice",
        {"customer_name": "Ada"},
    )


async def test_rows_of_a_table_are_sent_as_a_list_and_other_texts_stay_texts():
    service = await run("updateDoc", documentName="S-1", accounts='[{"account": "A"}]', customer_name="[x]")

    assert service.requests[-1].body == {"accounts": [{"account": "A"}], "customer_name": "[x]"}


async def test_rows_that_are_no_json_are_reported():
    with pytest.raises(ValidationFailed):
        await run("createDoc", accounts="[oops")


@pytest.mark.parametrize("entered", ["name, status", '["name", "status"]'])
async def test_fields_of_a_list_can_be_names_or_json(entered):
    service = await run("getList", fields=entered)

    assert service.requests[0].query["fields"] == '["name", "status"]'
