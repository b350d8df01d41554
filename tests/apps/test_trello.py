"""Trello's sign-in, whose browser returns with a token after the # of the address."""

from urllib.parse import parse_qs, urlsplit

import pytest
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.domain.base import AppKey
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration.registry import BUILT_IN, load_app

TOKEN = "secret-token-9876543210"
RETURN = "https://patchbay.example.com/oauth/callback"


def _sign_in():
    auth = load_app(AppKey("trello"), BUILT_IN).auth
    assert auth is not None
    return auth


async def test_the_token_in_the_address_signs_in():
    auth, service = _sign_in(), SimulatedService("trello")
    async with calling(service, data={"apiKey": "k1", "oAuthRedirectUrl": RETURN}) as ctx:
        await auth.generate_auth_url(ctx)
        query = parse_qs(urlsplit(str(ctx.auth.data["url"])).query)
        returned = parse_qs(urlsplit(query["return_url"][0]).query)
        await ctx.auth.set(callback={"state": returned["state"][0], "token": TOKEN})
        await auth.verify_credentials(ctx)

    assert ctx.auth.data["screenName"] == "ada @ ada@example.com"
    assert ctx.auth.data["callback"] is None
    credential = service.requests[0].headers["authorization"]
    assert credential == f'OAuth oauth_consumer_key="k1", oauth_token="{TOKEN}"'


@pytest.mark.parametrize(
    "callback", [{"state": "other", "token": TOKEN}, {"state": "own", "error": "denied"}]
)
async def test_a_denied_or_foreign_answer_sends_nothing(callback):
    service = SimulatedService("trello")
    async with calling(service, data={"apiKey": "k1", "state": "own", "callback": callback}) as ctx:
        with pytest.raises(ThirdPartyError) as caught:
            await _sign_in().verify_credentials(ctx)

    assert "denied" in caught.value.meaning
    assert service.requests == []


async def test_without_a_sign_in_nothing_is_sent():
    service = SimulatedService("trello")
    async with calling(service, data={"apiKey": "k1"}) as ctx:
        with pytest.raises(ValidationFailed):
            await _sign_in().verify_credentials(ctx)

    assert service.requests == []
