"""Bodies that are too long, too deep, of the wrong kind, or no text: refused, and nothing is stored."""

import json

import pytest
from tests.support.raw_http import ask, request, wire

from patchbay.server.request_bodies import MAX_JSON_DEPTH

pytestmark = pytest.mark.asyncio(loop_scope="module")

JSON = "Content-Type: application/json"

NOT_JSON = {
    "nan": b'{"name": NaN}',
    "infinity": b'{"name": -Infinity}',
    "too large a number": b'{"name": 1e999}',
    "digits without end": b'{"name": ' + b"9" * 5000 + b"}",
    "301 digits": b'{"name": ' + b"9" * 301 + b"}",
    "301 digits below zero": b'{"name": [1, -' + b"9" * 301 + b"]}",
    "half a pair": b'{"name": "\\ud800"}',
    "other half of a pair in a key": b'{"name": "a", "\\uDFFF": 1}',
    "not utf-8": b'{"name": "\xff\xfe"}',
    "latin-1": '{"name": "é"}'.encode("latin-1"),
    "utf-16": '{"name": "a"}'.encode("utf-16"),
    "deep lists": b'{"name": "a", "x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    "deep objects": b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
    "a little too deep": b"[" * (MAX_JSON_DEPTH + 1) + b"]" * (MAX_JSON_DEPTH + 1),
    "never closed": b"[" * 100_000,
    "cut": b'{"name": "a',
    "two values": b'{"name": "a"} {"name": "b"}',
    "a comment": b'{"name": "a" /* */}',
    "single quotes": b"{'name': 'a'}",
    "nothing but a mark": b"\xef\xbb\xbf",
    "a raw line break": b'{"name": "a\nb"}',
}


def posted(service, path, body, *headers):
    return ask(
        service.base_url, request(path, *headers, f"x-api-token: {service.key}", method="POST", body=body)
    )


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON.keys())
async def test_json_that_readers_do_not_agree_on_is_refused(runtime, service, webhook_flow, body):
    before = await runtime.backend.list_folders()
    answer = await posted(service, "/v1/folders", body, JSON)
    called = await posted(service, f"/webhooks/flows/{webhook_flow.id}", body, JSON)

    for refused in (answer, called):
        assert refused.status == 400, refused.body
        assert "isn't valid JSON" in refused.json["errors"]["general"][0]
    assert await runtime.backend.list_folders() == before


async def test_300_digits_are_read(service, webhook_flow):
    called = await posted(service, f"/webhooks/flows/{webhook_flow.id}", b"[-" + b"9" * 300 + b"]", JSON)

    assert called.status in (200, 204)


async def test_what_is_deep_and_within_reason_is_kept_and_shown(runtime, service, webhook_flow):
    deep = b"[" * MAX_JSON_DEPTH + b'"bottom"' + b"]" * MAX_JSON_DEPTH

    called = await posted(service, f"/webhooks/flows/{webhook_flow.id}", deep, JSON)
    assert called.status in (200, 204)
    key = f"x-api-token: {service.key}"
    listed = await ask(service.base_url, request("/v1/executions", key))
    steps = f"/v1/executions/{listed.json['data'][0]['id']}/execution-steps"
    shown = await ask(service.base_url, request(steps, key))

    assert (shown.status, b"bottom" in shown.body) == (200, True)


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "text/plain; charset=utf-8",
        "multipart/form-data; boundary=x",
        "application/xml",
        "json",
        "application/json; charset=utf-16",
        "application/json; charset=latin1",
        "application/json; charset=no",
    ],
)
async def test_other_kinds_and_character_sets_are_415(runtime, service, kind):
    before = await runtime.backend.list_folders()
    answer = await posted(service, "/v1/folders", b'{"name": "a"}', f"Content-Type: {kind}")

    assert answer.status == 415
    assert answer.json["errors"]["general"][0]
    assert await runtime.backend.list_folders() == before


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate, gzip", "x"])
async def test_compressed_bodies_are_415(service, encoding):
    answer = await posted(service, "/v1/folders", b'{"name": "a"}', JSON, f"Content-Encoding: {encoding}")

    assert answer.status == 415


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "application/json; charset=UTF-8",
        'application/json;charset="utf-8"',
        "application/vnd.api+json",
        "APPLICATION/JSON",
        None,
    ],
)
async def test_json_is_json_however_it_is_called(service, kind):
    answer = await posted(
        service, "/v1/folders", b'{"name": "a"}', *([f"Content-Type: {kind}"] if kind else [])
    )

    assert (answer.status, answer.json["data"]["name"]) == (201, "a")


@pytest.mark.parametrize(
    "body", [b"name=%ff", b"name=" + b"x" * 300, b"=", b"name", b"&" * 50_000, b"\xff=1"]
)
async def test_odd_forms_are_refused_or_read(service, body):
    answer = await posted(service, "/v1/folders", body, "Content-Type: application/x-www-form-urlencoded")

    assert answer.status in (201, 400, 422)


ODD_VALUES = [
    "a\u0000b",
    "\u202egnp.exe",
    "x" * 256,
    "",
    " ",
    10**30,
    -(10**30),
    1.5,
    True,
    None,
    [],
    {},
    [["a"]],
    {"a": {"b": 1}},
    "\ufeff",
    "'; drop table folder; --",
    "%s%n",
    "{{step.x}}",
    "\U0001f600" * 255,
]


@pytest.mark.parametrize("value", ODD_VALUES, ids=lambda value: repr(value)[:20])
async def test_odd_values_are_refused_or_kept_as_they_are(runtime, service, value):
    body = json.dumps({"name": value}).encode()

    answer = await posted(service, "/v1/folders", body, JSON)

    assert answer.status in (201, 400, 422)
    if answer.status == 201:
        found = {folder.id: folder.name for folder in await runtime.backend.list_folders()}
        assert found[answer.json["data"]["id"]] == answer.json["data"]["name"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/flows", {"userId": 10**30}),
        ("/v1/flows", {"name": "a", "folderId": {"x": 1}}),
        ("/v1/flows/import", {"name": "a", "steps": [{"position": 10**30, "type": "trigger"}]}),
        ("/v1/flows/import", {"name": "a", "steps": {"a": 1}}),
        ("/v1/flows/status", {"flowIds": [10**30]}),
        ("/v1/connections", {"key": "desk", "formattedData": {"apiKey": [1, [2]]}}),
        ("/v1/connections", {"key": ["desk"], "formattedData": None}),
        ("/v1/api-keys", {"name": "a", "scope": "god"}),
        ("/v1/api-keys", {"name": "a", "userId": 10**40}),
        ("/v1/templates", {"name": "a", "flowId": "\u0000"}),
        ("/v1/user-invitations", {"fullName": 1, "email": 2, "roleId": 3}),
        ("/v1/service/test-address", {"address": 10**30}),
    ],
)
async def test_odd_bodies_elsewhere_are_no_defects(service, path, body):
    answer = await posted(service, path, json.dumps(body).encode(), JSON)

    assert 400 <= answer.status < 500, answer.body
    assert set(answer.json) == {"errors", "meta"}


@pytest.mark.parametrize(
    "body",
    [
        {"maxConcurrent": 10**30},
        {"maxConcurrent": 1e300},
        {"maxConcurrent": "9" * 400},
        {"appLimits": {"desk": {"calls": 10**30, "seconds": 1}}},
        {"retention": {"most": -1}},
    ],
)
async def test_numbers_beyond_measure_are_refused(service, body):
    data = request(
        "/v1/engine", JSON, f"x-api-token: {service.key}", method="PATCH", body=json.dumps(body).encode()
    )

    assert (await ask(service.base_url, data)).status == 422


ODD_QUERIES = (
    "page=99999999999999999999999999",
    "limit=-1",
    "page=%00",
    "name=%00",
    "name=%ff",
    "name=%ed%a0%80",
    "status=%00",
    "startDateTime=1e999",
    "startDateTime=99999999999999999999999",
    "endDateTime=NaN",
    "cursor=%00",
    "cursor=" + "A" * 5000,
    "cursor=%7B%7D",
    "states=nope",
    "testRun=perhaps",
    "note=%00",
    "flowId=%00",
    "&" * 5000,
    "=&=",
    "name=" + "%25" * 3000,
    "name[]=1",
    "name=1&name=2",
    "originId=" + "a" * 3000,
    "appKey=../..",
    "%00=%00",
)


@pytest.mark.parametrize("query", ODD_QUERIES, ids=lambda query: query[:25])
async def test_odd_queries_are_no_defects(service, query):
    for path in ("/v1/executions", "/v1/flows"):
        answer = await ask(service.base_url, request(f"{path}?{query}", f"x-api-token: {service.key}"))

        assert answer.status in (200, 400, 422), answer.body


async def test_an_unexpected_body_changes_nothing(runtime, service):
    flow = await runtime.backend.create_flow("Stays")
    key = f"x-api-token: {service.key}"
    async with wire(service.base_url) as connection:
        for method in ("GET", "DELETE"):
            await connection.send(request(f"/v1/flows/{flow.id}", key, method=method, body=b'{"name": "x"}'))
            assert (await connection.answer()).status in (200, 204)
        await connection.send(request("/v1/flows", key, body=b"GET /v1/nowhere HTTP/1.1\r\n\r\n"))
        assert (await connection.answer()).status == 200
        await connection.send(request("/healthcheck"))
        assert (await connection.answer()).json["status"] == "ok"  # and no answer to what stood in the body


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_a_body_announced_too_long_is_refused_before_it_is_sent(service, method):
    lines = ("Content-Length: 99999999999", "Expect: 100-continue", f"x-api-token: {service.key}")
    answer = await ask(service.base_url, request("/v1/folders", *lines, method=method))

    assert answer.status == 413
    assert answer.json["errors"]["general"]


async def test_chunks_without_end_are_refused(service):
    async with wire(service.base_url) as connection:
        head = request(
            "/v1/folders", "Transfer-Encoding: chunked", f"x-api-token: {service.key}", method="POST"
        )
        await connection.send(head)
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        try:
            for _ in range(1024):
                await connection.send(chunk)
        except ConnectionError:
            return  # it stopped listening, which is right as well
        assert (await connection.answer()).status == 413


@pytest.mark.parametrize(
    "chunks",
    [b"xyz\r\n{}\r\n0\r\n\r\n", b"-2\r\n{}\r\n0\r\n\r\n", b"2\r\n{}0\r\n\r\n", b"\r\n{}\r\n0\r\n\r\n"],
)
async def test_chunks_that_do_not_add_up_are_refused(runtime, service, chunks):
    head = request("/v1/folders", "Transfer-Encoding: chunked", f"x-api-token: {service.key}", method="POST")
    before = await runtime.backend.list_folders()
    async with wire(service.base_url) as connection:
        await connection.send(head + chunks)
        answer = await connection.answer()
        assert (answer.status, set(answer.json)) == (400, {"errors", "meta"})
        assert await connection.ended() == b""
    assert await runtime.backend.list_folders() == before
