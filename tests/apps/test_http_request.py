"""HTTP Request: query, bodies, files, and responses, against a real server on this computer."""

import asyncio
from base64 import b64decode, b64encode
from typing import Any

import pytest
from starlette.datastructures import Headers
from tests.support.app_calls import act, built_in_action
from tests.support.third_party import Reply, Seen, third_party

from patchbay.domain.errors import ThirdPartyError, TimedOut, Unreachable, ValidationFailed
from patchbay.domain.fields import is_visible
from patchbay.server.webhooks import decode_body

PICTURE = b"\x89PNG\r\n\x1a\n\0\xff"
FILE = {"name": "logo.png", "contentType": "image/png", "size": 10, "base64": b64encode(PICTURE).decode()}


async def send(parameters: dict[str, Any]) -> Any:
    return await act("http-request", "customRequest", {"method": "POST", **parameters})


def received(seen: Seen) -> Any:
    """The body as Patchbay's own webhooks decode it."""
    return decode_body(seen.body, Headers(seen.headers))


async def test_query_rows_are_added_to_those_in_the_address():
    rows = [{"key": "q", "value": "a&b ü"}, {"key": "tag", "value": "1"}, {"key": "tag", "value": "2"}]
    async with third_party(Reply()) as shop:
        await send({"method": "GET", "url": f"{shop.url}/items?page=3", "queryParams": rows})

    assert shop.seen[0].query == [("page", "3"), ("q", "a&b ü"), ("tag", "1"), ("tag", "2")]


async def test_a_form_is_encoded_whatever_content_type_the_headers_have():
    rows = [{"key": "name", "value": "Ada & Co"}, {"key": "tag", "value": "1"}, {"key": "tag", "value": "2"}]
    preset = [{"key": "Content-Type", "value": "application/json"}]
    async with third_party(Reply()) as shop:
        await send({"url": shop.url, "bodyType": "form", "formFields": rows, "headers": preset})

    assert shop.seen[0].headers["content-type"] == "application/x-www-form-urlencoded"
    assert received(shop.seen[0]) == {"name": "Ada & Co", "tag": ["1", "2"]}


async def test_a_multipart_form_has_fields_and_files():
    parts = [
        {"key": "title", "value": "Grüße"},
        {"key": "order", "value": {"total": 3}},
        {"key": "logo", "value": FILE},
        {"key": "logo", "value": [FILE], "fileName": "again.png"},
        {"key": "note", "value": "a;b", "fileName": "note.csv"},
        {"key": "raw", "value": "AAE=", "kind": "base64"},
        {"key": " ", "value": "dropped"},
    ]
    async with third_party(Reply()) as shop:
        await send({"url": shop.url, "bodyType": "multipart", "parts": parts})

    body = received(shop.seen[0])
    assert (body["title"], body["order"]) == ("Grüße", '{"total":3}')
    assert body["logo"] == [FILE, FILE | {"name": "again.png"}]
    assert (body["note"]["name"], body["note"]["contentType"]) == ("note.csv", "text/csv")
    assert b64decode(body["raw"]["base64"]) == b"\0\1"
    assert set(body) == {"title", "order", "logo", "note", "raw"}


@pytest.mark.parametrize(
    ("parameters", "media_type"),
    [
        ({"file": FILE}, "image/png"),
        ({"file": [FILE]}, "image/png"),
        ({"file": FILE, "fileType": "image/x-icon"}, "image/x-icon"),
        ({"file": FILE["base64"]}, "application/octet-stream"),
        ({"file": f"data:image/gif;base64,{FILE['base64']}"}, "image/gif"),
    ],
)
async def test_a_file_is_sent_as_it_is(parameters, media_type):
    async with third_party(Reply()) as shop:
        await send({"url": shop.url, "bodyType": "file", **parameters})

    assert (shop.seen[0].body, shop.seen[0].headers["content-type"]) == (PICTURE, media_type)


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"bodyType": "file"}, "file"),
        ({"bodyType": "file", "file": [FILE, FILE]}, "file"),
        ({"bodyType": "file", "file": "not base64!"}, "file"),
        ({"bodyType": "multipart", "parts": [{"key": "a", "value": "?", "kind": "base64"}]}, "parts"),
        ({"bodyType": "telegram"}, "bodyType"),
        ({"responseType": "video"}, "responseType"),
        ({"acceptedStatuses": "404, soon"}, "acceptedStatuses"),
        ({"timeout": "0"}, "timeout"),
        ({"timeout": "an hour"}, "timeout"),
    ],
)
async def test_what_cannot_be_sent_is_reported_at_its_field(parameters, field):
    async with third_party(Reply()) as shop:
        with pytest.raises(ValidationFailed) as caught:
            await send({"url": shop.url, **parameters})

    assert list(caught.value.by_field) == [field]
    assert shop.seen == []


@pytest.mark.parametrize(
    ("kind", "content_type", "body", "data"),
    [
        ("auto", "text/plain", b"[1]", [1]),
        ("json", "application/octet-stream", b"[1]", [1]),
        ("json", "text/plain", b"", ""),
        ("text", "application/json", b"[1]", "[1]"),
        ("text", "application/octet-stream", b"a\xffb", "a\ufffdb"),
    ],
)
async def test_the_body_is_read_as_chosen(kind, content_type, body, data):
    async with third_party(Reply(body=body, headers={"Content-Type": content_type})) as shop:
        output = await send({"url": shop.url, "responseType": kind})

    assert output["data"] == data


async def test_text_that_should_be_json_is_an_error():
    async with third_party(Reply(body=b"<html>", headers={"Content-Type": "text/html"})) as shop:
        with pytest.raises(ThirdPartyError) as caught:
            await send({"url": shop.url, "responseType": "json"})

    assert caught.value.meaning == "It sent a web page or text instead of JSON."


@pytest.mark.parametrize(
    ("path", "disposition", "name"),
    [
        ("/files/logo%20big.png?v=2", "", "logo big.png"),
        ("/", "", "download"),
        ("/x", 'attachment; filename="a \\"b\\".png"', 'a "b".png'),
        ("/x", "attachment; filename=plain.png", "plain.png"),
        ("/x", "attachment; filename=a.png; filename*=UTF-8''gr%C3%BC%C3%9Fe.png", "grüße.png"),
        ("/x", 'attachment; filename="../../etc/passwd"', "passwd"),
        ("/x", "attachment; filename*=UTF-8''..%2F..%2Fshadow%0D%0A", "shadow"),
    ],
)
async def test_a_download_is_a_file_that_later_steps_can_send(path, disposition, name):
    headers = {"Content-Type": "image/png"} | ({"Content-Disposition": disposition} if disposition else {})
    async with third_party(Reply(body=PICTURE, headers=headers)) as shop:
        output = await send({"method": "GET", "url": shop.url + path, "responseType": "file"})
        await send({"url": shop.url, "bodyType": "file", "file": output["data"]})

    assert output["data"] == FILE | {"name": name}
    assert shop.seen[1].body == PICTURE


@pytest.mark.parametrize("accepted", ["404", "400 - 404", "4xx", "500;404", "404 410", "ALL"])
async def test_a_status_can_be_accepted(accepted):
    async with third_party(Reply(404, {"error": "No such item"})) as shop:
        output = await send({"url": shop.url, "acceptedStatuses": accepted})

    assert (output["status"], output["data"]) == (404, {"error": "No such item"})


@pytest.mark.parametrize("accepted", ["", "403, 5xx"])
async def test_other_statuses_still_fail(accepted):
    async with third_party(Reply(404, {"error": "No such item"})) as shop:
        with pytest.raises(ThirdPartyError, match="No such item"):
            await send({"url": shop.url, "acceptedStatuses": accepted})


def moved(request: Seen) -> Reply:
    return Reply(302, headers={"Location": "/new"}) if request.path == "/old" else Reply(body={"moved": True})


async def test_redirects_are_followed_unless_turned_off():
    async with third_party(moved) as shop:
        followed = await send({"method": "GET", "url": f"{shop.url}/old"})
        stayed = await send({"method": "GET", "url": f"{shop.url}/old", "followRedirects": False})

    assert followed["data"] == {"moved": True}
    assert (stayed["status"], stayed["headers"]["location"]) == (302, "/new")
    assert [seen.path for seen in shop.seen] == ["/old", "/new", "/old"]


async def test_the_time_limit_of_a_step_ends_its_request():
    timed_out = asyncio.Event()

    async def silent(writer: asyncio.StreamWriter) -> None:
        await timed_out.wait()

    async with third_party(Reply(raw=silent)) as shop:
        with pytest.raises(TimedOut, match="1 second"):
            await send({"url": shop.url, "timeout": "1"})
        output = await send({"url": shop.url, "timeout": "1", "continueIfUnreachable": True})
        timed_out.set()

    assert len(shop.seen) == 2
    assert output["status"] == 0
    assert "timed out" in output["statusText"]


async def test_a_step_fails_if_its_server_is_not_reached_unless_it_accepts_that():
    async with third_party(Reply()) as shop:
        closed = {"method": "GET", "url": shop.url}

    with pytest.raises(Unreachable):
        await send(closed)
    output = await send(closed | {"continueIfUnreachable": True})

    assert (output["status"], output["data"], output["headers"]) == (0, "", {})
    assert "refused the connection" in output["statusText"]


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
async def test_methods_that_only_ask_have_a_response_too(method):
    async with third_party(Reply(headers={"Allow": "GET"})) as shop:
        output = await send({"method": method, "url": shop.url})

    assert (output["status"], output["data"], output["headers"]["allow"]) == (200, "", "GET")
    assert shop.seen[0].method == method


@pytest.mark.parametrize(
    ("entered", "shown"),
    [
        ({"method": "GET"}, {"data"}),
        ({"method": "PATCH", "bodyType": "text"}, {"data", "mayRepeat"}),
        ({"method": "PUT", "bodyType": "form"}, {"formFields"}),
        ({"method": "POST", "bodyType": "multipart"}, {"parts", "mayRepeat"}),
        ({"method": "POST", "bodyType": "file"}, {"file", "fileType", "mayRepeat"}),
    ],
)
def test_only_the_fields_that_apply_are_shown(entered, shown):
    arguments = built_in_action("http-request", "customRequest").arguments
    always = {
        "method",
        "url",
        "queryParams",
        "bodyType",
        "headers",
        "paging",
        "responseType",
        "acceptedStatuses",
        "continueIfUnreachable",
        "followRedirects",
        "timeout",
    }

    assert {item.key for item in arguments if is_visible(item, entered)} - always == shown


@pytest.mark.parametrize(
    ("paging", "shown"),
    [
        ("none", {"responseType", "continueIfUnreachable"}),
        ("nextLink", {"itemsPath", "nextPath", "pageSize", "sizeParameter", "maxPages"}),
        ("linkHeader", {"itemsPath", "pageSize", "sizeParameter", "maxPages"}),
        ("page", {"itemsPath", "pageParameter", "firstPage", "pageSize", "sizeParameter", "maxPages"}),
        ("offset", {"itemsPath", "pageParameter", "pageSize", "sizeParameter", "maxPages"}),
        ("cursor", {"itemsPath", "nextPath", "pageParameter", "pageSize", "sizeParameter", "maxPages"}),
    ],
)
def test_only_the_fields_of_the_chosen_paging_are_shown(paging, shown):
    arguments = built_in_action("http-request", "customRequest").arguments
    by_paging = {item.key for item in arguments if "paging" in item.visible_if}

    assert {item.key for item in arguments if is_visible(item, {"paging": paging})} & by_paging == shown
