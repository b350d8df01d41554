"""Gitea, WordPress, FreeScout, Appwrite, and GitLab: what the contract of the catalogue doesn't cover."""

import hmac
import json
from base64 import b64encode
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from tests.support.app_calls import built_in_app
from tests.support.catalogue import samples
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.domain.ports import WebhookRequest
from patchbay.integration import Auth, Trigger
from patchbay.integration.context import Context, collect_items
from patchbay.integration.oauth import REDIRECT_FIELD


def auth_of(key: str) -> Auth:
    auth = built_in_app(key).auth
    assert auth is not None
    return auth


def trigger_of(key: str, event: str) -> Trigger:
    return next(one for one in built_in_app(key).triggers if one.key == event)


async def poll(key: str, event: str, service: SimulatedService, **parameters: Any) -> list[str | None]:
    run = trigger_of(key, event).run
    assert run is not None
    async with calling(service, parameters) as ctx:
        return [item.internal_id for item in await collect_items(run, ctx)]


# Gitea


@pytest.mark.parametrize(
    ("repository", "path"),
    [("cat", "/repos/sample-repoOwner/cat/issues"), ("octo/cat", "/repos/octo/cat/issues")],
)
async def test_a_repository_without_an_owner_belongs_to_the_account(repository, path):
    service = SimulatedService("gitea")

    await poll("gitea", "newIssues", service, repo=repository, issueType="all")

    assert {urlsplit(sent.url).path for sent in service.requests} == {f"/api/v1{path}"}


async def test_a_repository_cannot_lead_to_another_address():
    with pytest.raises(ValidationFailed):
        await poll("gitea", "newIssues", SimulatedService("gitea"), repo="../../admin")


async def test_issues_are_filtered_by_all_chosen_labels():
    service, labels = SimulatedService("gitea"), [{"label": "bug"}, {"label": "urgent"}]

    await poll("gitea", "newIssues", service, repo="cat", issueType="open", labels=labels)

    sent = service.requests[0].query
    assert (sent["labels"], sent["state"], sent["type"]) == ("bug,urgent", "open", "issues")


async def test_a_new_pull_request_is_found_wherever_it_is_listed():
    def respond(request: httpx.Request) -> httpx.Response:
        pages = {"1": [{"id": 1}, {"id": 3}], "2": [{"id": 2}]}
        return httpx.Response(200, json=pages.get(request.url.params["page"], []))

    service = SimulatedService("gitea", respond)

    assert await poll("gitea", "newPullRequests", service, repo="cat", typeOfSort="oldest") == ["3", "2", "1"]


@pytest.mark.parametrize(("shows_ids", "values"), [("true", ["3"]), (None, ["bug"])])
async def test_labels_are_listed_by_name_or_id(shows_ids, values):
    [loader] = [one for one in built_in_app("gitea").dynamic_data if one.key == "listLabels"]

    async with calling(SimulatedService("gitea"), {"repo": "cat", "showLabelId": shows_ids}) as ctx:
        assert [option.value for option in await loader.load(ctx)] == values


# WordPress


async def sign_in(ctx: Context, **callback: str) -> None:
    await ctx.auth.set(callback={**callback})
    await auth_of("wordpress").verify_credentials(ctx)


def new_connection() -> dict[str, Any]:
    return {REDIRECT_FIELD: "http://127.0.0.1:1/callback", "instanceUrl": "https://service.example.com"}


async def test_wordpress_returns_with_an_application_password():
    generate_auth_url = auth_of("wordpress").generate_auth_url
    assert generate_auth_url is not None
    async with calling(SimulatedService("wordpress"), data=new_connection()) as ctx:
        await generate_auth_url(ctx)
        query = parse_qs(urlsplit(str(ctx.auth.data["url"])).query)
        returned = urlsplit(query["success_url"][0])
        state = parse_qs(returned.query)["state"][0]
        await sign_in(ctx, state=state, user_login="ada", password="abcd", site_url="https://example.com")
        data = ctx.auth.data

    assert returned._replace(query="").geturl() == "http://127.0.0.1:1/callback"
    assert (data["userLogin"], data["password"], data["screenName"]) == (
        "ada",
        "abcd",
        "ada @ https://example.com",
    )
    assert data["callback"] is data["state"] is None


@pytest.mark.parametrize(
    "callback",
    [
        {"state": "another", "user_login": "eve", "password": "evil"},
        {"user_login": "eve", "password": "evil"},
        {"state": "expected", "success": "false"},
    ],
)
async def test_another_sign_in_and_a_denied_one_are_rejected(callback):
    async with calling(SimulatedService("wordpress"), data={**new_connection(), "state": "expected"}) as ctx:
        with pytest.raises(ThirdPartyError):
            await sign_in(ctx, **callback)

        assert "password" not in ctx.auth.data


async def test_wordpress_is_connected_with_an_entered_application_password():
    entered = {"signIn": "password", "userLogin": "ada", "password": "abcd EFGH"}
    service = SimulatedService("wordpress")
    async with calling(service, data={**new_connection(), **entered}) as ctx:
        await auth_of("wordpress").verify_credentials(ctx)

        assert ctx.auth.data["screenName"] == "ada @ https://service.example.com"
        assert ctx.auth.data["password"] == "abcd EFGH"


async def test_no_page_after_the_last_one_is_requested():
    service = SimulatedService("wordpress")

    assert await poll("wordpress", "newPost", service, status="publish") == ["22", "21"]
    assert [sent.query["page"] for sent in service.requests] == ["1", "2"]


async def test_wordpress_lists_what_is_new_for_users_only():
    service = SimulatedService("wordpress")

    await poll("wordpress", "newPost", service, status="publish")

    assert {sent.query["context"] for sent in service.requests} == {"edit"}


async def test_nothing_found_is_an_empty_object():
    service = SimulatedService("wordpress", lambda request: httpx.Response(200, json=[]))
    [action] = [one for one in built_in_app("wordpress").actions if one.key == "findPost"]
    async with calling(service, {"title": "Cats"}) as ctx:
        await action.run(ctx)

        assert ctx.action_output == {}


# FreeScout


@pytest.mark.parametrize(
    ("secret", "signed_with", "token", "is_accepted"),
    [
        ("right", "right", "{registered}", True),
        ("right", "wrong", "{registered}", False),
        ("right", "", "{registered}", False),
        ("right", "right", "another", False),
        ("", "", "{registered}", True),
        ("", "", "another", False),
        ("", "", "", False),
    ],
)
async def test_deliveries_of_freescout_need_the_token_and_a_signature_if_its_secret_is_known(
    secret, signed_with, token, is_accepted
):
    body = b'{"id":1}'
    digest = hmac.new(signed_with.encode(), body, "sha1").digest() if signed_with else b""
    headers = {"X-FreeScout-Signature": b64encode(digest).decode()} if signed_with else {}
    trigger, service = trigger_of("freescout", "newEvent"), SimulatedService("freescout")
    assert trigger.register_hook is not None
    assert trigger.verify_webhook is not None

    data = {**samples.auth_data("freescout"), "webhookSecret": secret}
    async with calling(service, {"eventType": "convo.created"}, data=data) as ctx:
        await trigger.register_hook(ctx)
        registered = str(service.requests[0].body["url"]).partition("?token=")[2]
        query: JsonObject = {"token": token.replace("{registered}", registered)}
        ctx.request = WebhookRequest(method="POST", headers=headers, query=query, raw_body=body)

        assert await trigger.verify_webhook(ctx) is is_accepted


# Appwrite


async def test_documents_of_appwrite_are_read_from_the_newest_on():
    asked: list[list[dict[str, Any]]] = []

    def respond(request: httpx.Request) -> httpx.Response:
        asked.append([json.loads(query) for query in request.url.params.get_list("queries[]")])
        count = 100 if len(asked) == 1 else 1
        return httpx.Response(200, json={"documents": [{"$id": f"{len(asked)}-{n}"} for n in range(count)]})

    found = await poll(
        "appwrite",
        "newDocuments",
        SimulatedService("appwrite", respond),
        databaseId="main",
        collectionId="orders",
    )

    assert len(found) == 101
    first = [{"method": "orderDesc", "attribute": "$createdAt"}, {"method": "limit", "values": [100]}]
    assert asked == [first, [*first, {"method": "cursorAfter", "values": ["1-99"]}]]


async def test_an_own_server_of_appwrite_gets_the_requests():
    service = SimulatedService("appwrite")
    data = {**samples.auth_data("appwrite"), "instanceUrl": "https://own.example.com"}

    async with calling(service, data=data) as ctx:
        assert await auth_of("appwrite").is_still_verified(ctx)

    assert [sent.url for sent in service.requests] == ["https://own.example.com/v1/users"]


# GitLab


async def test_deliveries_of_gitlab_carry_the_token_that_was_registered():
    trigger, service = trigger_of("gitlab", "issues_events"), SimulatedService("gitlab")
    assert trigger.register_hook is not None
    assert trigger.verify_webhook is not None
    async with calling(service, {"projectId": "1"}) as ctx:
        await trigger.register_hook(ctx)
        token = service.requests[0].body["token"]

        for sent, is_accepted in ((token, True), ("another", False)):
            ctx.request = WebhookRequest(method="POST", headers={"X-Gitlab-Token": sent}, query={})
            assert await trigger.verify_webhook(ctx) is is_accepted

    assert service.requests[0].body["push_events"] is False
