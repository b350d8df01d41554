"""What the contract of the catalogue doesn't cover in Slack, ntfy, Twilio, SignalWire, and X."""

import base64
import hashlib
import hmac
from urllib.parse import urlencode

import httpx
import pytest
from tests.support.catalogue.facts import the_app
from tests.support.catalogue.service import NOW, WEBHOOK_URL, SimulatedService, calling

from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.domain.ports import WebhookRequest
from patchbay.integration import urls
from patchbay.integration.context import collect_items


def _event(app: str, kind: str, key: str):
    return next(event for event in getattr(the_app(app), kind) if event.key == key)


async def _run(app: str, key: str, parameters: dict) -> tuple[SimulatedService, object]:
    service = SimulatedService(app)
    async with calling(service, parameters) as ctx:
        await _event(app, "actions", key).run(ctx)
        return service, ctx.action_output


@pytest.mark.parametrize(("as_bot", "token"), [(True, "secret-bot-token"), ("no", "secret-user-token")])
async def test_slack_sends_as_the_bot_only_if_chosen(as_bot, token):
    parameters = {"channel": "C1", "message": "Hello", "sendAsBot": as_bot, "botName": "Patchbay"}

    service, _ = await _run("slack", "sendMessageToChannel", parameters)

    assert token in service.requests[0].headers["authorization"]
    assert ("username" in service.requests[0].body) is (as_bot is True)


@pytest.mark.parametrize("action", ["sendMessageToChannel", "sendDirectMessage"])
@pytest.mark.parametrize(
    ("escapes", "sent"),
    [
        (True, 'AT&amp;T "&lt;!channel&gt;" *1*'),
        (False, 'AT&T "<!channel>" *1*'),
        (None, 'AT&T "<!channel>" *1*'),
    ],
)
async def test_slack_escapes_messages_if_chosen(action, escapes, sent):
    recipients = {"channel": "C1", "toUsername": "U1"}

    service, _ = await _run(
        "slack", action, {**recipients, "message": 'AT&T "<!channel>" *1*', "escape": escapes}
    )

    assert service.requests[0].body["text"] == sent


async def test_slack_reports_errors_that_have_a_success_status():
    service = SimulatedService(
        "slack", lambda request: httpx.Response(200, json={"ok": False, "error": "channel_not_found"})
    )

    with pytest.raises(ThirdPartyError) as caught:
        async with calling(service, {"channel": "C1", "message": "Hello"}) as ctx:
            await _event("slack", "actions", "sendMessageToChannel").run(ctx)

    assert caught.value.said == "channel_not_found"


async def test_ntfy_needs_no_account():
    auth = the_app("ntfy").auth
    assert auth is not None
    service = SimulatedService("ntfy", lambda request: httpx.Response(200, json={"username": "*"}))
    async with calling(service, data={"serverUrl": "https://ntfy.example.com/"}) as ctx:
        await auth.verify_credentials(ctx)
        name = ctx.auth.data["screenName"]

    assert name == "https://ntfy.example.com"
    assert "authorization" not in service.requests[0].headers


@pytest.mark.parametrize("tampered", [False, True])
async def test_twilio_deliveries_are_accepted_with_their_signature_only(tampered):
    form = {"From": "+15551234567", "Body": "Grüße & more", "MessageSid": "SM1", "FromCity": ""}
    signed = WEBHOOK_URL + "".join(name + form[name] for name in sorted(form))
    digest = hmac.new(b"secret-authToken-0123456789", signed.encode(), hashlib.sha1).digest()
    sent = {**form, "Body": "Something else"} if tampered else form
    request = WebhookRequest(
        method="POST",
        headers={"X-Twilio-Signature": base64.b64encode(digest).decode()},
        query={},
        raw_body=urlencode(sent).encode(),
    )

    trigger = _event("twilio", "triggers", "receiveSms")
    async with calling(SimulatedService("twilio"), {"phoneNumberSid": "PN1"}, request=request) as ctx:
        before = await trigger.verify_webhook(ctx)
        await trigger.register_hook(ctx)
        ctx.webhook_url = None  # a delivery only has what was stored
        accepted = await trigger.verify_webhook(ctx)

    assert before is False
    assert accepted is not tampered
    assert ctx.signed_delivery == (None if tampered else "twilio:SM1")


async def test_the_form_of_a_large_delivery_is_not_read():
    form = {"Body": "x" * 200_000, "MessageSid": "SM1"}
    signed = WEBHOOK_URL + "".join(name + form[name] for name in sorted(form))
    digest = hmac.new(b"secret-authToken-0123456789", signed.encode(), hashlib.sha1).digest()
    request = WebhookRequest(
        method="POST",
        headers={"X-Twilio-Signature": base64.b64encode(digest).decode()},
        query={},
        raw_body=urlencode(form).encode(),
    )

    trigger = _event("twilio", "triggers", "receiveSms")
    async with calling(SimulatedService("twilio"), {"phoneNumberSid": "PN1"}, request=request) as ctx:
        await trigger.register_hook(ctx)

        assert await trigger.verify_webhook(ctx) is False


async def test_signalwire_nodes_are_escaped_and_contain_others():
    parameters = {
        "nodeName": "Gather",
        "nodeValue": "",
        "attributes": [
            {"key": "action", "value": 'https://example.com/?a=1&b="2"'},
            {"key": "", "value": ""},
        ],
        "hasChildrenNodes": True,
        "childrenNodes": [{"nodeName": "Say", "nodeValue": "1 < 2\x00", "attributes": []}],
    }

    service, output = await _run("signalwire", "addVoiceXmlNode", parameters)

    assert output == {
        "stringNode": '<Gather action="https://example.com/?a=1&amp;b=&quot;2&quot;">'
        "<Say>1 &lt; 2</Say></Gather>"
    }
    assert service.requests == []


async def test_signalwire_rejects_names_that_would_break_the_xml():
    with pytest.raises(ValidationFailed):
        await _run("signalwire", "addVoiceXmlNode", {"nodeName": "Say><Dial", "nodeValue": "1"})


async def test_signalwire_calls_are_answered_with_the_nodes():
    async with calling(SimulatedService("signalwire"), {"nodes": [{"nodeString": "<Hangup/>"}]}) as ctx:
        await _event("signalwire", "actions", "respondWithVoiceXml").run(ctx)

    response = ctx.answer
    assert response is not None
    assert response.headers == {"content-type": "text/xml"}
    assert response.body == '<?xml version="1.0" encoding="UTF-8"?><Response><Hangup/></Response>'
    assert ctx.action_output == {"body": response.body, "statusCode": 200, "headers": response.headers}


@pytest.mark.parametrize(
    ("region", "host"), [("", "example.signalwire.com"), ("eu-", "example.eu-signalwire.com")]
)
def test_signalwire_spaces_are_in_the_chosen_region(region, host):
    data = {"spaceName": "example", "spaceRegion": region}

    assert urls.resolve_base_url(the_app("signalwire"), data) == f"https://{host}"


def test_signalwire_needs_the_name_of_a_space():
    with pytest.raises(ValidationFailed):
        urls.resolve_base_url(the_app("signalwire"), {"spaceName": "", "spaceRegion": ""})


@pytest.mark.parametrize(("age_days", "is_sent"), [(1, True), (30, False)])
async def test_x_sends_only_posts_after_the_last_known_one(age_days, is_sent):
    created = NOW - age_days * 24 * 3600 * 1000
    known = str((created - 1_288_834_974_657) << 22)
    service = SimulatedService("twitter")

    async with calling(service, {"searchTerm": "patchbay"}) as ctx:
        ctx.flow.last_internal_id = known
        await collect_items(_event("twitter", "triggers", "searchTweets").run, ctx)

    assert service.requests[0].query.get("since_id") == (known if is_sent else None)
