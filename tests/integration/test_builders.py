"""Actions, lists, triggers, and verification built from descriptions."""

import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from patchbay.domain.base import FlowId
from patchbay.domain.errors import ThirdPartyError
from patchbay.domain.ports import WebhookRequest
from patchbay.integration import (
    App,
    Auth,
    Context,
    OnInterrupted,
    api_key_fields,
    bearer,
    cursor,
    dropdown,
    error_at,
    hmac_signature,
    link_header,
    list_items,
    next_link,
    offsets,
    option_list,
    own_instance,
    page_numbers,
    request_action,
    secret_in_query,
    shared_token,
    text,
    verify_with,
    webhook_trigger,
)
from patchbay.integration.context import CurrentAuth, CurrentFlow, CurrentStep
from patchbay.integration.http_factory import HttpFactory
from patchbay.integration.request import Response
from patchbay.integration.trial import Trial

KEY = "key-0123456789"
Responder = Callable[[httpx.Request], httpx.Response]


async def _verify(ctx: Context) -> None: ...


async def _still(ctx: Context) -> bool:
    return True


class Shop:
    """A service that responds from a table (or a function), and records what it was asked."""

    def __init__(self, answers: dict[str, Any] | Responder, **app: Any) -> None:
        self.answers, self.requests = answers, list[httpx.Request]()
        auth = Auth(fields=api_key_fields(), verify_credentials=_verify, is_still_verified=_still)
        self.app = App(
            name="Shop",
            key="shop",
            supports_connections=True,
            api_base_url="https://shop.example/api",
            auth=auth,
            before_request=[bearer()],
            **app,
        )

    def _respond(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if callable(self.answers):
            return self.answers(request)
        document = self.answers[f"{request.method} {request.url.raw_path.decode().removeprefix('/api')}"]
        return document if isinstance(document, httpx.Response) else httpx.Response(200, json=document)

    async def call(self, function: Any, **parameters: Any) -> tuple[Context, Any]:
        """Call app code with these parameters; the context and what the code returned."""
        factory = HttpFactory(transport=httpx.MockTransport(self._respond))
        ctx = self.context(factory, **parameters)
        try:
            with ctx.mask_errors():
                returned = await function(ctx)
        finally:
            await factory.aclose()
        return ctx, returned

    def context(self, factory: HttpFactory | None = None, **parameters: Any) -> Context:
        return Context(
            app=self.app,
            auth=CurrentAuth(data={"apiKey": KEY, "screenName": "Mine"}),
            flow=CurrentFlow(id=FlowId("flow-1"), remote_webhook_id="hook-1"),
            step=CurrentStep(parameters=parameters),
            http_factory=factory,
            webhook_url="https://patchbay.example/hook",
            idempotency_key="run-1:step-1",
        )


async def test_an_action_posts_its_arguments_that_are_not_in_the_path():
    shop = Shop({"POST /lists/a%2Fb/items": {"data": {"id": 3}}})
    action = request_action(
        key="add",
        name="Add",
        arguments=(text("list", "List"), text("title", "Title"), text("note", "Note")),
        request="POST /lists/{list}/items",
        output="data",
    )

    ctx, _ = await shop.call(action.run, list="a/b", title="Milk", note="")

    assert json.loads(shop.requests[0].content) == {"title": "Milk"}
    assert ctx.action_output == {"id": 3}
    assert action.interruption_policy({}) is OnInterrupted.ASK


async def test_an_action_sends_a_form_and_an_idempotency_key():
    shop = Shop({"POST /pay?dry=yes": {"id": 1}})
    action = request_action(
        key="pay",
        name="Pay",
        request="POST /pay",
        query={"dry": "{dry}", "none": "{none}"},
        body={"amount": "{amount:number}"},
        form=True,
        idempotency_header="Idempotency-Key",
    )

    await shop.call(action.run, dry="yes", amount="5")

    assert shop.requests[0].content == b"amount=5"
    assert shop.requests[0].headers["idempotency-key"] == "run-1:step-1"
    assert action.interruption_policy({}) is OnInterrupted.REPEAT_WITH_KEY


async def test_an_action_of_a_slow_service_has_its_own_time_limit():
    shop = Shop({"POST /pay": {"id": 1}})

    await shop.call(request_action(key="a", name="A", request="POST /pay", seconds=120).run)
    await shop.call(request_action(key="b", name="B", request="POST /pay").run)

    limits = [request.extensions["timeout"]["read"] for request in shop.requests]
    assert limits == [120, HttpFactory().timeout]


async def test_an_action_without_content_outputs_the_status_or_what_it_describes():
    shop = Shop({"DELETE /items/7": httpx.Response(204)})
    plain = request_action(key="a", name="A", request="DELETE /items/{id}", output="data")
    described = request_action(key="b", name="B", request="DELETE /items/{id}", output={"deleted": "{id}"})

    assert (await shop.call(plain.run, id=7))[0].action_output == {"status": 204}
    assert (await shop.call(described.run, id=7))[0].action_output == {"deleted": 7}
    assert plain.interruption_policy({}) is OnInterrupted.REPEAT


async def test_a_response_without_the_output_is_an_error_about_the_service():
    action = request_action(key="a", name="A", request="GET /x", output="data.id")

    with pytest.raises(ThirdPartyError, match="unexpected response"):
        await Shop({"GET /x": {"other": 1}}).call(action.run)


async def test_an_error_with_a_success_status_is_raised_in_the_services_words():
    find_error = error_at("error", failed=lambda body: body.get("ok") is False)
    action = request_action(key="a", name="A", request="GET /x")
    shop = Shop({"GET /x": {"ok": False, "error": "invalid_auth"}}, error_in_response=find_error)

    with pytest.raises(ThirdPartyError) as caught:
        await shop.call(action.run)

    assert (caught.value.said, caught.value.rejects_credentials) == ("invalid_auth", True)


def _row(number: int) -> dict[str, Any]:
    return {"id": number, "name": f"Row {number}"}


def _linked(request: httpx.Request) -> httpx.Response:
    page = int(request.url.params.get("page", 1))
    links = (
        {"link": f'<https://shop.example/api/rows?page={page + 1}>; rel="next", <x>; rel="last"'}
        if page < 3
        else {}
    )
    return httpx.Response(200, json=[_row(page)], headers=links)


def _next_linked(request: httpx.Request) -> httpx.Response:
    page = int(request.url.params.get("page", 1))
    return httpx.Response(200, json={"rows": [_row(page)], "next": f"?page={page + 1}" if page < 3 else None})


def _by_cursor(request: httpx.Request) -> httpx.Response:
    sent = json.loads(request.content)["cursor"] if request.content else request.url.params.get("cursor", 1)
    page = int(sent)
    following = str(page + 1) if page < 3 else ""
    return httpx.Response(200, json={"rows": [_row(page)], "next": following, "more": page < 3})


def _numbered(request: httpx.Request) -> httpx.Response:
    page = int(request.url.params["page"])
    return httpx.Response(200, json={"rows": [_row(page)] if page <= 3 else []})


def _by_offset(request: httpx.Request) -> httpx.Response:
    offset = int(request.url.params["offset"])
    return httpx.Response(200, json={"rows": [_row(n) for n in range(offset + 1, min(offset + 2, 3) + 1)]})


@pytest.mark.parametrize(
    ("responder", "line", "at", "pages"),
    [
        (_linked, "/rows", "", link_header(limit_key="per_page")),
        (_next_linked, "/rows", "rows", next_link("next")),
        (_by_cursor, "/rows", "rows", cursor("next", "cursor", more="more")),
        (_by_cursor, "/rows", "rows", cursor("id", "cursor", from_last_row=True, more="more")),
        (_numbered, "/rows", "rows", page_numbers()),
        (_by_offset, "/rows", "rows", offsets(limit=2)),
    ],
    ids=["link header", "next link", "cursor", "last row", "numbers", "offsets"],
)
async def test_all_pages_are_read(responder, line, at, pages):
    shop = Shop(responder)
    loader = option_list("listRows", line, at=at, pages=pages)
    items = list_items(line, at=at, pages=pages)

    if responder is _by_cursor and pages == cursor("id", "cursor", from_last_row=True, more="more"):
        shop.answers = lambda request: _by_cursor(_moved(request))
    _, options = await shop.call(loader.load)
    _, found = await shop.call(lambda ctx: _collect(items, ctx))

    assert [option.label for option in options] == ["Row 1", "Row 2", "Row 3"]
    assert [internal_id for _, internal_id in found] == ["1", "2", "3"]
    assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in shop.requests)


def _moved(request: httpx.Request) -> httpx.Request:
    """A service whose pages begin after the row of the cursor."""
    after = request.url.params.get("cursor")
    url = request.url.copy_set_param("cursor", str(int(after) + 1)) if after else request.url
    return httpx.Request(request.method, url)


async def _collect(items: Any, ctx: Context) -> list[Any]:
    return [entry async for entry in items(ctx)]


async def test_a_cursor_in_the_body_pages_a_list_that_is_posted():
    shop = Shop(_by_cursor)
    pages = cursor("next", "cursor", in_body=True, more="more")

    _, found = await shop.call(
        lambda ctx: _collect(list_items("POST /search", at="rows", body={"cursor": 1}, pages=pages), ctx)
    )

    assert [row["id"] for row, _ in found] == [1, 2, 3]


async def test_a_list_whose_cursor_never_changes_ends():
    shop = Shop(lambda request: httpx.Response(200, json={"rows": [_row(1)], "next": "same"}))

    await shop.call(lambda ctx: _collect(list_items("/rows", at="rows", pages=cursor("next", "cursor")), ctx))

    assert len(shop.requests) == 2


async def test_items_are_sorted_selected_and_identified_as_described():
    rows = [{"id": "9", "at": 1, "kind": "a"}, {"id": "10", "at": 2, "kind": "a"}, {"id": "11", "kind": "b"}]
    items = list_items(
        "/rows", internal_id="{id}-{at}", sort_by="id", only=lambda row, given: row["kind"] == given["kind"]
    )

    _, found = await Shop({"GET /rows": rows}).call(lambda ctx: _collect(items, ctx), kind="a")

    assert [internal_id for _, internal_id in found] == ["10-2", "9-1"]


async def test_a_missing_list_is_an_error_unless_the_service_omits_empty_ones():
    shop = Shop({"GET /rows": {"total": 0}})

    with pytest.raises(ThirdPartyError, match="unexpected response"):
        await shop.call(lambda ctx: _collect(list_items("/rows", at="rows"), ctx))
    _, found = await shop.call(
        lambda ctx: _collect(list_items("/rows", at="rows", absent_if_empty=True), ctx)
    )
    assert found == []


@pytest.mark.parametrize(
    "loader",
    [
        option_list("listTasks", "/projects/{project}/tasks"),
        option_list("listTasks", lambda given: f"/projects/{given['project']}/tasks", requires=("project",)),
    ],
)
async def test_a_list_waits_for_the_parameter_it_requires(loader):
    shop = Shop({"GET /projects/7/tasks": ["plain", "texts"]})

    assert (await shop.call(loader.load))[1] == []
    assert shop.requests == []
    assert [option.value for option in (await shop.call(loader.load, project=7))[1]] == ["plain", "texts"]


async def test_a_dropdown_within_others_passes_and_follows_them():
    argument = dropdown(
        "task", "Task", source="listTasks", within=("team", "project"), given={"open": "true"}, variables=True
    )

    assert argument.source is not None
    assert argument.source.parameters == {
        "team": "{parameters.team}",
        "project": "{parameters.project}",
        "open": "true",
    }
    assert argument.depends_on == ("team", "project")


async def test_verification_names_the_connection_and_keeps_values():
    verify = verify_with(
        "/me",
        at="user",
        screen_name="{login} ({auth.screenName})",
        account_id="id",
        stores={"team": "{team.key}"},
    )

    ctx, _ = await Shop({"GET /me": {"user": {"login": "ada", "id": 5, "team": {"key": "t1"}}}}).call(verify)

    assert ctx.auth.data["screenName"] == "ada (Mine)"
    assert (ctx.auth.data["accountId"], ctx.auth.data["team"]) == ("5", "t1")


@pytest.mark.parametrize("document", [{"other": 1}, "text", []])
async def test_verification_needs_a_response_with_the_name(document):
    with pytest.raises(ThirdPartyError):
        await Shop({"GET /me": document}).call(verify_with("/me", screen_name="{login}"))


def _hook(**more: Any):
    return webhook_trigger(
        key="event",
        name="Event",
        register="POST /hooks",
        body={"url": "{webhookUrl}", "secret": "{webhookSecret}"},
        remote_id="data.id",
        unregister="DELETE /hooks/{remoteWebhookId}",
        **more,
    )


async def test_a_webhook_is_registered_with_a_secret_and_removed():
    shop = Shop({"POST /hooks": {"data": {"id": 77}}, "DELETE /hooks/hook-1": httpx.Response(204)})
    trigger = _hook()
    assert trigger.register_hook is not None
    assert trigger.unregister_hook is not None

    ctx, _ = await shop.call(trigger.register_hook)
    await shop.call(trigger.unregister_hook)

    sent = json.loads(shop.requests[0].content)
    assert ctx.flow.remote_webhook_id == "77"
    assert sent["url"] == "https://patchbay.example/hook"
    assert len(sent["secret"]) == 64
    assert KEY not in sent["secret"]


@pytest.mark.parametrize(("tampered", "accepted"), [(False, True), (True, False)])
async def test_only_deliveries_with_the_right_signature_are_accepted(tampered, accepted):
    shop, content = Shop({}), b'{"id": 1}'
    secret = json.loads((await _registered(shop)).content)["secret"]
    digest = hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()
    ctx = shop.context()
    ctx.flow.webhook_secrets = (secret,)
    ctx.request = WebhookRequest(
        method="POST",
        headers={"X-Signature": f"sha256={digest}", "X-Token": secret + ("x" if tampered else "")},
        query={"token": secret + ("x" if tampered else "")},
        raw_body=content + (b" " if tampered else b""),
    )

    assert await hmac_signature("X-Signature", prefix="sha256=")(ctx) is accepted
    assert await shared_token("X-Token")(ctx) is accepted
    assert await secret_in_query("token")(ctx) is accepted
    assert await secret_in_query("other")(ctx) is False
    assert bool(ctx.signed_delivery) is accepted


async def test_each_registration_has_another_secret_whatever_the_connection_has():
    shop = Shop({})

    sent = [json.loads((await _registered(shop)).content)["secret"] for _ in range(2)]

    assert len(set(sent)) == 2


async def test_without_a_secret_no_delivery_is_accepted():
    ctx, content = Shop({}).context(), b'{"id": 1}'
    digest = hmac.new(b"", content, hashlib.sha256).hexdigest()
    ctx.request = WebhookRequest(
        method="POST", headers={"X-Signature": digest, "X-Token": ""}, query={"token": ""}, raw_body=content
    )

    for verify in (hmac_signature("X-Signature"), shared_token("X-Token"), secret_in_query("token")):
        assert not await verify(ctx)


async def test_deliveries_are_verified_with_the_secret_that_the_service_generated():
    shop, content, trigger = Shop({}), b'{"id": 1}', _hook(service_secret="data.secret")
    ctx, register = shop.context(), trigger.register_hook
    assert register is not None
    shop.answers = {"POST /hooks": {"data": {"id": 77, "secret": "second"}}}
    registered, _ = await shop.call(register)
    # Deliveries of an earlier webhook may arrive after this one was registered.
    ctx.flow.webhook_secrets = (*registered.flow.webhook_secrets[:1], "first")

    accepted: dict[str, bool] = {}
    for secret in ("first", "second", "third"):
        digest = hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()
        ctx.request = WebhookRequest(
            method="POST", headers={"X-Signature": digest}, query={}, raw_body=content
        )
        accepted[secret] = await hmac_signature("X-Signature")(ctx)

    assert accepted == {"first": True, "second": True, "third": False}


@pytest.mark.parametrize("sent", [None, "", 5, ["s"]])
async def test_a_service_that_sends_no_secret_registers_nothing(sent):
    shop, trigger = (
        Shop({"POST /hooks": {"data": {"id": 77, "secret": sent}}}),
        _hook(service_secret="data.secret"),
    )
    assert trigger.register_hook is not None

    with pytest.raises(ThirdPartyError, match="unexpected response"):
        await shop.call(trigger.register_hook)


async def test_a_sent_secret_stays_valid_and_is_masked_after_the_connection_got_another_key():
    shop, content = Shop({}), b'{"id": 1}'
    sent = json.loads((await _registered(shop)).content)["secret"]
    ctx = shop.context()
    ctx.flow.webhook_secrets = (sent,)
    ctx.auth.data = {"apiKey": "another-key-8812"}
    digest = hmac.new(sent.encode(), content, hashlib.sha256).hexdigest()
    ctx.request = WebhookRequest(
        method="POST",
        headers={"X-Signature": digest, "X-Token": sent},
        query={"token": sent},
        raw_body=content,
    )

    assert await hmac_signature("X-Signature")(ctx)
    assert await shared_token("X-Token")(ctx)
    assert await secret_in_query("token")(ctx)
    assert sent not in str(ctx.masker().json({"echo": f"token {sent}"}))
    assert sent not in repr(ctx.flow)


async def _registered(shop: Shop) -> httpx.Request:
    shop.answers = {"POST /hooks": {"data": {"id": 77}}}
    trigger = _hook()
    assert trigger.register_hook is not None
    await shop.call(trigger.register_hook)
    return shop.requests[-1]


@pytest.mark.parametrize(
    ("body", "identities"),
    [({"event": {"id": 5}}, ["5"]), ({"event": {}}, ["webhook-id:d1"]), ({"ping": 1}, [])],
)
async def test_a_delivery_becomes_an_item_with_its_id(body, identities):
    trigger = _hook(internal_id="event.id", item="event", only=lambda sent, given: "event" in sent)
    ctx = Shop({}).context()
    ctx.request = WebhookRequest(method="POST", headers={"webhook-id": "d1"}, query={}, body=body)
    assert trigger.run is not None

    await trigger.run(ctx)

    assert [item.internal_id for item in ctx.trigger_items] == identities


def test_response_json_is_only_looked_into_where_it_is_json():
    page = Response(200, "OK", {}, b"<html>", "https://shop.example")

    assert error_at("error")(page) == ""


OWN = {"apiKey": KEY, "screenName": "Mine"}


@pytest.mark.parametrize(
    ("address", "host"),
    [("https://own.example/", "own.example"), ("", "shop.example"), (None, "shop.example")],
)
async def test_requests_go_to_an_own_instance_if_there_is_one(address: str | None, host: str):
    auth = Auth(
        fields=api_key_fields(),
        verify_credentials=_verify,
        is_still_verified=_still,
        sends_to=("{auth.instanceUrl}",),
    )
    app = App(
        name="Shop",
        key="shop",
        api_base_url="https://shop.example",
        auth=auth,
        before_request=[own_instance(), bearer()],
        actions=[request_action(key="list", name="List", request="GET /items")],
    )
    trial = Trial(app, {**OWN, "instanceUrl": address}, {"GET /items": (200, {"id": 1})})

    await trial.action("list")

    assert [(sent.host, sent.path) for sent in trial.requests] == [(host, "/items")]
    assert trial.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_request_to_another_address_stays_there():
    other = request_action(key="other", name="Other", request="GET https://other.example/items")
    app = App(
        name="Shop",
        key="shop",
        api_base_url="https://shop.example",
        before_request=[own_instance()],
        actions=[other],
    )
    trial = Trial(app, {"instanceUrl": "https://own.example"}, {"GET /items": (200, {"id": 1})})

    await trial.action("other")

    assert trial.requests[0].host == "other.example"
