"""Paths, headers and targets that mean one thing to a proxy and another to us; over raw sockets."""

from uuid import uuid4

import pytest
from tests.support.raw_http import ask, request, wire

pytestmark = pytest.mark.asyncio(loop_scope="module")

ID = "7b1c6c52-8d0f-4d0a-9f5a-0c7d1a7a2f11"

SIDEWAYS = (
    "/v1/../v1/flows",
    "/v1/./flows",
    "/v1/%2e%2e/v1/flows",
    "/v1/%2E%2e/flows",
    "/v1/..%2fflows",
    "/v1%2fflows",
    "/webhooks/..%2f..%2fv1/flows",
    "/v1/flows%00",
    "/v1/%00/flows",
    "/v1\\flows",
    "/v1/%5c..%5cflows",
    "/v1/flows%0d%0aX-Injected:%20yes",
    "/v1/%ff%fe",
    "/v1/%c0%ae%c0%ae/flows",
)


def refused(answer, *statuses):
    """Whether an answer is a refusal as every other: JSON with words, that no browser may use."""
    assert answer.status in statuses, (answer.status, answer.body)
    assert set(answer.json) == {"errors", "meta"}
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    return True


@pytest.mark.parametrize("path", SIDEWAYS)
async def test_a_path_that_steps_sideways_leads_nowhere_also_with_a_key(service, path):
    answer = await ask(service.base_url, request(path, f"x-api-token: {service.key}"))

    assert refused(answer, 404, 400)


@pytest.mark.parametrize(
    "path", ["//v1/flows", "/v1//flows", "/v1/flows/", "/V1/flows", "/v1/flows;x=1", "/v1/flows/%20", "/%2f"]
)
async def test_another_spelling_of_a_path_is_another_path(service, path):
    answer = await ask(service.base_url, request(path, f"x-api-token: {service.key}"))

    assert refused(answer, 404, 400)


async def test_letters_may_be_written_as_percents_and_still_need_the_key(service):
    plain = request("/%76%31/%66lows")
    keyed = request("/%76%31/%66lows", f"x-api-token: {service.key}")

    assert refused(await ask(service.base_url, plain), 401)
    assert (await ask(service.base_url, keyed)).status == 200


@pytest.mark.parametrize(
    "target",
    [
        "http://evil.example/v1/flows",
        "http://127.0.0.1/v1/flows",
        "*",
        "evil.example:443",
        "v1/flows",
        "?x=1",
    ],
)
async def test_a_target_that_is_no_path_is_refused(service, target):
    answer = await ask(service.base_url, request(target, f"x-api-token: {service.key}"))

    assert refused(answer, 400)
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        ["127.0.0.1", "127.0.0.1"],
        ["127.0.0.1", "evil.example"],
        ["evil.example"],
        ["127.0.0.1 evil"],
        ["127.0.0.1:80@evil.example"],
        ["[::1]evil.example"],
        ["localhost.evil.example:80"],
        ["[::1]:x"],
    ],
)
async def test_there_is_one_host_and_it_is_ours(service, hosts):
    lines = [f"Host: {host}" for host in hosts]
    answer = await ask(
        service.base_url, request("/v1/flows", *lines, f"x-api-token: {service.key}", host=None)
    )

    assert refused(answer, 400, 403)


async def test_an_old_request_without_host_is_refused(service):
    answer = await ask(service.base_url, b"GET /v1/flows HTTP/1.0\r\n\r\n")

    assert refused(answer, 403)


LIES = (
    "X-Forwarded-For: 127.0.0.1",
    "X-Forwarded-Host: 127.0.0.1",
    "Forwarded: for=127.0.0.1",
    "X-Real-IP: 127.0.0.1",
    "X-Original-URL: /healthcheck",
    "X-Rewrite-URL: /healthcheck",
    "X-Forwarded-Prefix: /healthcheck",
    "Authorization: Bearer x",
    "Cookie: x-api-token=x",
    "X-Api-Key: x",
)


@pytest.mark.parametrize("header", LIES)
async def test_a_header_that_lies_opens_nothing(service, header):
    assert refused(await ask(service.base_url, request("/v1/flows", header)), 401)


async def test_a_method_cannot_be_overridden(runtime, service):
    flow = await runtime.backend.create_flow("Stays")
    path, key = f"/v1/flows/{flow.id}", f"x-api-token: {service.key}"
    for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
        assert (await ask(service.base_url, request(path, f"{name}: DELETE", key))).status == 200

    assert (await ask(service.base_url, request(f"{path}?_method=DELETE", key))).status == 200
    assert (await runtime.backend.get_flow(flow.id)).name == "Stays"


@pytest.mark.parametrize(
    "lines",
    [
        ["Content-Length: 2", "Content-Length: 30"],
        ["Content-Length: 2, 30"],
        ["Content-Length: -1"],
        ["Content-Length: +2"],
        ["Content-Length: 2", "Transfer-Encoding: chunked"],
        ["Transfer-Encoding: chunked, chunked"],
        ["Transfer-Encoding: gzip"],
        ["Transfer-Encoding: xchunked"],
        ["Transfer-Encoding : chunked"],
        ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
        ["Content-Length: 2\nTransfer-Encoding: chunked"],
        ["No colon at all"],
        [": empty"],
        ["X-Null: a\x00b"],
    ],
    ids=str,
)
async def test_the_end_of_a_body_is_said_in_one_way(runtime, service, lines):
    smuggled = b"{}\r\n0\r\n\r\nDELETE /v1/flows HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    data = request("/v1/folders", *lines, f"x-api-token: {service.key}", method="POST") + smuggled
    before = await runtime.backend.list_folders()
    async with wire(service.base_url) as connection:
        await connection.send(data)
        answer = await connection.answer()

        assert refused(answer, 400, 501)
        assert await connection.ended() == b""  # what came behind it is nobody's request
    assert await runtime.backend.list_folders() == before


@pytest.mark.parametrize(
    "lines",
    [
        ["X-Long: " + "x" * 40_000],
        [f"X-Many-{number}: x" for number in range(101)],
        ["Cookie: " + "a=b; " * 8_000],
    ],
    ids=["one long header", "many headers", "many cookies"],
)
async def test_a_head_without_measure_is_refused(service, lines):
    assert refused(await ask(service.base_url, request("/healthcheck", *lines)), 431)


async def test_a_request_line_without_end_is_refused(service):
    assert refused(await ask(service.base_url, request("/" + "x" * 40_000)), 431)
    assert refused(await ask(service.base_url, b"G" * 70_000), 400, 431)


@pytest.mark.parametrize(
    "data",
    [
        b"\r\n\r\nnonsense\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/99\r\n\r\n",
        b"GET / HTTP/1.1 x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200 + b"\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /\xc3\xa9 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ],
    ids=["nonsense", "cut", "version", "more", "tls", "http2", "bytes"],
)
async def test_a_request_that_is_not_http_gets_a_clear_error(service, data):
    async with wire(service.base_url) as connection:
        await connection.send(data)
        assert refused(await connection.answer(), 400)
        assert await connection.ended() == b""


async def test_other_protocols_are_not_changed_to(service):
    lines = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13")

    assert refused(await ask(service.base_url, request("/v1/events", *lines)), 401)


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "OPTIONS", "PROPFIND", "get", "X" * 300])
async def test_other_methods_are_refused(service, method):
    answer = await ask(service.base_url, request("/v1/flows", f"x-api-token: {service.key}", method=method))

    assert refused(answer, 405, 400)
    assert not any(name.startswith("access-control-") for name in answer.names)


async def test_browsers_get_no_leave_to_call_from_other_pages(service):
    asks = (
        "Origin: https://evil.example",
        "Access-Control-Request-Method: GET",
        "Access-Control-Request-Headers: x-api-token",
    )
    before = await ask(service.base_url, request("/v1/flows", *asks, method="OPTIONS"))
    called = await ask(service.base_url, request("/v1/flows", *asks, f"x-api-token: {service.key}"))

    for answer in (before, called):
        assert not any(name.startswith("access-control-") for name in answer.names)
    assert refused(before, 405)


@pytest.mark.parametrize("path", ["/v1/flows", "/healthcheck", "/nope", "/openapi.json", "/oauth/callback"])
async def test_every_answer_says_how_it_may_be_used(service, path):
    answer = await ask(service.base_url, request(path, f"x-api-token: {service.key}"))

    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert "strict-transport-security" not in answer.headers
    assert "server" not in answer.headers


async def test_what_a_flow_answers_is_no_page_of_ours(service, webhook_flow):
    path = f"/webhooks/flows/{webhook_flow.id}"
    answer = await ask(
        service.base_url, request(path, "Content-Type: application/json", method="POST", body=b"{}")
    )

    assert answer.status in (200, 204)
    assert answer.headers["content-security-policy"].startswith("sandbox")
    assert answer.headers["x-content-type-options"] == "nosniff"


IDS = ("not-an-id", "1", "%20", "null", ID + "x", "'or'1'='1", "{}", "-" * 36, "..%00")


@pytest.mark.parametrize("wrong", IDS)
async def test_a_malformed_id_is_rejected_with_a_clear_error(service, wrong):
    key = f"x-api-token: {service.key}"
    paths = (
        f"/v1/flows/{wrong}",
        f"/v1/executions/{wrong}",
        f"/v1/flows?userId={wrong}",
        f"/users/{wrong}/folders",
    )
    for path in paths:
        assert refused(await ask(service.base_url, request(path, key)), 400, 404)


async def test_a_malformed_id_of_a_filter_is_400_and_an_unknown_one_finds_nothing(service):
    key = f"x-api-token: {service.key}"
    wrong = await ask(service.base_url, request("/v1/flows?folderId=nothing", key))
    unknown = await ask(service.base_url, request(f"/v1/flows?folderId={uuid4()}", key))
    path = await ask(service.base_url, request("/v1/flows/nothing", key))

    assert refused(wrong, 400)
    assert wrong.json["errors"]["folderId"]
    assert unknown.json["data"] == []
    assert refused(path, 400)
