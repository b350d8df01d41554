"""Webhook: which delivery a call is, and what is kept of it."""

import pytest

from patchbay.domain.base import AppKey
from patchbay.domain.ports import WebhookRequest
from patchbay.integration import Context
from patchbay.integration.context import CurrentAuth, CurrentStep, collect_items
from patchbay.integration.registry import load_apps

APP = load_apps().get(AppKey("webhook"))
(CATCH,) = APP.triggers


async def caught(headers, body=None, auth=None, **parameters):
    request = WebhookRequest(method="POST", headers=headers, query={"a": "1"}, body=body)
    ctx = Context(
        app=APP,
        request=request,
        step=CurrentStep(parameters=parameters),
        auth=CurrentAuth(data=auth or {}),
    )
    (item,) = await collect_items(CATCH.run, ctx)
    return item


@pytest.mark.parametrize(
    ("headers", "body", "internal_id"),
    [
        ({"X-GitHub-Delivery": "72d3"}, None, "x-github-delivery:72d3"),
        ({"Webhook-Id": "msg_1", "svix-id": "msg_2"}, None, "webhook-id:msg_1"),
        ({"svix-id": "msg_2"}, None, "svix-id:msg_2"),
        ({"X-Shopify-Webhook-Id": "b54"}, None, "x-shopify-webhook-id:b54"),
        ({"X-Gitlab-Event-UUID": "e1", "Idempotency-Key": "k1"}, None, "idempotency-key:k1"),
        ({"X-Gitlab-Event-UUID": "e1"}, None, "x-gitlab-event-uuid:e1"),
        ({"Stripe-Signature": "t=1"}, {"id": "evt_1", "object": "event"}, "stripe:evt_1"),
        ({"X-Slack-Signature": "v0=1"}, {"event_id": "Ev1"}, "x-slack:Ev1"),
    ],
)
async def test_what_the_sender_calls_a_delivery_is_its_id(headers, body, internal_id):
    assert (await caught(headers, body)).internal_id == internal_id


@pytest.mark.parametrize(
    ("headers", "body", "parameters"),
    [
        ({}, None, {}),
        ({"x-github-delivery": " "}, None, {}),
        ({}, {"id": "evt_1"}, {}),
        ({"stripe-signature": "t=1"}, {"id": 7}, {}),
        ({"x-github-delivery": "72d3"}, None, {"deliveries": "off"}),
        ({"x-github-delivery": "72d3"}, None, {"deliveries": "header", "deliveryHeader": "X-Event"}),
        ({"x-github-delivery": "72d3"}, None, {"deliveries": "header", "deliveryHeader": " "}),
    ],
)
async def test_without_a_name_each_call_is_an_event_of_its_own(headers, body, parameters):
    ids = {(await caught(headers, body, **parameters)).internal_id for _ in range(3)}

    assert len(ids) == 3
    assert all(len(internal_id) == 36 for internal_id in ids)


async def test_another_header_can_be_named():
    way = {"deliveries": "header", "deliveryHeader": " X-Event "}

    assert (await caught({"x-event": "9", "webhook-id": "1"}, **way)).internal_id == "x-event:9"


async def test_names_that_are_long_or_may_be_keys_are_not_kept_as_they_are():
    long = (await caught({"webhook-id": "x" * 5000})).internal_id
    other = (await caught({"webhook-id": "x" * 5001})).internal_id
    key = (await caught({"x-my-token": "sk-1"}, deliveries="header", deliveryHeader="X-My-Token")).internal_id

    assert len(long) < 200
    assert long != other
    assert key.startswith("x-my-token:")
    assert "sk-1" not in key


async def test_what_proves_who_calls_is_not_kept():
    private = {
        "Authorization": "a",
        "Proxy-Authorization": "b",
        "Cookie": "c",
        "X-Api-Token": "d",
        "X-Hub-Signature": "f",
        "X-Hub-Signature-256": "g",
        "Webhook-Signature": "h",
        "Stripe-Signature": "i",
        "X-Shopify-Hmac-Sha256": "j",
        "X-Api-Key": "k",
        "Apikey": "l",
        "X-Sum": "m",
        "X-Gitlab-Token": "e",
        "X-Telegram-Bot-Api-Secret-Token": "n",
    }

    item = await caught({**private, "X-GitHub-Event": "push"}, {"n": 1}, auth={"headerName": "X-SUM"})

    headers = item.raw["headers"]
    assert headers.pop("x-github-event") == "push"
    assert set(headers) == {name.lower() for name in private}
    assert set(headers.values()) == {"•••"}
    assert (item.raw["body"], item.raw["query"]) == ({"n": 1}, {"a": "1"})


async def test_flows_made_before_there_was_a_choice_know_deliveries():
    assert (await caught({"webhook-id": "1"}, workSynchronously=False)).internal_id == "webhook-id:1"
