"""HTTP Request: lists that are read page by page, against a real server on this computer."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.app_calls import built_in_action, built_in_app, context
from tests.support.patience import PATIENCE
from tests.support.third_party import Reply, Seen, ThirdParty, third_party

from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration.context import Context, CurrentAuth
from patchbay.integration.http_factory import HttpFactory

ITEMS = [{"id": number} for number in range(1, 8)]


def output_of(ctx: Context) -> dict[str, Any]:
    assert isinstance(ctx.action_output, dict)
    return dict(ctx.action_output)


async def read(shop: ThirdParty, parameters: dict[str, Any], auth: CurrentAuth | None = None) -> Any:
    """What a request to `/items` of the service puts out, with its warnings."""
    given = {"method": "GET", "url": f"{shop.url}/items", **parameters}
    factory = HttpFactory(timeout=PATIENCE)
    try:
        ctx = context("http-request", given, http_factory=factory, idempotency_key="run-1")
        ctx.auth = auth or ctx.auth
        await built_in_action("http-request", "customRequest").run(ctx)
    finally:
        await factory.aclose()
    return {**output_of(ctx), "warnings": ctx.warnings}


def number_of(seen: Seen, name: str, default: int) -> int:
    return int(dict(seen.query).get(name, default))


def in_slices(make: Callable[[Seen, int, int], Reply]) -> Callable[[Seen], Reply]:
    """A service whose pages begin at `start` and have three items."""

    def answer(seen: Seen) -> Reply:
        start = number_of(seen, "start", 0)
        return make(seen, start, start + 3)

    return answer


def by_link(seen: Seen, start: int, end: int) -> Reply:
    link = f"/items?start={end}" if end < len(ITEMS) else None
    return Reply(body={"data": {"items": ITEMS[start:end]}, "@odata.nextLink": link})


def by_header(seen: Seen, start: int, end: int) -> Reply:
    link = f'</items?start=0>; rel="first", </items?start={end}>; rel="next"'
    return Reply(body=ITEMS[start:end], headers={"Link": link} if end < len(ITEMS) else {})


def by_cursor(seen: Seen) -> Reply:
    start = int(dict(seen.query).get("after", "c0")[1:])
    return Reply(
        body={"items": ITEMS[start : start + 3], "next": f"c{start + 3}" if start + 3 < len(ITEMS) else ""}
    )


def by_number(seen: Seen) -> Reply:
    first = (number_of(seen, "page", 1) - 1) * 3
    return Reply(body=ITEMS[first : first + 3])


def by_offset(seen: Seen) -> Reply:
    offset = number_of(seen, "skip", 0)
    return Reply(body=ITEMS[offset : offset + number_of(seen, "top", 50)])


@pytest.mark.parametrize(
    ("answer", "parameters", "pages"),
    [
        (
            in_slices(by_link),
            {"paging": "nextLink", "nextPath": "@odata.nextLink", "itemsPath": "data.items"},
            3,
        ),
        (in_slices(by_header), {"paging": "linkHeader"}, 3),
        (
            by_cursor,
            {"paging": "cursor", "nextPath": "next", "pageParameter": "after", "itemsPath": "items"},
            3,
        ),
        (by_number, {"paging": "page"}, 4),
        (by_number, {"paging": "page", "sizeParameter": "n", "pageSize": "3"}, 3),
        (
            by_offset,
            {"paging": "offset", "pageParameter": "skip", "sizeParameter": "top", "pageSize": "3"},
            3,
        ),
    ],
    ids=["next link", "link header", "cursor", "number", "full pages", "offset"],
)
async def test_all_pages_become_one_list(answer, parameters, pages):
    async with third_party(answer) as shop:
        output = await read(shop, parameters)

    assert (output["data"], output["pages"], output["complete"]) == (ITEMS, pages, True)
    assert (output["status"], output["warnings"], len(shop.seen)) == (200, [], pages)


async def test_the_query_is_part_of_every_page():
    rows = [{"key": "tag", "value": "1"}, {"key": "tag", "value": "2"}]
    async with third_party(by_number) as shop:
        await read(shop, {"paging": "page", "queryParams": rows})

    assert [seen.query[:2] for seen in shop.seen] == [[("tag", "1"), ("tag", "2")]] * 4


async def test_the_number_of_pages_is_limited_and_that_is_said():
    async with third_party(by_number) as shop:
        output = await read(shop, {"paging": "page", "maxPages": "2"})

    assert (output["data"], output["complete"]) == (ITEMS[:6], False)
    assert output["warnings"] == ["Stopped after 2 pages. There may be more items."]


async def test_a_service_that_ignores_the_page_is_not_asked_for_ever():
    async with third_party(Reply(body=ITEMS)) as shop:
        output = await read(shop, {"paging": "page"})

    assert (output["data"], len(shop.seen)) == (ITEMS, 2)
    assert "same page twice" in output["warnings"][0]


async def test_the_items_of_all_pages_are_limited(monkeypatch):
    read_all = built_in_action("http-request", "customRequest").run.__globals__["read_all"]
    monkeypatch.setitem(read_all.__globals__, "_MAX_SIZE", 100)
    async with third_party(by_number) as shop:
        output = await read(shop, {"paging": "page"})

    assert (len(output["data"]), output["complete"]) == (6, False)
    assert "no more fits" in output["warnings"][0]


async def test_headers_do_not_follow_a_link_to_another_address():
    headers = [{"key": "X-Key", "value": "sk-12345678"}]
    parameters = {"paging": "nextLink", "nextPath": "next", "itemsPath": "items", "headers": headers}
    async with third_party(Reply()) as other:
        body = {"items": ITEMS, "next": f"{other.url}/items"}
        async with third_party(Reply(body=body)) as shop:
            with pytest.raises(ThirdPartyError) as caught:
                await read(shop, parameters)

    assert caught.value.happened.startswith("The next page is at another address (127.0.0.1:")
    assert other.seen == []


async def test_credentials_are_part_of_every_page_and_of_no_output():
    data = {"kind": "query", "queryName": "key", "apiKey": "sk-12345678"}

    def answer(seen: Seen) -> Reply:
        assert ("key", "sk-12345678") in seen.query
        return Reply(body=[{"you": "sk-12345678"}] if number_of(seen, "page", 1) == 1 else [])

    async with third_party(answer) as shop:
        auth = CurrentAuth(data={**data, "baseUrl": shop.url}, app=built_in_app("http"))
        output = await read(shop, {"paging": "page"}, auth)

    assert (output["data"], len(shop.seen)) == ([{"you": "•••"}], 2)


async def test_each_page_is_a_request_of_its_own_to_services_that_know_idempotency_keys():
    def search(seen: Seen) -> Reply:
        assert json.loads(seen.body) == {"q": "x"}
        return by_number(seen)

    async with third_party(search) as shop:
        await read(shop, {"method": "POST", "data": '{"q": "x"}', "paging": "page"})

    keys = [seen.headers["idempotency-key"] for seen in shop.seen]
    assert keys == ["run-1", "run-1-2", "run-1-3", "run-1-4"]


async def test_an_accepted_failure_ends_the_list():
    def failing(seen: Seen) -> Reply:
        return by_number(seen) if number_of(seen, "page", 1) < 2 else Reply(404, {"error": "No page"})

    async with third_party(failing) as shop:
        output = await read(shop, {"paging": "page", "acceptedStatuses": "404"})

    assert (output["data"], output["status"], output["complete"]) == (ITEMS[:3], 404, False)


async def test_a_response_without_the_list_is_an_error():
    async with third_party(Reply(body={"data": {}})) as shop:
        with pytest.raises(ThirdPartyError) as caught:
            await read(shop, {"paging": "page", "itemsPath": "data.items"})

    assert "data.items" in caught.value.text()


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"paging": "sideways"}, "paging"),
        ({"paging": "cursor"}, "nextPath"),
        ({"paging": "page", "maxPages": "0"}, "maxPages"),
        ({"paging": "page", "maxPages": "501"}, "maxPages"),
        ({"paging": "page", "pageSize": "many"}, "pageSize"),
        ({"paging": "page", "firstPage": "1.5"}, "firstPage"),
    ],
)
async def test_paging_that_cannot_work_is_reported_at_its_field(parameters, field):
    async with third_party(Reply()) as shop:
        with pytest.raises(ValidationFailed) as caught:
            await read(shop, parameters)

    assert list(caught.value.by_field) == [field]
    assert shop.seen == []
