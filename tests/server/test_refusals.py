"""What the service turns away, and how: JSON with words, never a web page, never an empty body."""

import json
import logging
from uuid import uuid4

import pytest
from tests.support import patient

from patchbay.domain.error_wire import to_wire
from patchbay.domain.errors import (
    AppError,
    AuthRequired,
    Conflict,
    Forbidden,
    NotFound,
    NotSupported,
    RateLimited,
    SecretsUnavailable,
    ServerFault,
    StorageFault,
    ThirdPartyError,
    TimedOut,
    Unreachable,
    ValidationFailed,
)
from patchbay.server.errors import error_response

PLACES = [
    ("GET", "/v1/executions"),
    ("GET", "/v1/flows"),
    ("POST", "/v1/flows"),
    ("GET", "/v1/apps"),
    ("GET", "/v1/templates"),
    ("GET", "/v1/users"),
    ("GET", "/users"),
    ("GET", "/v1/connections"),
    ("DELETE", "/users/7b1c6c52-8d0f-4d0a-9f5a-0c7d1a7a2f11/folders/7b1c6c52-8d0f-4d0a-9f5a-0c7d1a7a2f12"),
    ("GET", "/v1/info"),
    ("GET", "/v1/events"),
    ("POST", "/v1/flows/import"),
]


@pytest.mark.parametrize(("method", "path"), PLACES)
async def test_every_endpoint_asks_for_the_key(stranger, method, path):
    without = await stranger.request(method, path)
    wrong = await stranger.request(method, path, headers={"x-api-token": "0" * 96})

    for answer in (without, wrong):
        assert (answer.status_code, answer.json()["meta"]["type"]) == (401, "AuthRequired")
        assert answer.json()["errors"]["general"]


async def test_the_description_names_the_key_for_every_operation_of_the_interface(stranger):
    description = (await stranger.get("/openapi.json")).json()

    scheme = description["components"]["securitySchemes"]["ApiKeyAuth"]
    assert (scheme["type"], scheme["in"], scheme["name"]) == ("apiKey", "header", "x-api-token")
    open_paths = {
        path
        for path, methods in description["paths"].items()
        if any("security" not in operation for operation in methods.values())
    }
    webhooks = {f"/webhooks/flows/{{flowId}}{purpose}" for purpose in ("", "/sync", "/test")}
    assert open_paths == {"/healthcheck", "/apps/{appKey}/assets/icon.svg"} | webhooks
    assert "/users/{userId}/folders/{folderId}" in description["paths"]
    assert "/v1/users/{userId}/folders/{folderId}" in description["paths"]


async def test_the_health_check_and_icons_need_no_key(stranger):
    assert (await stranger.get("/healthcheck")).json()["status"] == "ok"
    icon = await stranger.get("/apps/desk/assets/icon.svg")
    assert (icon.headers["content-type"], icon.text[:4]) == ("image/svg+xml", "<svg")
    assert "default-src 'none'" in icon.headers["content-security-policy"]
    assert (await stranger.get("/apps/nope/assets/icon.svg")).status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/nope", 404),
        ("GET", "/redoc", 404),
        ("POST", "/v1/nope", 404),
        ("GET", "/v1/flows/", 404),
        ("DELETE", "/v1/executions", 405),
        ("PUT", "/v1/flows", 405),
        ("GET", "/v1/flows/import/x", 404),
    ],
)
async def test_unknown_addresses_are_answered_in_json(caller, method, path, status):
    answer = await caller.request(method, path)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json()) == {"errors", "meta"}


@pytest.mark.parametrize("path", ["flows/123", "executions/123", "connections/123", "steps/123", "users/123"])
async def test_a_malformed_id_is_named_and_an_unknown_one_is_not_found(caller, path):
    malformed = await caller.get(f"/v1/{path}")
    unknown = await caller.get(f"/v1/{path.replace('123', str(uuid4()))}")

    if path.startswith("steps/"):  # steps are only changed
        malformed = await caller.delete(f"/v1/{path}")
        unknown = await caller.delete(f"/v1/{path.replace('123', str(uuid4()))}")
    assert malformed.status_code == 400
    assert malformed.json()["errors"]["general"] == [
        "“123” isn't an ID. Use the complete ID: 32 hexadecimal digits, usually with dashes."
    ]
    assert unknown.status_code == 404
    assert "doesn't exist." in unknown.json()["meta"]["happened"]
    assert unknown.json()["meta"]["todo"] == ""


@pytest.mark.parametrize("body", [b"{", b'{"name":', b"\xff\xfe", b"not json"])
async def test_malformed_json_is_400(caller, body):
    answer = await caller.post("/v1/folders", content=body, headers={"content-type": "application/json"})

    assert answer.status_code == 400
    [message] = answer.json()["errors"]["general"]
    assert message.startswith("The body isn't valid JSON")
    assert "Expecting" not in message


@pytest.mark.parametrize(
    ("body", "happened"),
    [({}, "“name” is required."), ({"name": 3}, "“name”: This must be text in quotes.")],
)
async def test_a_rejected_field_is_named(caller, body, happened):
    answer = await caller.post("/v1/folders", json=body)

    assert answer.status_code == 422
    assert answer.json()["meta"]["happened"] == happened


@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded", "text/plain"])
@pytest.mark.parametrize("chunked", [True, False])
async def test_bodies_over_a_megabyte_are_413(caller, chunked, kind):
    large = json.dumps({"name": "x" * (1024 * 1024)}).encode()

    async def pieces():
        for start in range(0, len(large), 65536):
            yield large[start : start + 65536]

    answer = await caller.post(
        "/v1/folders", content=pieces() if chunked else large, headers={"content-type": kind}
    )

    assert answer.status_code == 413
    assert "1 MB" in answer.json()["errors"]["general"][0]


async def test_what_no_database_takes_is_no_name_and_finds_nothing(runtime, caller):
    await runtime.backend.create_flow("A flow")

    refused = await caller.post("/v1/folders", json={"name": "a\0b"})
    found = await caller.get("/v1/flows", params={"name": "\0"})
    far = await caller.get("/v1/flows", params={"page": "9" * 5000, "limit": "9" * 5000})
    when = await caller.post("/v1/execution-retries", json={"endDateTime": 2**63})

    assert (refused.status_code, refused.json()["errors"].keys()) == (422, {"name"})
    assert found.json()["meta"]["count"] == 0
    assert (far.status_code, far.json()["data"]) == (200, [])
    assert (when.status_code, when.json()["errors"].keys()) == (422, {"endDateTime"})


async def test_an_address_that_is_written_out_is_not_one_with_an_id(caller):
    answer = await caller.patch("/v1/flows/import", json={})
    both = await caller.put("/v1/flows")

    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert (both.status_code, both.headers["allow"]) == (405, "GET, POST")


@pytest.mark.parametrize("wrong", [True, "5"])
async def test_numbers_in_bodies_are_numbers(caller, wrong):
    answer = await caller.patch("/v1/engine", json={"maxConcurrent": wrong})

    assert (answer.status_code, answer.json()["errors"].keys()) == (422, {"maxConcurrent"})


async def test_a_body_of_a_megabyte_is_read(caller):
    answer = await caller.post("/v1/folders", json={"name": "x" * (1024 * 1024 - 20)})

    assert answer.status_code == 422


async def test_a_bug_is_answered_with_a_number_that_the_log_knows(runtime, caller, caplog, monkeypatch):
    async def broken(*args: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(runtime.backend, "list_templates", broken)

    with caplog.at_level(logging.ERROR):
        answer = await caller.get("/v1/templates")

    body = answer.json()
    assert (answer.status_code, body["meta"]["type"]) == (500, "ServerFault")
    assert "secret detail" not in answer.text
    assert body["meta"]["extra"]["requestId"] in caplog.text
    assert "RuntimeError: secret detail" in caplog.text


KINDS: list[tuple[AppError, int]] = [
    (ValidationFailed({"name": ["Enter a name."]}), 422),
    (NotFound("a"), 404),
    (Conflict("a"), 409),
    (AuthRequired("a"), 401),
    (Forbidden("a"), 403),
    (RateLimited("a", retry_after=2.5), 429),
    (ThirdPartyError(app="Desk", said="no", status=500), 422),
    (Unreachable("a"), 503),
    (TimedOut("a"), 503),
    (NotSupported("a", feature="x"), 422),
    (ServerFault("a", request_id="1"), 500),
    (StorageFault("a"), 503),
    (SecretsUnavailable("a", reason="locked"), 503),
]


@pytest.mark.parametrize(("error", "status"), KINDS, ids=lambda it: getattr(it, "kind", it))
def test_every_kind_has_its_status_and_keeps_its_words(error, status):
    answer = error_response(error)

    assert answer.status_code == status
    assert json.loads(bytes(answer.body)) == to_wire(error)


def test_a_rate_limited_client_gets_retry_after():
    assert error_response(RateLimited("a", retry_after=2.5)).headers["retry-after"] == "3"
    assert "retry-after" in error_response(Unreachable("a")).headers


async def test_connections_never_show_what_was_entered(caller):
    body = {"key": "desk", "formattedData": {"screenName": "Ada", "apiKey": "dk-very-secret-1234"}}

    answer = await caller.post("/v1/connections", json=body)

    assert answer.status_code >= 400  # nobody is at the desk's address here
    assert "dk-very-secret-1234" not in answer.text


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8787", "127.0.0.1.evil.example", ""])
async def test_requests_for_another_name_are_turned_away(service, host):
    async with patient.AsyncClient(base_url=service.base_url) as client:
        answer = await client.get("/healthcheck", headers={"host": host})

    assert (answer.status_code, answer.json()["meta"]["type"]) == (403, "Forbidden")


@pytest.mark.parametrize("host", ["localhost", "localhost:1234", "127.0.0.1", "[::1]:80"])
async def test_this_computer_is_known_by_its_names(service, host):
    async with patient.AsyncClient(base_url=service.base_url) as client:
        answer = await client.get("/healthcheck", headers={"host": host})

    assert answer.status_code == 200
