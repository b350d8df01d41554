"""Triggers, actions, and lists of the catalogue send the documented requests and handle any response."""

import copy
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from tests.support.catalogue import facts, samples
from tests.support.catalogue.comparison import request_differences
from tests.support.catalogue.facts import Facts, assert_agrees, event_of, the_app
from tests.support.catalogue.service import WEBHOOK_URL, SimulatedService, calling

from patchbay.domain.apps import TriggerKind
from patchbay.domain.errors import AppError, ThirdPartyError, TimedOut
from patchbay.domain.ports import TriggerItem, WebhookRequest
from patchbay.integration.app_definition import Action, DynamicData, DynamicFields, Trigger
from patchbay.integration.context import Context, collect_items
from patchbay.integration.templates import find_value

VENDOR_WORDS = "The vendor’s own words."
POLLED = [
    (key, event)
    for key, event in facts.events("triggers", requests=True)
    if event_of(key, "triggers", event)["type"] == "polling"
]
HOOKED = [
    (key, event)
    for key, event in facts.events("triggers", requests=True)
    if event_of(key, "triggers", event).get("registerHookCalls")
]
ACTED = facts.events("actions", requests=True)
LISTED = facts.events("dynamic", requests=True)
_PATH = re.compile(r"\{response([^{}]*)\}")


def _trigger(key: str, event: str) -> Trigger:
    return next(trigger for trigger in the_app(key).triggers if trigger.key == event)


def _action(key: str, event: str) -> Action:
    return next(action for action in the_app(key).actions if action.key == event)


def _loader(key: str, event: str) -> DynamicData | DynamicFields:
    app = the_app(key)
    return next(loader for loader in (*app.dynamic_data, *app.dynamic_fields) if loader.key == event)


async def _poll(trigger: Trigger, ctx: Context) -> list[TriggerItem]:
    assert trigger.run is not None
    return [item for item in await collect_items(trigger.run, ctx) if item.starts]


def _runs_of(kind: str, key: str, event: str) -> Callable[[Context], Awaitable[Any]]:
    if kind == "triggers":
        return lambda ctx: _poll(_trigger(key, event), ctx)
    return _action(key, event).run if kind == "actions" else _loader(key, event).load


@pytest.mark.parametrize(("key", "event"), POLLED)
async def test_a_polling_trigger_sends_the_documented_requests_and_identifies_items(key: str, event: str):
    own, service = event_of(key, "triggers", event), SimulatedService(key)
    trigger = _trigger(key, event)
    items: list[TriggerItem] = []
    for parameters in samples.parameter_sets(key, own):
        async with calling(service, parameters) as ctx:
            items = items or await _poll(trigger, ctx)
            if items:
                ctx.trigger_items.clear()
                await _poll(trigger, ctx)

    assert_agrees(key, f"requests of {event}", request_differences(service, own["calls"]))
    ids = [item.internal_id for item in items]
    assert items, f"no items; add a realistic response to responses/{key}.json"
    assert all(ids)
    assert len(set(ids)) == len(ids)
    assert [item.problem for item in items if item.problem] == []
    _assert_no_secret(key, [item.raw for item in items])
    assert_agrees(key, f"results of {event}", _id_differences(service, own, ids))


def _id_differences(service: SimulatedService, own: Facts, ids: list[str | None]) -> list[str]:
    """Whether each ID is the value that the facts name, in one of the responses."""
    match = _PATH.fullmatch(own.get("internalId") or "")
    if match is None:
        return []
    documented: set[str] = set()
    for _, document in service.documents:
        path = match[1].strip(".")
        value = find_value({"root": document}, f"root{path}" if path.startswith("[]") else f"root.{path}")
        documented |= {str(one) for one in (value if isinstance(value, list) else [value])}
    return (
        [] if {str(one) for one in ids} <= documented else [f"items aren't identified by {own['internalId']}"]
    )


@pytest.mark.parametrize(("key", "event"), POLLED)
async def test_items_that_are_known_are_not_reported_again(key: str, event: str):
    own, trigger = event_of(key, "triggers", event), _trigger(key, event)
    parameters = samples.parameter_sets(key, own)[0]
    async with calling(SimulatedService(key), parameters) as ctx:
        known = frozenset(item.internal_id or "" for item in await _poll(trigger, ctx))

    async def find_seen(internal_ids):
        return frozenset(internal_ids) & known

    async with calling(SimulatedService(key), parameters, known_ids=known, find_seen_ids=find_seen) as ctx:
        assert known
        assert await _poll(trigger, ctx) == []


@pytest.mark.parametrize(
    ("key", "event"),
    [one for one in POLLED if "[]" in (event_of(one[0], "triggers", one[1])["internalId"] or "")],
)
async def test_a_list_without_items_starts_nothing(key: str, event: str):
    own, service = event_of(key, "triggers", event), SimulatedService(key)
    parameters = samples.parameter_sets(key, own)[0]

    def respond_empty(request: httpx.Request) -> httpx.Response | None:
        inner = SimulatedService(key).respond(request)
        return httpx.Response(200, json=_without_items(inner.json())) if inner.content else inner

    service = SimulatedService(key, respond_empty)
    async with calling(service, parameters) as ctx:
        items = await _poll(_trigger(key, event), ctx)

    assert [item.raw for item in items] == []
    assert service.requests


def _without_items(document: Any) -> Any:
    """A response of the same shape with empty lists."""
    if isinstance(document, list):
        return []
    if isinstance(document, dict):
        return {name: _without_items(value) for name, value in document.items()}
    return copy.copy(document)


@pytest.mark.parametrize(("key", "event"), ACTED)
async def test_an_action_sends_the_documented_requests_and_outputs_the_result(key: str, event: str):
    own, service = event_of(key, "actions", event), SimulatedService(key)
    outputs: list[Any] = []
    for parameters in samples.parameter_sets(key, own):
        async with calling(service, parameters) as ctx:
            await _action(key, event).run(ctx)
            outputs.append(ctx.action_output)

    assert_agrees(key, f"requests of {event}", request_differences(service, own["calls"]))
    assert all(output is not None for output in outputs)
    _assert_no_secret(key, outputs)
    assert_agrees(key, f"results of {event}", _output_differences(service, own, outputs[-1]))


def _output_differences(service: SimulatedService, own: Facts, output: Any) -> list[str]:
    """Whether the output is the part of the last response that the facts name."""
    named = own.get("output") or ("" if own.get("outputKeys") else "{response}")
    if earlier := re.fullmatch(r"\{response of call (\d+)\}", named):
        call = own["calls"][int(earlier[1]) - 1]
        given = [document for sent, document in service.documents if service.is_call(sent, call)]
        return [] if output in given else [f"the output isn't {named}"]
    match = _PATH.fullmatch(named)
    missing = [
        name for name in own.get("outputKeys", ()) if not isinstance(output, dict) or name not in output
    ]
    found = [f"the output has no {name}" for name in missing]
    if match is None or not service.documents or service.documents[-1][1] is None:
        return found
    path = re.sub(r"\[(\d+)\]", r".\1", match[1]).strip(".")
    expected = find_value(service.documents[-1][1], path) if path else service.documents[-1][1]
    return found if output == expected else [*found, f"the output isn't {named}"]


@pytest.mark.parametrize(("key", "event"), LISTED)
async def test_a_list_sends_the_documented_requests_and_has_options(key: str, event: str):
    own, service, found = event_of(key, "dynamic", event), SimulatedService(key), list[Any]()
    for parameters in samples.parameter_sets(key, own):
        async with calling(service, parameters) as ctx:
            found += await _loader(key, event).load(ctx)

    assert_agrees(key, f"requests of {event}", request_differences(service, own["calls"]))
    assert found, f"it's empty; add a realistic response to responses/{key}.json"
    assert all(one.label for one in found)


@pytest.mark.parametrize(
    ("kind", "key", "event"),
    [
        *(("triggers", *one) for one in POLLED),
        *(("actions", *one) for one in ACTED),
        *(("dynamic", *one) for one in LISTED),
    ],
)
async def test_errors_of_the_service_are_explained_and_hold_no_secret(kind, key, event, caplog):
    caplog.set_level(logging.DEBUG)
    own, secrets = event_of(key, kind, event), samples.secrets(key)
    parameters, run = samples.parameter_sets(key, own)[0], _runs_of(kind, key, event)

    def respond(status: int, **headers: str) -> Callable[[httpx.Request], httpx.Response]:
        text = f"{VENDOR_WORDS} {' '.join(secrets)}"
        return lambda request: httpx.Response(status, json={"message": text}, headers=headers)

    def time_out(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("too late", request=request)

    expected: list[tuple[Any, type[AppError], Any]] = [
        (
            respond(401),
            ThirdPartyError,
            lambda error: error.rejects_credentials and VENDOR_WORDS in error.said,
        ),
        (respond(429, **{"retry-after": "7"}), ThirdPartyError, lambda error: error.retry_after == 7),
        (respond(500), ThirdPartyError, lambda error: error.status == 500),
        (lambda request: httpx.Response(200, html="<title>Sign in</title>"), AppError, bool),
        (time_out, TimedOut, bool),
    ]
    for interfere, error_type, is_explained in expected:
        service = SimulatedService(key, interfere)
        with pytest.raises(error_type) as caught:
            async with calling(service, parameters) as ctx:
                await run(ctx)

        assert is_explained(caught.value)
        said = f"{caught.value.text()} {vars(caught.value)}"
        assert [secret for secret in secrets if secret in said] == []
    assert [secret for secret in secrets if secret in caplog.text] == []


@pytest.mark.parametrize(("key", "event"), HOOKED)
async def test_a_webhook_is_registered_and_removed_as_documented(key: str, event: str):
    own, trigger = event_of(key, "triggers", event), _trigger(key, event)
    assert trigger.kind is TriggerKind.WEBHOOK
    assert trigger.register_hook is not None
    assert trigger.unregister_hook is not None
    registered, removed = SimulatedService(key), SimulatedService(key)
    for parameters in samples.parameter_sets(key, own):
        async with calling(registered, parameters) as ctx:
            await trigger.register_hook(ctx)
            assert ctx.flow.remote_webhook_id is not None
        async with calling(removed, parameters) as ctx:
            await trigger.unregister_hook(ctx)

    sent = [f"{one.url}{one.query}{one.content.decode()}" for one in registered.requests]
    found = list(request_differences(registered, own["registerHookCalls"]))
    found += request_differences(removed, own["unregisterHookCalls"])
    assert_agrees(key, f"requests of {event}", dict.fromkeys(found))
    assert any(
        WEBHOOK_URL in text or WEBHOOK_URL.replace("/", "%2F").replace(":", "%3A") in text for text in sent
    )


@pytest.mark.parametrize(("key", "event"), HOOKED)
async def test_a_delivery_starts_the_flow_once(key: str, event: str):
    own, trigger = event_of(key, "triggers", event), _trigger(key, event)
    assert trigger.run is not None
    body = facts.responses(key).get("$deliveries", {}).get(event, {"id": "sample-id", "name": "Sample"})
    match = re.fullmatch(r"\{request\.body\.(\w+)\}", own.get("internalId") or "")
    if match:
        body = {match[1]: "sample-internal-id", **body}
    request = WebhookRequest(method="POST", headers={"webhook-id": "sample-delivery"}, query={}, body=body)

    async with calling(SimulatedService(key), samples.parameter_sets(key, own)[0], request=request) as ctx:
        items = await collect_items(trigger.run, ctx)

    assert len(items) == 1
    assert items[0].internal_id == (str(body[match[1]]) if match else "webhook-id:sample-delivery")
    _assert_no_secret(key, items[0].raw)


@pytest.mark.parametrize(("key", "event"), HOOKED)
async def test_a_delivery_without_a_signature_is_rejected_where_the_service_signs(key: str, event: str):
    own, trigger, auth = event_of(key, "triggers", event), _trigger(key, event), the_app(key).auth
    verify = trigger.verify_webhook or (auth.verify_webhook if auth else None)
    request = WebhookRequest(method="POST", headers={}, query={}, raw_body=b'{"id":1}')

    is_accepted = None
    if verify is not None:
        async with calling(
            SimulatedService(key), samples.parameter_sets(key, own)[0], request=request
        ) as ctx:
            is_accepted = await verify(ctx)

    assert is_accepted is not True


@pytest.mark.parametrize(
    ("key", "event"), [one for one in HOOKED if event_of(one[0], "triggers", one[1])["testCalls"]]
)
async def test_a_webhook_trigger_is_tested_with_the_documented_requests(key: str, event: str):
    own, trigger, service = event_of(key, "triggers", event), _trigger(key, event), SimulatedService(key)
    assert trigger.test_run is not None

    async with calling(service, samples.parameter_sets(key, own)[0]) as ctx:
        items = await collect_items(trigger.test_run, ctx)

    assert_agrees(key, f"results of {event}", request_differences(service, own["testCalls"]))
    assert items


def _assert_no_secret(key: str, value: Any) -> None:
    text = str(value)
    assert [secret for secret in samples.secrets(key) if secret in text] == []
