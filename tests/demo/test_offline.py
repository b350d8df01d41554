"""The demo answers its own apps without a network, and says so for everything else."""

import socket
from typing import Any
from uuid import uuid4

import pytest
from tests.support.catalogue import facts, samples
from tests.support.catalogue.facts import event_of, the_app
from tests.support.storage_rows import NOW

from patchbay.demo.blueprint import load_json
from patchbay.domain.base import AppKey, FlowId
from patchbay.domain.errors import NotSupported, ThirdPartyError
from patchbay.domain.fields import validate_auth_values
from patchbay.integration.app_definition import App
from patchbay.integration.context import collect_items
from patchbay.integration.oauth import OAuth2, oauth2_of

ACCOUNTS = sorted(AppKey(key) for key in load_json("accounts"))
HTTP_ACCOUNTS = [key for key in ACCOUNTS if key not in ("postgresql", "smtp")]
EVENTS = [
    (kind, key, event)
    for kind in ("triggers", "actions", "dynamic")
    for key, event in facts.events(kind, requests=True)
    if key in HTTP_ACCOUNTS
]
CHOSEN_IN_THE_DEMO = {
    "worksheetId": "0",
    "baseId": "ap1",
    "tableId": "tb1",
    "driveId": "my-drive",
    "threadId": "18f1",
}
"""Values that the services of the demo look up."""


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Any socket of the internet fails; those between processes of this computer are no addresses."""

    class OnlyLocalSocket(socket.socket):
        def __init__(self, family: int = -1, *more: Any, **named: Any) -> None:
            if named.get("fileno") is None and family != socket.AF_UNIX:
                raise AssertionError("a socket was opened")
            super().__init__(family, *more, **named)

    def no_lookup(*address: object, **options: object) -> None:
        raise AssertionError("a name was looked up")

    monkeypatch.setattr(socket, "socket", OnlyLocalSocket)
    monkeypatch.setattr(socket, "getaddrinfo", no_lookup)


def test_opening_a_socket_would_fail_these_tests():
    with pytest.raises(AssertionError, match="a socket was opened"):
        socket.socket(socket.AF_INET)


def _oauth(key: str) -> OAuth2 | None:
    app = the_app(key)
    return oauth2_of(app.auth) if app.auth is not None else None


def _loader(app: App, key: str) -> Any:
    return next(one for one in (*app.dynamic_data, *app.dynamic_fields) if one.key == key)


@pytest.mark.parametrize(("kind", "key", "event"), EVENTS)
async def test_every_event_and_list_of_the_apps_in_use_is_answered(apps, context, kind, key, event):
    for sample in samples.parameter_sets(key, event_of(key, kind, event)):
        ctx = context(
            key,
            {**sample, **{name: CHOSEN_IN_THE_DEMO[name] for name in sample if name in CHOSEN_IN_THE_DEMO}},
        )
        if kind == "dynamic":
            assert isinstance(await _loader(apps.get(key), event).load(ctx), list)
        elif kind == "actions":
            await apps.action(key, event).run(ctx)
        else:
            trigger = apps.trigger(key, event)
            ctx.webhook_url, ctx.flow.id = "https://patchbay.example.org/webhooks/1", FlowId(str(uuid4()))
            for step in (trigger.register_hook, trigger.unregister_hook):
                if step is not None:
                    await step(ctx)
            assert trigger.register_hook or await collect_items(trigger.run, ctx)


@pytest.mark.parametrize("key", ACCOUNTS)
async def test_an_app_is_connected_with_its_own_form_and_sign_in(apps, context, key):
    auth = apps.get(key).auth
    ctx = context(key)
    if auth.generate_auth_url is not None:
        ctx.auth.data = {
            **load_json("accounts")[key]["shown"],
            "clientSecret": "demo",
            "consumerSecret": "demo",
        }
        ctx.auth.data |= {"oAuthRedirectUrl": "http://127.0.0.1:8787/oauth/callback", "botToken": "demo"}
        await auth.generate_auth_url(ctx)
        returned = ctx.offline.visit_sign_in_page(str(ctx.auth.data["url"]))
        ctx.auth.data |= {"callback": dict(returned), "screenName": "Anna"}

    assert validate_auth_values(auth.fields, ctx.auth.data) == {}
    await auth.verify_credentials(ctx)

    assert ctx.auth.data["screenName"]


@pytest.mark.parametrize("key", [key for key in ACCOUNTS if _oauth(key) is not None])
async def test_a_deleted_connection_is_signed_out(context, key):
    oauth = _oauth(key)
    assert oauth is not None

    await oauth.revoke(context(key))


async def test_an_action_answers_with_what_it_was_given(apps, context):
    ctx = context("todoist", {"content": "Buy milk", "description": "", "projectId": "2202"})

    await apps.action("todoist", "createTask").run(ctx)

    assert ctx.action_output["content"] == "Buy milk"
    assert ctx.action_output["project_id"] == "2202"
    assert ctx.action_output["id"] == str(NOW)


@pytest.mark.parametrize(
    ("app", "action", "parameters", "host"),
    [
        ("asana", "apiRequest", {"method": "GET", "endpoint": "/users/me"}, "app.asana.com"),
        (
            "http-request",
            "customRequest",
            {"method": "GET", "url": "https://shop.example.com/"},
            "shop.example.com",
        ),
        ("mysql", "SQLQuery", {"queryStatement": "SELECT 1"}, "db.example.com"),
        ("postgresql", "SQLQuery", {"queryStatement": "SELECT 1"}, "db.example.com"),
    ],
)
async def test_what_has_no_answer_says_that_the_demo_is_offline(apps, context, app, action, parameters, host):
    values = {
        "host": "db.example.com",
        "port": "3306",
        "user": "anna",
        "database": "shop",
        "password": "demo",
    }
    run = apps.action(app, action).run

    with pytest.raises(
        NotSupported, match=f"The demo is offline and can't send this request to {host}"
    ) as caught:
        await run(context(app, parameters, username="anna", **values))

    assert "This computer" in caught.value.todo


@pytest.mark.parametrize("app", ["imap", "smtp", "mysql", "postgresql"])
async def test_no_connection_is_opened_to_a_server_of_ones_own(apps, context, app):
    values = {"host": "mine.example.com", "port": "993", "username": "anna", "password": "demo"}

    with pytest.raises(NotSupported, match=r"mine\.example\.com"):
        await apps.get(app).auth.verify_credentials(context(app, user="anna", database="shop", **values))


async def test_an_unknown_request_to_a_known_service_is_no_success(apps, context):
    parameters = {"method": "DELETE", "endpoint": "/repos/patchbay/patchbay"}

    with pytest.raises(NotSupported, match=r"api\.github\.com"):
        await apps.action("github", "apiRequest").run(context("github", parameters))


@pytest.mark.parametrize(
    ("app", "secret"),
    [
        ("smtp", "password"),
        ("postgresql", "password"),
        ("telegram-bot", "token"),
        ("pushover", "apiToken"),
        ("openai", "apiKey"),
    ],
)
async def test_credentials_that_contain_wrong_are_rejected(apps, context, app, secret):
    with pytest.raises(ThirdPartyError) as caught:
        await apps.get(app).auth.verify_credentials(context(app, **{secret: "wrong-one"}))

    assert caught.value.rejects_credentials or app == "pushover", caught.value


async def test_requests_that_no_service_could_read_are_answered_too(apps, context):
    headers = [{"key": "Content-Type", "value": "application/json"}]
    broken = {"method": "POST", "endpoint": "/repos/a/b/issues", "data": "{", "headers": headers}
    far_away = {"method": "GET", "endpoint": f"/gmail/v1/users/me/messages/18f{'9' * 50}"}
    created, read = context("github", broken), context("gmail", far_away)

    await apps.action("github", "apiRequest").run(created)
    await apps.action("gmail", "apiRequest").run(read)

    assert created.action_output["status"] == 201
    assert read.action_output["data"]["payload"]["mimeType"] == "text/plain"


async def test_the_database_lists_its_tables_and_columns(apps, context):
    schema = {"schema": "public", "table": "orders"}

    lists = {
        name: [
            option.value
            for option in await apps.dynamic_data("postgresql", name).load(context("postgresql", schema))
        ]
        for name in ("listSchemas", "listTables", "listColumns")
    }

    assert lists["listSchemas"] == ["public"]
    assert lists["listTables"] == ["orders", "stock"]
    assert lists["listColumns"][:2] == ["id", "article"]
