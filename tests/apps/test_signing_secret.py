"""Signatures as senders make them, and what becomes of calls over real HTTP."""

import base64
import hmac
import json
import logging
import time

import pytest
from tests.support import patient
from tests.support.contract_workspaces import served
from tests.support.workspace import PASS, open_runtime

from patchbay.cli.flows import use_single_connections
from patchbay.domain.base import AppKey, JsonObject
from patchbay.domain.connections import ConnectionHealth
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.executions import ExecutionFilter
from patchbay.domain.flows import FlowFilter, StepChange
from patchbay.domain.paging import PageRequest
from patchbay.domain.ports import WebhookRequest
from patchbay.integration import Context
from patchbay.integration.context import CurrentAuth
from patchbay.integration.registry import load_apps

WEBHOOK = AppKey("webhook")

APPS = load_apps()
APP = APPS.get(AppKey("signing-secret"))
SECRET = "sign-5d0c7be1a94f"
BODY = b'{"n": 1}'
NOW = 1_700_000_000
STANDARD = "whsec_" + base64.b64encode(b"a standard key of some length").decode()


def mac(key: bytes, content: bytes, algorithm: str = "sha256") -> bytes:
    return hmac.new(key, content, algorithm).digest()


def standard(content: bytes = BODY, *, at: int = NOW, key: str = STANDARD, name: str = "webhook"):
    """The three headers of Standard Webhooks, with an older signature before the right one."""
    raw = base64.b64decode(key.removeprefix("whsec_"))
    good = base64.b64encode(mac(raw, f"msg_1.{at}.".encode() + content)).decode()
    old = base64.b64encode(mac(b"rotated away", content)).decode()
    return {
        f"{name}-id": "msg_1",
        f"{name}-timestamp": str(at),
        f"{name}-signature": f"v1,{old} v1a,{good} v1,{good}",
    }


def stripe(*, at: int = NOW, key: str = SECRET):
    good = mac(key.encode(), f"{at}.".encode() + BODY).hex()
    return {"stripe-signature": f"t={at},v1={'0' * 64},v1={good},v0=x"}


def basic(name: str, password: str):
    return {"authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


async def accepts(data, headers, body: bytes = BODY, now: int = NOW) -> bool:
    request = WebhookRequest(method="POST", headers=headers, query={}, raw_body=body)
    ctx = Context(app=APP, auth=CurrentAuth(data=data), request=request, now=now * 1000)
    return await APP.auth.verify_webhook(ctx)


GITHUB = {"scheme": "github", "secret": SECRET}
BY_STANDARD = {"scheme": "standard", "secret": STANDARD}
STRIPE = {"scheme": "stripe", "secret": SECRET}
HMAC = {"scheme": "hmac", "secret": SECRET, "headerName": "X-Sig", "algorithm": "sha256", "encoding": "hex"}
TOKEN = {"scheme": "token", "token": SECRET, "headerName": "X-Gitlab-Token"}
BASIC = {"scheme": "basic", "username": "ada", "password": "pass:wörd"}
HEX = mac(SECRET.encode(), BODY).hex()


@pytest.mark.parametrize(
    ("data", "headers"),
    [
        (GITHUB, {"X-Hub-Signature-256": f"sha256={HEX}"}),
        (BY_STANDARD, standard()),
        (BY_STANDARD, standard(name="svix")),
        (BY_STANDARD, standard(at=NOW - 299)),
        (BY_STANDARD, standard(at=NOW + 299)),
        (STRIPE, stripe()),
        (HMAC, {"x-sig": HEX}),
        (HMAC, {"x-sig": HEX.upper()}),
        ({**HMAC, "headerPrefix": "v0="}, {"x-sig": f"v0={HEX}"}),
        ({**HMAC, "algorithm": "sha1"}, {"x-sig": mac(SECRET.encode(), BODY, "sha1").hex()}),
        ({**HMAC, "algorithm": "sha512"}, {"x-sig": mac(SECRET.encode(), BODY, "sha512").hex()}),
        (
            {**HMAC, "headerName": "X-Shopify-Hmac-Sha256", "encoding": "base64"},
            {"X-Shopify-Hmac-SHA256": base64.b64encode(mac(SECRET.encode(), BODY)).decode()},
        ),
        (TOKEN, {"x-gitlab-token": SECRET}),
        (BASIC, basic("ada", "pass:wörd")),
    ],
)
async def test_a_signed_call_is_accepted_and_any_change_rejects_it(data, headers):
    assert await accepts(data, headers)
    for name in headers:
        assert not await accepts(data, {key: value for key, value in headers.items() if key != name}), name
    if data not in (TOKEN, BASIC):
        assert not await accepts(data, headers, b'{"n": 2}')
    for key in ("secret", "token", "password"):
        if key in data:
            other = STANDARD[:-8] + "AAAAAAA=" if data is BY_STANDARD else "other"
            assert not await accepts({**data, key: other}, headers)
            assert not await accepts({**data, key: ""}, headers)


@pytest.mark.parametrize(
    ("data", "headers"),
    [
        (BY_STANDARD, standard(at=NOW - 301)),
        (BY_STANDARD, standard(at=NOW + 301)),
        (BY_STANDARD, standard() | {"webhook-timestamp": "yesterday"}),
        (BY_STANDARD, standard() | {"webhook-signature": ""}),
        (STRIPE, stripe(at=NOW - 301)),
        (STRIPE, {"stripe-signature": "nonsense"}),
        (GITHUB, {"x-hub-signature-256": ""}),
        (GITHUB, {"x-hub-signature-256": "sha256=§§"}),
        ({**HMAC, "headerPrefix": "v0="}, {"x-sig": HEX}),
        ({**HMAC, "encoding": "base64"}, {"x-sig": "§§"}),
        (TOKEN, {"x-gitlab-token": ""}),
        (BASIC, {"authorization": "Bearer abc"}),
        (BASIC, {"authorization": "Basic §"}),
        ({"scheme": "none"}, {}),
        ({}, {}),
    ],
)
async def test_old_odd_and_empty_signatures_are_kept_out(data, headers):
    assert not await accepts(data, headers)


async def test_a_recorded_call_can_t_be_sent_again_under_another_id():
    """Id, time, and body are signed with dots between them, so the boundary could be moved into the body."""
    recorded, body = standard(f"{NOW}.{{}}".encode()), f"{NOW}.{{}}".encode()
    moved = recorded | {"webhook-id": f"msg_1.{NOW}"}

    assert await accepts(BY_STANDARD, recorded, body)
    assert not await accepts(BY_STANDARD, moved, b"{}")


async def test_the_examples_that_senders_publish():
    """From GitHub, "Validating webhook deliveries", and the reference of Standard Webhooks."""
    github = {"scheme": "github", "secret": "It's a Secret to Everybody"}
    signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert await accepts(github, {"x-hub-signature-256": signature}, b"Hello, World!")

    data = {"scheme": "standard", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    assert await accepts(data, headers, b'{"test": 2432232314}', now=1614265330)


# In a workspace


@pytest.fixture
async def runtime(tmp_path):
    opened = await open_runtime(tmp_path, more_apps=[APP, APPS.get(AppKey("webhook"))])
    opened.clock.now = int(time.time() * 1000)
    await opened.engine.start()
    yield opened
    await opened.close()


@pytest.fixture
async def sender(runtime):
    async with served(runtime) as service, patient.AsyncClient(base_url=service.base_url) as client:
        yield client


async def signed_flow(runtime, **values):
    """A published flow whose webhook is called by whoever has this secret."""
    connection = await runtime.backend.add_connection("signing-secret", {"screenName": "Sender", **values})
    catch = StepChange(app_key=WEBHOOK, key="catchRawWebhook", connection_id=connection.id)
    flow = await runtime.skipped(await runtime.flow(catch, PASS))
    return await runtime.backend.publish_flow(flow.id)


async def executions(runtime):
    return (await runtime.backend.list_executions(ExecutionFilter(), PageRequest())).items


async def test_only_the_sender_starts_the_flow_and_its_signature_is_not_kept(runtime, sender, caplog):
    caplog.set_level(logging.DEBUG)
    flow = await signed_flow(runtime, scheme="hmac", secret=SECRET, headerName="X-Sum", headerPrefix="v1=")
    address = f"/webhooks/flows/{flow.id}"
    headers = {"x-sum": f"v1={HEX}", "content-type": "application/json"}

    strangers = [
        await sender.post(address, content=BODY),
        await sender.post(address, content=b'{"n": 2}', headers=headers),
        await sender.post(f"{address}/sync", content=b'{"n": 2}', headers=headers),
        await sender.post(f"{address}/test", content=b'{"n": 2}', headers=headers),
    ]
    assert [answer.status_code for answer in strangers] == [401] * 4
    assert strangers[0].json()["meta"]["type"] == "WebhookError"
    assert await executions(runtime) == ()

    assert (await sender.post(address, content=BODY, headers=headers)).status_code == 204
    (run,) = await executions(runtime)
    trigger, *_ = await runtime.backend.execution_steps(run.id)
    assert (trigger.data_out["body"], trigger.data_out["headers"]["x-sum"]) == ({"n": 1}, "•••")
    assert "rejected 1 request" in caplog.text
    assert HEX not in caplog.text
    assert SECRET not in caplog.text


async def test_basic_authentication_asks_for_the_password(runtime, sender):
    flow = await signed_flow(runtime, scheme="basic", username="ada", password="pw-93b1c")
    address = f"/webhooks/flows/{flow.id}"

    asked = await sender.post(address)
    let_in = await sender.post(address, auth=("ada", "pw-93b1c"))

    assert (asked.status_code, asked.headers["www-authenticate"][:5]) == (401, "Basic")
    assert asked.json()["errors"]["general"]
    assert let_in.status_code == 204
    (run,) = await executions(runtime)
    trigger, *_ = await runtime.backend.execution_steps(run.id)
    assert trigger.data_out["headers"]["authorization"] == "•••"


async def test_a_secret_that_is_repeated_in_the_body_is_not_kept_either(runtime, sender):
    flow = await signed_flow(runtime, scheme="token", token=SECRET, headerName="X-Word")

    await sender.post(f"/webhooks/flows/{flow.id}", json={"word": SECRET}, headers={"x-word": SECRET})

    (run,) = await executions(runtime)
    assert SECRET not in json.dumps([step.wire() for step in await runtime.backend.execution_steps(run.id)])


async def test_a_webhook_without_its_secret_rejects_all_calls(runtime, sender):
    flow = await signed_flow(runtime, scheme="token", token=SECRET, headerName="X-Word")
    await runtime.backend.delete_connection(flow.steps[0].connection_id)

    answer = await sender.post(f"/webhooks/flows/{flow.id}", headers={"x-word": SECRET})

    assert (answer.status_code, int(answer.headers["retry-after"]) > 0) == (503, True)
    assert await executions(runtime) == ()


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"scheme": "github"}, "secret"),
        ({"scheme": "standard", "secret": "whsec_§"}, "secret"),
        ({"scheme": "hmac", "secret": "s", "headerName": "not a header"}, "headerName"),
        ({"scheme": "basic", "username": "a:b", "password": "p"}, "username"),
    ],
)
async def test_a_secret_that_could_not_check_anything_is_not_taken(runtime, values, field):
    with pytest.raises(ValidationFailed) as refused:
        await runtime.backend.add_connection("signing-secret", {"screenName": "Sender", **values})

    assert list(refused.value.by_field) == [field]


async def test_the_only_secret_is_not_taken_for_every_webhook_that_is_imported(runtime):
    values = {"screenName": "Sender", "scheme": "github", "secret": SECRET}
    await runtime.backend.add_connection("signing-secret", values)
    flow = await runtime.flow(StepChange(app_key=WEBHOOK, key="catchRawWebhook"), PASS)

    flow = await use_single_connections(runtime.backend, flow)

    assert flow.steps[0].connection_id is None


async def test_a_webhook_that_awaits_its_secret_is_shown_as_signed(runtime, sender):
    secret = await runtime.backend.add_connection(
        "signing-secret", {"screenName": "Sender", "scheme": "github", "secret": SECRET}
    )
    catch = StepChange(app_key=WEBHOOK, key="catchRawWebhook", connection_id=secret.id)
    exported = await runtime.backend.export_flow((await runtime.flow(catch, PASS)).id)

    imported = await runtime.backend.import_flow(exported)
    listed = (await runtime.backend.list_flows(FlowFilter(), PageRequest())).items

    assert [flow.steps[0].webhook_signed for flow in (imported, *listed)] == [True] * 3
    assert (await sender.post(f"/webhooks/flows/{imported.id}/test", content=BODY)).status_code == 401


async def test_testing_a_secret_looks_at_the_form_only(runtime):
    values = {"screenName": "Sender", "scheme": "github", "secret": SECRET}
    connection = await runtime.backend.add_connection("signing-secret", values)

    assert (await runtime.backend.test_connection(connection.id)).health is ConnectionHealth.VALID
    assert "secret" not in connection.formatted_data


async def test_nothing_of_a_stranger_s_body_is_decoded(runtime, sender):
    flow = await signed_flow(runtime, **GITHUB)
    kinds = ("application/json", "text/plain; charset=undefined", "multipart/form-data; boundary=b")

    for kind in kinds:
        answer = await sender.post(
            f"/webhooks/flows/{flow.id}", content=b"{", headers={"content-type": kind, **_hub(b"another")}
        )
        assert answer.status_code == 401

    signed = await sender.post(
        f"/webhooks/flows/{flow.id}", content=b"{", headers={"content-type": kinds[0], **_hub(b"{")}
    )
    assert signed.status_code == 400


# Which delivery a signed call is


def _hub(body: bytes) -> dict[str, str]:
    return {"x-hub-signature-256": "sha256=" + mac(SECRET.encode(), body).hex()}


def _now() -> int:
    return int(time.time())


UNSIGNED_NAMES = (
    "webhook-id",
    "idempotency-key",
    "x-github-delivery",
    "svix-id",
    "x-request-uuid",
    "x-event-id",
)
SIGNED = {
    "github": (GITHUB, lambda: _hub(BODY)),
    "hmac": (HMAC, lambda: {"x-sig": HEX}),
    "stripe": (STRIPE, lambda: stripe(at=_now())),
    "svix": (BY_STANDARD, lambda: standard(at=_now(), name="svix")),
    "standard": (BY_STANDARD, lambda: standard(at=_now())),
}


@pytest.mark.parametrize("scheme", SIGNED)
async def test_a_recorded_call_runs_nothing_again_whatever_headers_are_added(runtime, sender, scheme):
    data, signed = SIGNED[scheme]
    flow = await signed_flow(runtime, **data)
    headers = signed()
    taken = {"webhook-id"} if scheme == "standard" else {"svix-id"} if scheme == "svix" else set()
    added = [{name: "another"} for name in UNSIGNED_NAMES if name not in taken]

    for more in (
        {},
        *added,
        {"x-slack-signature": "v0=1", "stripe-signature": headers.get("stripe-signature", "t=1")},
    ):
        answer = await sender.post(f"/webhooks/flows/{flow.id}", content=BODY, headers={**headers, **more})
        assert answer.status_code == 204

    assert len(await executions(runtime)) == 1


async def test_a_call_of_svix_is_the_same_delivery_with_its_headers_renamed(runtime, sender):
    flow = await signed_flow(runtime, **BY_STANDARD)
    at = _now()

    for name in ("svix", "webhook"):
        await sender.post(f"/webhooks/flows/{flow.id}", content=BODY, headers=standard(at=at, name=name))

    assert len(await executions(runtime)) == 1


async def test_a_header_that_was_chosen_does_not_decide_for_signed_calls(runtime, sender):
    connection = await runtime.backend.add_connection("signing-secret", {"screenName": "Sender", **GITHUB})
    way: JsonObject = {"workSynchronously": False, "deliveries": "header", "deliveryHeader": "X-Event-Id"}
    catch = StepChange(app_key=WEBHOOK, key="catchRawWebhook", connection_id=connection.id, parameters=way)
    flow = await runtime.skipped(await runtime.flow(catch, PASS))
    flow = await runtime.backend.publish_flow(flow.id)

    for event in ("1", "2"):
        headers = {**_hub(BODY), "x-event-id": event}
        await sender.post(f"/webhooks/flows/{flow.id}", content=BODY, headers=headers)

    assert len(await executions(runtime)) == 1


async def test_signed_calls_with_other_content_run(runtime, sender):
    flow = await signed_flow(runtime, **GITHUB)

    for body in (b'{"n": 1}', b'{"n": 2}', b'{"n": 3}'):
        await sender.post(f"/webhooks/flows/{flow.id}", content=body, headers=_hub(body))

    assert len(await executions(runtime)) == 3


async def test_an_event_of_stripe_that_is_sent_again_later_is_the_same(runtime, sender):
    flow = await signed_flow(runtime, **STRIPE)
    body = b'{"id": "evt_1", "object": "event"}'

    for at in (_now() - 60, _now()):
        good = mac(SECRET.encode(), f"{at}.".encode() + body).hex()
        headers = {"stripe-signature": f"t={at},v1={good}"}
        await sender.post(f"/webhooks/flows/{flow.id}", content=body, headers=headers)

    assert len(await executions(runtime)) == 1


async def test_with_a_token_nothing_is_signed_and_headers_name_the_delivery(runtime, sender):
    flow = await signed_flow(runtime, **TOKEN)

    for name in ("1", "1", "2"):
        headers = {"x-gitlab-token": SECRET, "x-gitlab-event-uuid": name}
        await sender.post(f"/webhooks/flows/{flow.id}", content=BODY, headers=headers)

    assert len(await executions(runtime)) == 2
