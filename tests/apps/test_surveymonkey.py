"""Deliveries of SurveyMonkey are signed with the ID and the secret of the connection's app."""

import hashlib
import hmac
from base64 import b64encode

import pytest
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.domain.base import AppKey
from patchbay.domain.ports import WebhookRequest
from patchbay.integration.registry import BUILT_IN, load_app

CONTENT = b'{"event_type": "response_completed"}'


@pytest.mark.parametrize(
    ("client", "secret", "accepted"),
    [("c1", "s1", True), ("c1", "s2", False), ("c1", "", False), ("", "", False)],
)
@pytest.mark.parametrize("known", ["s1", "", None])
async def test_a_delivery_is_accepted_with_the_right_signature(client, secret, accepted, known):
    trigger = load_app(AppKey("surveymonkey"), BUILT_IN).triggers[0]
    signature = b64encode(hmac.new(f"{client}&{secret}".encode(), CONTENT, hashlib.sha1).digest()).decode()
    request = WebhookRequest(method="POST", headers={"Sm-Signature": signature}, query={}, raw_body=CONTENT)

    accepted = accepted and known == "s1"
    data = {"clientId": client, "clientSecret": known}

    async with calling(SimulatedService("surveymonkey"), data=data, request=request) as ctx:
        assert await trigger.verify_webhook(ctx) is accepted
        assert bool(ctx.signed_delivery) is accepted
