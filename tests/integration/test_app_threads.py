"""Code of third-party apps in threads: its results, its errors, its cancellation, and what it needs of us."""

import asyncio
import logging
import threading
import time

import pytest

from patchbay.domain.errors import ValidationFailed
from patchbay.integration import Action, App, Auth, AuthField, Context, Trigger, oauth2
from patchbay.integration.app_threads import AppThreads, wrap_app_in_threads
from patchbay.integration.context import CurrentAuth, InMemoryDatastore, collect_items
from patchbay.integration.credential_destinations import fields_in_addresses


def app_with(action, **trigger):
    triggers = [Trigger(key="new", name="New", **trigger)] if trigger else []
    made = App(
        name="Sleepy",
        key="sleepy",
        actions=[Action(key="do", name="Do", run=action)],
        triggers=triggers,
    )
    return wrap_app_in_threads(made, AppThreads())


async def test_app_code_runs_in_another_thread_and_its_output_arrives():
    async def run(ctx: Context) -> None:
        await ctx.datastore.set("thread", threading.current_thread().name)
        ctx.set_action_item(await ctx.datastore.get("thread"))

    app, ctx = app_with(run), None
    ctx = Context(app=app)

    await app.actions[0].run(ctx)

    assert ctx.action_output == "app-sleepy"


async def test_what_belongs_to_the_program_is_awaited_on_its_event_loop():
    here, seen = asyncio.get_running_loop(), []

    class Datastore(InMemoryDatastore):
        async def set(self, key, value):
            seen.append(asyncio.get_running_loop() is here)

    async def save(data):
        seen.append(asyncio.get_running_loop() is here)

    async def run(ctx: Context) -> None:
        seen.append(asyncio.get_running_loop() is not here)
        await ctx.datastore.set("a", 1)
        await ctx.auth.set(token="t")

    app = app_with(run)
    await app.actions[0].run(Context(app=app, datastore=Datastore(), auth=CurrentAuth(save=save)))

    assert seen == [True, True, True]


async def test_errors_and_signals_arrive_as_they_are_raised_and_exits_end_nothing():
    async def refuse(ctx: Context) -> None:
        raise ValidationFailed({"a": ["No."]})

    async def leave(ctx: Context) -> None:
        raise SystemExit

    async def many(ctx: Context) -> None:
        for number in range(5):
            ctx.push_trigger_item(number)

    with pytest.raises(ValidationFailed):
        await app_with(refuse).actions[0].run(Context(app=app_with(refuse)))
    with pytest.raises(Exception, match="SystemExit"):
        await app_with(leave).actions[0].run(Context(app=app_with(leave)))
    app = app_with(refuse, run=many)
    items = await collect_items(app.triggers[0].run, Context(app=app, max_items=2))
    assert [item.raw for item in items] == [0, 1]


async def test_code_that_blocks_holds_nothing_up_and_is_named_with_its_place(caplog):
    async def run(ctx: Context) -> None:
        time.sleep(1.8)  # noqa: ASYNC251  what an author may write

    app = app_with(run)
    ctx, turns = Context(app=app), 0

    with caplog.at_level(logging.WARNING):
        call = asyncio.ensure_future(app.actions[0].run(ctx))
        while not call.done():
            await asyncio.sleep(0.01)
            turns += 1
        await call

    assert turns > 10
    assert "Sleepy · Do blocks its thread at test_app_threads.py, line " in caplog.text
    [warning] = ctx.warnings
    assert warning.startswith("Sleepy · Do blocked its thread for")


async def test_a_call_that_blocks_is_left_behind_when_it_is_cancelled_and_gets_nothing_more():
    go, later = threading.Event(), []

    async def run(ctx: Context) -> None:
        go.wait(30)
        await ctx.datastore.set("late", 1)
        later.append("went on")

    app, store = app_with(run), InMemoryDatastore()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await app.actions[0].run(Context(app=app, datastore=store))
    threads = [thread for thread in threading.enumerate() if thread.name == "app-sleepy"]
    go.set()
    for thread in threads:
        await asyncio.to_thread(thread.join, 10)

    assert (store.values, later) == ({}, [])
    assert not any(thread.is_alive() for thread in threads)


async def test_a_call_that_awaits_is_cancelled_where_it_is():
    ended = threading.Event()

    async def run(ctx: Context) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    app = app_with(run)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await app.actions[0].run(Context(app=app))

    assert ended.is_set()


async def test_a_watch_tells_of_each_sign_and_ends_when_it_is_closed():
    ended = threading.Event()

    async def watch(ctx: Context):
        try:
            yield
            yield
            await asyncio.sleep(60)
        finally:
            ended.set()

    async def nothing(ctx: Context) -> None:
        return None

    app = app_with(nothing, run=nothing, watch=watch)
    signs = app.triggers[0].watch(Context(app=app))

    await anext(signs)
    await anext(signs)
    await signs.aclose()

    assert await asyncio.to_thread(ended.wait, 10)


def test_a_third_party_app_knows_which_fields_decide_where_its_oauth_credentials_go():
    oauth = oauth2(token_url="{auth.tokenUrl}", authorize_url="https://{auth.tenant}.example.com/authorize")
    auth = Auth(
        fields=(AuthField(key="tenant", label="Tenant"), AuthField(key="tokenUrl", label="Token URL")),
        generate_auth_url=oauth.generate_auth_url,
        verify_credentials=oauth.sign_in,
        is_still_verified=oauth.sign_in,
        refresh_token=oauth.refresh_token,
    )
    app = App(name="Sleepy", key="sleepy", supports_connections=True, auth=auth)

    found = fields_in_addresses(wrap_app_in_threads(app, AppThreads()))

    assert found == fields_in_addresses(app) == {"tenant", "tokenUrl"}
