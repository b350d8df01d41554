"""Queries of the Salesforce app: entered values can't change them, and known values don't hide new ones."""

import httpx
import pytest
from tests.support.catalogue.facts import the_app
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.apps.salesforce.soql import containing, first_record, quoted
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.context import collect_items


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("O'Neill", r"'O\'Neill'"),
        (r"x\' OR Name != '", r"'x\\\' OR Name != \''"),
        ("two\nlines", r"'two\nlines'"),
    ],
)
def test_a_value_stays_a_value(text, expected):
    assert quoted(text) == expected


def test_wildcards_in_a_search_text_stand_for_themselves():
    assert containing("100%_'") == r"'%100\%\_\'%'"


@pytest.mark.parametrize("name", ["Account WHERE", "Name--", "", "a.b", "Name'"])
def test_a_name_that_is_none_is_rejected(name):
    with pytest.raises(ValidationFailed):
        first_record({"object": "Account", "field": name}, "= 'x'")


async def test_a_new_value_below_a_known_one_starts_the_flow():
    records = [{"Id": "1", "Name": "known"}, {"Id": "2", "Name": "new"}]
    service = SimulatedService(
        "salesforce", lambda request: httpx.Response(200, json={"records": records, "done": True})
    )
    known = frozenset({"1-known"})
    trigger = the_app("salesforce").triggers[0]
    assert trigger.run is not None

    async def find_seen(internal_ids):
        return frozenset(internal_ids) & known

    parameters = {"object": "Account", "field": "Name"}
    async with calling(service, parameters, known_ids=known, find_seen_ids=find_seen) as ctx:
        items = await collect_items(trigger.run, ctx)

    assert [item.internal_id for item in items] == ["2-new"]
