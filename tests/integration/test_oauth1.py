"""OAuth 1.0a: request token, access token, and signed requests."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from oauthlib.oauth1 import Client

from patchbay.domain.errors import ThirdPartyError
from patchbay.integration import App, Auth, Context, OAuth1, oauth1, oauth_fields
from patchbay.integration.context import CurrentAuth
from patchbay.integration.http_factory import HttpFactory

NOW = 1_750_000_000_000
OAUTH: OAuth1 = oauth1(
    request_token_url="https://api.birds.example/request_token",
    authorize_url="https://birds.example/authorize",
    access_token_url="https://api.birds.example/access_token",
    authorize_params={"perms": "write"},
    stores={"userId": "{user_id}"},
)
CLIENT = {
    "consumerKey": "ck",
    "consumerSecret": "consumer-secret-1",
    "oAuthRedirectUrl": "http://127.0.0.1:1/cb",
}


async def _verify(ctx: Context) -> None:
    await OAUTH.sign_in(ctx)


async def _still(ctx: Context) -> bool:
    return bool(await ctx.http.get("/me"))


APP = App(
    name="Birds",
    key="birds",
    supports_connections=True,
    api_base_url="https://api.birds.example",
    auth=Auth(
        fields=oauth_fields(client_id="consumerKey", client_secret="consumerSecret"),
        generate_auth_url=OAUTH.generate_auth_url,
        verify_credentials=_verify,
        is_still_verified=_still,
    ),
    before_request=[OAUTH.sign],
)


class Birds:
    """The service: grants tokens, and records the requests."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []

    def respond(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if request.url.path == "/request_token":
            return httpx.Response(200, text="oauth_token=request-1&oauth_token_secret=request-secret-1")
        if request.url.path == "/access_token":
            return httpx.Response(
                200, text="oauth_token=access-1&oauth_token_secret=access-secret-1&user_id=7"
            )
        return httpx.Response(200, json={"id": 7})


@pytest.fixture
async def http():
    birds = Birds()
    factory = HttpFactory(transport=httpx.MockTransport(birds.respond))
    yield birds, factory
    await factory.aclose()


def _context(factory: HttpFactory, **data: Any) -> Context:
    return Context(app=APP, auth=CurrentAuth(data={**CLIENT, **data}), http_factory=factory, now=NOW)


async def test_the_browser_opens_the_address_with_the_request_token(http):
    birds, factory = http
    ctx = _context(factory)

    await OAUTH.generate_auth_url(ctx)

    assert parse_qs(urlsplit(str(ctx.auth.data["url"])).query) == {
        "oauth_token": ["request-1"],
        "perms": ["write"],
    }
    assert ctx.auth.data["state"] == "request-1"
    assert "oauth_callback=" in birds.requests[0].headers["authorization"]


async def test_a_verifier_becomes_tokens(http):
    birds, factory = http
    callback = {"oauth_token": "request-1", "oauth_verifier": "verifier-1"}
    ctx = _context(factory, state="request-1", requestSecret="request-secret-1", callback=callback)

    await OAUTH.sign_in(ctx)

    assert 'oauth_verifier="verifier-1"' in birds.requests[0].headers["authorization"]
    data = ctx.auth.data
    assert (data["accessToken"], data["accessSecret"], data["userId"]) == ("access-1", "access-secret-1", "7")
    assert data["callback"] is data["state"] is data["requestSecret"] is None


@pytest.mark.parametrize(
    "callback", [{"denied": "request-1"}, {"oauth_token": "other", "oauth_verifier": "v"}]
)
async def test_a_denied_or_foreign_sign_in_is_refused(http, callback):
    birds, factory = http

    with pytest.raises(ThirdPartyError):
        await OAUTH.sign_in(_context(factory, state="request-1", callback=callback))

    assert birds.requests == []


async def test_requests_are_signed_with_query_and_form(http):
    birds, factory = http
    ctx = _context(factory, accessToken="access-1", accessSecret="access-secret-1")

    await ctx.http.post("/posts", params={"a b": "c/d"}, form={"status": "Hello, world!"})

    sent = birds.requests[0]
    header = dict(
        part.split("=", 1) for part in sent.headers["authorization"].removeprefix("OAuth ").split(", ")
    )
    again = Client(
        "ck",
        client_secret="consumer-secret-1",
        resource_owner_key="access-1",
        resource_owner_secret="access-secret-1",
        timestamp=header["oauth_timestamp"].strip('"'),
        nonce=header["oauth_nonce"].strip('"'),
    )
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    _, expected, _ = again.sign(str(sent.url), "POST", sent.content.decode(), form)
    assert header["oauth_signature"] in expected["Authorization"]
    assert "secret" not in sent.headers["authorization"]
