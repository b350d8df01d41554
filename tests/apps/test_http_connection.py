"""HTTP connections: every kind of credentials, where they go, and that they go nowhere else."""

import base64
from typing import Any

import pytest
from tests.support.desk import TOOLS
from tests.support.third_party import Reply, Seen, third_party
from tests.support.workspace import CATCH, open_runtime

from patchbay.cli.flows import use_single_connections
from patchbay.domain.base import AppKey, ConnectionId
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.domain.executions import StepState
from patchbay.domain.fields import is_visible
from patchbay.domain.flows import StepChange
from patchbay.integration.registry import BUILT_IN, load_app

HTTP_REQUEST = AppKey("http-request")

KEY = "hk-31415926535"
BASIC = "Basic " + base64.b64encode(b"ada:pw-27182818").decode()
KINDS = [
    ({"kind": "header", "headerName": "X-Api-Key", "apiKey": KEY}, ("x-api-key", KEY)),
    (
        {"kind": "header", "headerName": "Authorization", "headerPrefix": "Token", "apiKey": KEY},
        ("authorization", f"Token {KEY}"),
    ),
    ({"kind": "basic", "username": "ada", "password": "pw-27182818"}, ("authorization", BASIC)),
    ({"kind": "bearer", "token": KEY}, ("authorization", f"Bearer {KEY}")),
]
BY_HEADER = KINDS[0][0]


def guarded(request: Seen) -> Reply:
    """Knows each of the credentials; `/open` needs none."""
    good = any(request.headers.get(name) == value for _, (name, value) in KINDS)
    good = good or ("api_key", KEY) in request.query
    if request.path == "/v1/open" or good:
        return Reply(200, {"path": request.path})
    return Reply(401, {"message": "Who are you?"})


@pytest.fixture
async def runtime(tmp_path):
    made = await open_runtime(
        tmp_path, more_apps=[load_app(AppKey(key), BUILT_IN) for key in ("http", "http-request")]
    )
    await made.engine.start()
    yield made
    await made.close()


def values(url: str, **more: str) -> dict[str, str]:
    return {"screenName": "Mine", "baseUrl": f"{url}/v1", "checkUrl": "/me"} | more


async def step(runtime, connection_id: ConnectionId | None, url: str, **more: Any):
    """A flow with one request; the step of that request."""
    ask = StepChange(
        app_key=HTTP_REQUEST,
        key="customRequest",
        connection_id=connection_id,
        parameters={"method": "GET", "url": url, **more},
    )
    flow = await runtime.flow(CATCH, ask)
    return flow.steps[1]


@pytest.mark.parametrize(("more", "sent"), KINDS, ids=["header", "prefix", "basic", "bearer"])
async def test_each_kind_of_credentials_goes_where_it_belongs(runtime, more, sent):
    async with third_party(guarded) as service:
        made = await runtime.backend.add_connection("http", values(service.url, **more))
        told = await runtime.backend.test_step((await step(runtime, made.id, "/items")).id)

        assert made.health is ConnectionHealth.VALID
        assert told.result.data_out["data"] == {"path": "/v1/items"}
        assert service.seen[-1].headers[sent[0]] == sent[1]


async def test_a_key_in_the_address_is_added_to_every_request(runtime):
    async with third_party(guarded) as service:
        more = {"kind": "query", "queryName": "api_key", "apiKey": KEY}
        made = await runtime.backend.add_connection("http", values(service.url, **more))
        told = await runtime.backend.test_step(
            (await step(runtime, made.id, f"{service.url}/v1/items?page=2")).id
        )

        assert told.result.status is StepState.SUCCESS
        assert service.seen[-1].query == [("page", "2"), ("api_key", KEY)]
        assert KEY not in str(told.result)


async def test_wrong_credentials_are_refused_in_the_services_words(runtime):
    async with third_party(guarded) as service:
        with pytest.raises(ThirdPartyError, match="Who are you"):
            await runtime.backend.add_connection(
                "http", values(service.url, kind="bearer", token="wrong-token-1")
            )

    assert await runtime.backend.list_connections() == ()


async def test_a_page_that_is_open_to_all_proves_nothing(runtime):
    async with third_party(guarded) as service:
        with pytest.raises(ValidationFailed) as caught:
            await runtime.backend.add_connection("http", values(service.url, **BY_HEADER, checkUrl="/open"))

    assert list(caught.value.by_field) == ["checkUrl"]


async def test_credentials_go_to_no_other_address(runtime):
    async with third_party(guarded) as service, third_party(Reply(200)) as elsewhere:
        made = await runtime.backend.add_connection("http", values(service.url, **BY_HEADER))
        told = await runtime.backend.test_step((await step(runtime, made.id, f"{elsewhere.url}/v1/items")).id)

        assert told.result.status is StepState.FAILURE
        assert "This connection is for" in told.result.error_details["happened"]
        assert elsewhere.seen == []


async def test_without_a_connection_requests_go_anywhere_as_before(runtime):
    async with third_party(guarded) as service:
        told = await runtime.backend.test_step((await step(runtime, None, f"{service.url}/v1/open")).id)

    assert told.result.status is StepState.SUCCESS


async def test_only_http_connections_fit_a_request(runtime):
    async with third_party(guarded) as service:
        http = await runtime.backend.add_connection("http", values(service.url, **BY_HEADER))
    flow = await runtime.flow(CATCH, StepChange(app_key=TOOLS, key="pass"))

    with pytest.raises(ValidationFailed, match="another app"):
        await runtime.backend.update_step(flow.steps[1].id, StepChange(connection_id=http.id))


async def test_a_request_with_a_connection_that_needs_attention_is_not_published(runtime):
    async with third_party(guarded) as service:
        made = await runtime.backend.add_connection("http", values(service.url, **BY_HEADER))
    flow = await runtime.flow(
        CATCH,
        StepChange(
            app_key=HTTP_REQUEST,
            key="customRequest",
            connection_id=made.id,
            parameters={"method": "GET", "url": "/x"},
        ),
    )
    await runtime.skipped(flow)
    await runtime.credentials.mark_invalid(made.id, "It was refused.")

    with pytest.raises(ValidationFailed) as caught:
        await runtime.backend.publish_flow(flow.id)

    assert "The HTTP connection “Mine” needs reconnecting." in caught.value.text()


async def test_a_form_shows_and_keeps_only_the_fields_of_the_chosen_kind(runtime):
    app = await runtime.backend.get_app("http")
    shown = {
        kind: {field.key for field in app.auth.fields if is_visible(field, {"kind": kind})}
        for kind in ("oauth2", "header", "basic")
    }
    async with third_party(guarded) as service:
        typed = values(service.url, **BY_HEADER, clientSecret="left-over-from-another-choice")
        made = await runtime.backend.add_connection("http", typed)
    kept = await runtime.credentials.load(made.id)

    always = {"screenName", "baseUrl", "kind", "checkUrl", "clientTls", "caCertificate", "trustedCertificate"}
    assert shown["header"] - always == {"headerName", "headerPrefix", "apiKey"}
    assert shown["basic"] - always == {"username", "password"}
    assert {"oAuthRedirectUrl", "clientId", "authorizeUrl"} <= shown["oauth2"]
    assert "clientSecret" not in kept
    assert app.auth.fields[2].value == app.auth.fields[2].options[0].value == "header"


async def test_missing_fields_are_reported_for_the_chosen_kind_only(runtime):
    with pytest.raises(ValidationFailed) as caught:
        await runtime.backend.add_connection("http", {"screenName": "x", "kind": "basic"})

    assert set(caught.value.by_field) == {"baseUrl", "username", "checkUrl"}


async def test_the_only_connection_goes_to_imported_requests_that_had_one(runtime):
    async with third_party(guarded) as service:
        connection = await runtime.backend.add_connection("http", values(service.url, **BY_HEADER))
        asks = [
            StepChange(app_key=HTTP_REQUEST, key="customRequest", connection_id=connection_id)
            for connection_id in (connection.id, None)
        ]
        flow = await runtime.flow(CATCH, *asks)
    imported = await runtime.backend.import_flow(await runtime.backend.export_flow(flow.id))

    equipped = await use_single_connections(runtime.backend, imported)

    assert [step.connection_id for step in equipped.steps[1:]] == [connection.id, None]
