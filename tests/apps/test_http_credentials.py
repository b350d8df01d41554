"""Credentials of HTTP connections that need more than one header: digest, tokens, and AWS signatures."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.support.login_services import (
    ACCESS_KEY,
    CLIENT_ID,
    CLIENT_SECRET,
    PASSWORD,
    REGION,
    SECRET_KEY,
    USER,
    DigestService,
    TokenService,
    aws_service,
)
from tests.support.third_party import Reply, Seen, ThirdParty, third_party
from tests.support.workspace import CATCH, WorkspaceRuntime, open_runtime

from patchbay.domain.base import AppKey
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import NotSupported, ThirdPartyError, ValidationFailed
from patchbay.domain.executions import StepState
from patchbay.domain.flows import StepChange
from patchbay.integration.registry import BUILT_IN, load_app

SECRETS = (PASSWORD, CLIENT_SECRET, SECRET_KEY)
DIGEST = {"kind": "digest", "username": USER, "password": PASSWORD}
AWS = {
    "kind": "aws",
    "accessKeyId": ACCESS_KEY,
    "secretAccessKey": SECRET_KEY,
    "awsRegion": REGION,
    "awsService": "S3",
}
CLIENT = {"kind": "clientCredentials", "clientId": CLIENT_ID, "clientSecret": CLIENT_SECRET}
LOGIN = {
    "kind": "login",
    "loginUrl": "/login",
    "username": USER,
    "password": PASSWORD,
    "tokenPath": "data.token",
}


@pytest.fixture
async def runtime(tmp_path) -> AsyncIterator[WorkspaceRuntime]:
    apps = [load_app(AppKey(key), BUILT_IN) for key in ("http", "http-request")]
    made = await open_runtime(tmp_path, more_apps=apps)
    await made.engine.start()
    yield made
    await made.close()


async def connect(runtime: WorkspaceRuntime, service: ThirdParty, **values: str) -> Any:
    given: dict[str, Any] = {"screenName": "Mine", "baseUrl": service.url, "checkUrl": "/me", **values}
    if values["kind"] == "clientCredentials":
        given = {"tokenUrl": f"{service.url}/token", **given}
    return await runtime.backend.add_connection(AppKey("http"), given)


async def request(runtime: WorkspaceRuntime, connection: Any, url: str, **parameters: Any) -> Any:
    """The result of a test of a step with this connection."""
    step = StepChange(
        app_key=AppKey("http-request"),
        key="customRequest",
        connection_id=connection.id,
        parameters={"method": "GET", "url": url, **parameters},
    )
    flow = await runtime.flow(CATCH, step)
    return (await runtime.backend.test_step(flow.steps[1].id)).result


# Digest


async def test_a_digest_challenge_is_answered_with_the_body_sent_again(runtime):
    service = DigestService()
    async with third_party(service) as shop:
        connection = await connect(runtime, shop, **DIGEST)
        result = await request(runtime, connection, "/items?a=1&b=ü", method="POST", data="hello")

    assert connection.health is ConnectionHealth.VALID
    assert result.data_out["data"] == {"path": "/items", "body": "hello"}
    assert not any(PASSWORD in str(seen) for seen in shop.seen)


async def test_a_wrong_digest_password_is_refused_in_the_services_words(runtime):
    async with third_party(DigestService()) as shop:
        with pytest.raises(ThirdPartyError, match="Who are you"):
            await connect(runtime, shop, **DIGEST | {"password": "wrong"})

    assert await runtime.backend.list_connections() == ()


@pytest.mark.parametrize(("algorithm", "qop"), [("ROT13", "auth"), ("SHA-256", "auth-int")])
async def test_a_challenge_of_an_unknown_kind_is_explained(runtime, algorithm, qop):
    async with third_party(DigestService(algorithm, qop)) as shop:
        with pytest.raises(NotSupported, match="isn't supported"):
            await connect(runtime, shop, **DIGEST)


async def test_a_redirect_to_another_host_gets_no_digest(runtime):
    async with third_party(DigestService()) as other, third_party(DigestService()) as shop:
        answer = shop.answer

        def moving(seen: Seen) -> Reply:
            return Reply(302, headers={"Location": f"{other.url}/x"}) if seen.path == "/old" else answer(seen)

        shop.answer = moving
        connection = await connect(runtime, shop, **DIGEST)
        result = await request(runtime, connection, "/old")

    assert result.status is StepState.FAILURE
    assert [seen.headers.get("authorization") for seen in other.seen] == [None]


async def test_a_redirect_within_the_service_is_authenticated_again(runtime):
    service = DigestService()

    def moving(seen: Seen) -> Reply:
        answer = service(seen)
        moved = seen.path == "/old" and answer.status == 200
        return Reply(302, headers={"Location": "/new"}) if moved else answer

    async with third_party(moving) as shop:
        connection = await connect(runtime, shop, **DIGEST)
        result = await request(runtime, connection, "/old")

    assert result.data_out["data"]["path"] == "/new"


# AWS Signature v4


async def test_requests_are_signed_for_aws(runtime):
    query = [{"key": "prefix", "value": "ü b/c+d"}, {"key": "list-type", "value": "2"}]
    async with third_party(aws_service) as store:
        connection = await connect(runtime, store, **AWS)
        read = await request(runtime, connection, "/bucket/a $1.txt", queryParams=query)
        written = await request(runtime, connection, "/bucket/b", method="PUT", data="text")

    assert read.data_out["data"]["query"] == [["prefix", "ü b/c+d"], ["list-type", "2"]]
    assert written.data_out["data"]["path"] == "/bucket/b"
    assert not any(SECRET_KEY in str(seen) for seen in store.seen)


async def test_a_wrong_aws_secret_is_refused(runtime):
    async with third_party(aws_service) as store:
        with pytest.raises(ThirdPartyError, match="signature does not match"):
            await connect(runtime, store, **AWS | {"secretAccessKey": "wrong-secret"})


# Client credentials


@pytest.mark.parametrize("client_auth", ["post", "basic"])
async def test_client_credentials_get_a_token(runtime, client_auth):
    service = TokenService()
    more = {"scopes": "read write", "extraParameters": "audience=https://api.example.com"}
    async with third_party(service) as shop:
        connection = await connect(runtime, shop, **CLIENT, **more, clientAuth=client_auth)
        result = await request(runtime, connection, "/items")

    form = service.forms[0]
    assert (form["scope"], form["audience"]) == ("read write", "https://api.example.com")
    assert result.data_out["data"] == {"path": "/items", "token": "•••"}
    assert not {"refreshToken"} & set(await runtime.credentials.load(connection.id))


async def test_a_token_that_was_revoked_is_replaced_once(runtime):
    service = TokenService(lifetime=3600)
    async with third_party(service) as shop:
        connection = await connect(runtime, shop, **CLIENT)
        service.valid.clear()
        result = await request(runtime, connection, "/items")

    assert result.status is StepState.SUCCESS
    assert [seen.path for seen in shop.seen].count("/token") == 2


async def test_an_expired_token_is_replaced_before_it_is_used(runtime):
    service = TokenService(lifetime=3600)
    async with third_party(service) as shop:
        connection = await connect(runtime, shop, **CLIENT)
        runtime.clock.now += 3_600_000
        result = await request(runtime, connection, "/items")

        stored = await runtime.backend.get_connection(connection.id)
        assert (await runtime.backend.test_connection(connection.id)).health is ConnectionHealth.VALID

    assert result.status is StepState.SUCCESS
    assert [seen.path for seen in shop.seen][-3:] == ["/token", "/items", "/me"]
    assert (stored.health, stored.expires_at) == (ConnectionHealth.VALID, None)


async def test_wrong_client_credentials_are_explained(runtime):
    async with third_party(TokenService()) as shop:
        with pytest.raises(ThirdPartyError) as caught:
            await connect(runtime, shop, **CLIENT | {"clientSecret": "wrong-secret"})

    assert caught.value.meaning == "The client ID or secret is wrong."


async def test_a_client_secret_travels_encrypted(runtime):
    async with third_party(TokenService()) as shop:
        with pytest.raises(ValidationFailed, match="https") as caught:
            await connect(runtime, shop, **CLIENT, tokenUrl="http://login.example/token")

    assert list(caught.value.by_field) == ["tokenUrl"]


# Log in for a token


@pytest.mark.parametrize(
    "body",
    [
        None,
        '{"username": "{username}", "password": "{password}", "remember": true}',
        "username={username}&password={password}&grant_type=password",
        "",
    ],
    ids=["preset", "json", "form", "basic"],
)
async def test_logging_in_gets_a_token(runtime, body):
    service = TokenService()
    given = LOGIN if body is None else LOGIN | {"loginBody": body}
    async with third_party(service) as shop:
        connection = await connect(runtime, shop, **given)
        result = await request(runtime, connection, "/items")

    assert (service.forms[0]["username"], service.forms[0]["password"]) == (USER, PASSWORD)
    assert result.data_out["data"] == {"path": "/items", "token": "•••"}


async def test_the_token_goes_into_the_chosen_header(runtime):
    service = TokenService()
    async with third_party(service) as shop:
        connection = await connect(runtime, shop, **LOGIN, tokenHeader="X-Session", tokenPrefix="")
        await request(runtime, connection, "/items")

    assert shop.seen[-1].headers["x-session"] in service.valid
    assert "authorization" not in shop.seen[-1].headers


async def test_a_session_that_ended_is_opened_again(runtime):
    service = TokenService()
    async with third_party(service) as shop:
        connection = await connect(runtime, shop, **LOGIN)
        service.valid.clear()
        result = await request(runtime, connection, "/items")

    assert result.status is StepState.SUCCESS
    assert [seen.path for seen in shop.seen][-3:] == ["/items", "/login", "/items"]


async def test_a_wrong_password_is_refused_in_the_services_words(runtime):
    async with third_party(TokenService()) as shop:
        with pytest.raises(ThirdPartyError, match="Wrong password"):
            await connect(runtime, shop, **LOGIN | {"password": "wrong"})


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"tokenPath": "data.session"}, "no token at “data.session”"),
        ({"tokenPath": "data"}, "no token at “data”"),
    ],
)
async def test_a_missing_token_is_explained(runtime, changed, words):
    async with third_party(TokenService()) as shop:
        with pytest.raises(ThirdPartyError) as caught:
            await connect(runtime, shop, **LOGIN | changed)

    assert words in caught.value.meaning


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"loginBody": '{"user": {username}}'}, "loginBody"),
        ({"loginBody": "only words"}, "loginBody"),
        ({"loginUrl": "http://login.example/"}, "loginUrl"),
    ],
)
async def test_a_login_that_cannot_be_sent_is_reported_at_its_field(runtime, changed, field):
    async with third_party(TokenService()) as shop:
        with pytest.raises(ValidationFailed) as caught:
            await connect(runtime, shop, **LOGIN | changed)

    assert list(caught.value.by_field) == [field]
    assert shop.seen == []


# All of them


@pytest.mark.parametrize(
    ("values", "service"),
    [(DIGEST, DigestService()), (AWS, aws_service), (CLIENT, TokenService()), (LOGIN, TokenService())],
    ids=["digest", "aws", "client", "login"],
)
async def test_credentials_go_to_no_other_address_and_show_up_nowhere(runtime, values, service):
    async with third_party(service) as shop, third_party(Reply()) as elsewhere:
        connection = await connect(runtime, shop, **values)
        result = await request(runtime, connection, f"{elsewhere.url}/items")
        shown = str((connection, await runtime.backend.list_connections(), result))

    assert "This connection is for" in result.error_details["happened"]
    assert elsewhere.seen == []
    assert not any(secret in shown for secret in SECRETS)
