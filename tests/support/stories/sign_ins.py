"""Connections made in the browser."""

import asyncio
from uuid import uuid4

from tests.support.operation_recorder import OperationRecorder
from tests.support.stories import story
from tests.support.stories.connections import values

from patchbay.domain.connections import ConnectionHealth, SignIn
from patchbay.domain.errors import (
    DifferentAccount,
    NotFound,
    NotSupported,
    ThirdPartyError,
    ValidationFailed,
)

CLIENT = {"clientId": "patchbay"}


def answer(call: OperationRecorder, began: SignIn, **more: str) -> dict[str, str]:
    """What a browser brings back when the person agreed."""
    return {"state": began.url.rpartition("=")[2], "code": call.workspace.desk.good_key} | more


async def come_back(call: OperationRecorder, began: SignIn, **more: str) -> bool:
    return await call.workspace.runtime.backend.handle_redirect(answer(call, began, **more))


@story("get_app", "begin_sign_in", "finish_sign_in", "list_connections", "add_connection")
async def a_connection_is_made_in_the_browser(call: OperationRecorder) -> None:
    redirect = (await call("get_app", "forge")).auth.fields[0]
    began = await call("begin_sign_in", "forge", CLIENT)
    assert began.redirect_url == redirect.value == "http://127.0.0.1:8787/oauth/callback"
    waiting = asyncio.create_task(call("finish_sign_in", began.id))
    assert await come_back(call, began)
    assert not await come_back(call, began)
    made = await waiting
    assert (made.screen_name, made.account, made.health) == ("ada", "ada", ConnectionHealth.VALID)
    assert await call("finish_sign_in", began.id) == made
    assert await call("list_connections", "forge") == (made,)
    assert isinstance(await call.refused("add_connection", "forge", CLIENT), NotSupported)


@story("begin_sign_in", "finish_sign_in", "submit_callback", "cancel_sign_in", "list_connections")
async def a_sign_in_that_leads_nowhere_leaves_nothing_behind(call: OperationRecorder) -> None:
    assert isinstance(await call.refused("begin_sign_in", "forge", {}), ValidationFailed)
    assert isinstance(await call.refused("begin_sign_in", "desk", values(call)), NotSupported)

    refused = await call("begin_sign_in", "forge", CLIENT)
    await come_back(call, refused, error="access_denied", error_description="The person said no")
    outcome = await call.refused("finish_sign_in", refused.id)
    assert isinstance(outcome, ThirdPartyError)
    assert outcome.said == "The person said no"

    cancelled = await call("begin_sign_in", "forge", CLIENT)
    await call("cancel_sign_in", cancelled.id)
    await call("cancel_sign_in", str(uuid4()))
    assert isinstance(await call.refused("finish_sign_in", cancelled.id), NotFound)
    assert not await come_back(call, cancelled)
    assert isinstance(
        await call.refused("submit_callback", cancelled.id, "http://x/?code=1&state=2"), NotFound
    )
    assert await call("list_connections") == ()


@story("begin_sign_in", "finish_sign_in", "submit_callback")
async def the_address_the_browser_ended_at_may_be_pasted(call: OperationRecorder) -> None:
    began = await call("begin_sign_in", "forge", CLIENT)
    assert isinstance(await call.refused("submit_callback", began.id, "forge.example"), ValidationFailed)
    query = "&".join(f"{key}={value}" for key, value in answer(call, began).items())
    await call("submit_callback", began.id, f"{began.redirect_url}?{query}")
    assert (await call("finish_sign_in", began.id)).health is ConnectionHealth.VALID


@story("begin_sign_in", "finish_sign_in", "get_connection", "rename_connection", "reconnect")
async def another_account_than_before_is_asked_about(call: OperationRecorder) -> None:
    first = await call("begin_sign_in", "forge", CLIENT)
    await come_back(call, first)
    made = await call("finish_sign_in", first.id)
    await call("rename_connection", made.id, "Mine")

    again = await call("begin_sign_in", "forge", {}, made.id)
    await come_back(call, again, login="grace")
    asked = await call.refused("finish_sign_in", again.id)
    assert isinstance(asked, DifferentAccount)
    assert (asked.before, asked.now) == ("Mine", "grace")
    assert (await call("get_connection", made.id)).account == "ada"
    now = await call("finish_sign_in", again.id, accept_other_account=True)
    assert (now.id, now.screen_name, now.account) == (made.id, "grace", "grace")

    assert isinstance(await call.refused("reconnect", made.id, {}), NotSupported)
    assert isinstance(await call.refused("begin_sign_in", "forge", {}, str(uuid4())), NotFound)


@story("add_connection", "duplicate_connection", "test_connection", "rename_connection", "reconnect")
async def a_connection_is_duplicated(call: OperationRecorder) -> None:
    made = await call("add_connection", "desk", values(call))
    copy = await call("duplicate_connection", made.id, "Ada again")
    assert (copy.screen_name, copy.app_key, copy.id == made.id) == ("Ada again", "desk", False)
    assert (await call("test_connection", copy.id)).health is ConnectionHealth.VALID
    assert isinstance(await call.refused("duplicate_connection", made.id, " "), ValidationFailed)
    assert isinstance(await call.refused("duplicate_connection", str(uuid4()), "x"), NotFound)
    await call("rename_connection", copy.id, "Renamed")
    kept = await call("reconnect", copy.id, {}, accept_other_account=True)
    assert kept.screen_name == "Renamed"
