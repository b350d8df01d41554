"""HTTP Request: new items of a JSON API, against a real server on this computer."""

import base64
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.app_calls import built_in_app, built_in_trigger, context
from tests.support.patience import PATIENCE
from tests.support.third_party import Reply, Seen, ThirdParty, third_party

from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration.context import CurrentAuth, collect_items
from patchbay.integration.http_factory import HttpFactory

ROWS = [{"id": number, "title": f"No. {number}"} for number in range(7, 0, -1)]


async def poll(
    service: ThirdParty,
    parameters: dict[str, Any],
    *,
    known: Sequence[str] = (),
    auth: CurrentAuth | None = None,
) -> list[str]:
    """The IDs of the items that a poll reports, with `known` ones in the flow's history."""

    async def find_seen(ids: tuple[str, ...]) -> frozenset[str]:
        return frozenset(ids) & frozenset(known)

    given = {"url": f"{service.url}/items", "idPath": "id", "order": "newestFirst", **parameters}
    factory = HttpFactory(timeout=PATIENCE)
    run = built_in_trigger("http-request", "newItem").run
    assert run is not None
    try:
        ctx = context(
            "http-request", given, http_factory=factory, known_ids=frozenset(known), find_seen_ids=find_seen
        )
        ctx.auth = auth or ctx.auth
        return [str(item.internal_id) for item in await collect_items(run, ctx)]
    finally:
        await factory.aclose()


def in_pages(seen: Seen) -> Reply:
    page = int(dict(seen.query).get("page", 1))
    return Reply(body={"data": {"items": ROWS[(page - 1) * 3 : page * 3]}})


PAGED = {"itemsPath": "data.items", "paging": "page", "sizeParameter": "limit", "pageSize": "3"}


async def test_all_pages_of_the_list_are_read():
    async with third_party(in_pages) as service:
        assert await poll(service, PAGED) == ["7", "6", "5", "4", "3", "2", "1"]

        assert [dict(request.query)["page"] for request in service.seen] == ["1", "2", "3"]


async def test_a_list_with_the_newest_first_is_read_up_to_the_first_known_item():
    async with third_party(in_pages) as service:
        assert await poll(service, PAGED, known=["5", "4"]) == ["7", "6"]

        assert len(service.seen) == 1


async def test_new_items_at_the_end_and_in_the_middle_are_found():
    async with third_party(Reply(body=[{"id": 1}, {"id": 9}, {"id": 2}, {"id": 10}])) as service:
        assert await poll(service, {"order": "anyOrder"}, known=["1", "2"]) == ["10", "9"]


async def test_a_service_that_ignores_the_page_number_is_asked_twice():
    async with third_party(Reply(body=ROWS)) as service:
        found = await poll(service, {"paging": "page", "order": "anyOrder"})

        assert sorted(found, key=int) == ["1", "2", "3", "4", "5", "6", "7"]
        assert len(service.seen) == 2


@pytest.mark.parametrize(
    ("field", "expected"),
    [("meta.uuid", "u-1"), ("@odata.id", "o-1"), ("{id}-{updatedAt}", "1-2026"), ("Item no.", "n-1")],
)
async def test_items_are_identified_by_the_chosen_field(field, expected):
    row = {"id": 1, "updatedAt": "2026", "meta": {"uuid": "u-1"}, "@odata.id": "o-1", "Item no.": "n-1"}
    async with third_party(Reply(body=[row])) as service:
        assert await poll(service, {"idPath": field}) == [expected]


async def test_without_a_field_whole_items_are_compared():
    async with third_party(Reply(body=["a", "b", "a"])) as service:
        found = await poll(service, {"idPath": "", "order": "anyOrder"})

        assert len(set(found)) == len(found) == 2
        assert await poll(service, {"idPath": "", "order": "anyOrder"}, known=found) == []


async def test_a_field_that_no_item_has_is_an_error():
    async with third_party(Reply(body=ROWS)) as service:
        with pytest.raises(ValidationFailed) as caught:
            await poll(service, {"idPath": "uuid"})

        assert "uuid" in str(caught.value.by_field["idPath"])


async def test_a_response_without_the_list_is_an_error():
    async with third_party(Reply(body={"items": []})) as service:
        with pytest.raises(ThirdPartyError):
            await poll(service, {"itemsPath": "data.items"})


async def test_query_and_headers_are_sent_as_entered():
    rows = {
        "queryParams": [{"key": "tag", "value": "a"}, {"key": "tag", "value": "b"}],
        "headers": [{"key": "X-Team", "value": "7"}],
    }
    async with third_party(Reply(body=ROWS)) as service:
        await poll(service, rows)

        assert service.seen[0].query == [("tag", "a"), ("tag", "b")]
        assert service.seen[0].headers["x-team"] == "7"


async def test_a_connection_adds_its_credentials_to_a_path():
    async with third_party(Reply(body=ROWS)) as service:
        data: dict[str, Any] = {
            "kind": "basic",
            "baseUrl": service.url,
            "username": "ada",
            "password": "a-long-password",
        }
        auth = CurrentAuth(data=data, app=built_in_app("http"))

        await poll(service, {"url": "/items"}, auth=auth)

        expected = base64.b64encode(b"ada:a-long-password").decode()
        assert service.seen[0].path == "/items"
        assert service.seen[0].headers["authorization"] == f"Basic {expected}"


async def test_a_next_page_at_another_address_is_not_requested():
    async with third_party(Reply(body=ROWS)) as other:
        link = {"items": ROWS, "next": f"{other.url}/items"}
        async with third_party(Reply(body=link)) as service:
            with pytest.raises(ThirdPartyError):
                await poll(service, {"itemsPath": "items", "paging": "nextLink", "nextPath": "next"})

        assert other.seen == []


async def test_a_path_needs_a_connection():
    async with third_party(Reply(body=ROWS)) as service:
        with pytest.raises(ValidationFailed):
            await poll(service, {"url": "/items"})

        assert service.seen == []
