"""Connections made in the browser."""

import asyncio
from uuid import uuid4

from tests.support.stories import story
from tests.support.stories.connections import values
from tests.support.teller import Teller

from patchbay.domain.connections import ConnectionHealth, SignIn
from patchbay.domain.errors import (
    DifferentAccount,
    NotFound,
    NotSupported,
    ThirdPartyError,
    ValidationFailed,
)

CLIENT = {"clientId": "patchbay"}


def answer(tell: Teller, began: SignIn, **more: str) -> dict[str, str]:
    """What a browser brings back when the person agreed."""
    return {"state": began.url.rpartition("=")[2], "code": tell.home.desk.good_key} | more


async def come_back(tell: Teller, began: SignIn, **more: str) -> bool:
    return await tell.home.runtime.backend.came_back(answer(tell, began, **more))


@story("get_app", "begin_sign_in", "finish_sign_in", "list_connections", "add_connection")
async def a_connection_is_made_in_the_browser(tell: Teller) -> None:
    redirect = (await tell("get_app", "forge")).auth.fields[0]
    began = await tell("begin_sign_in", "forge", CLIENT)
    assert began.redirect_url == redirect.value == "http://127.0.0.1:8787/oauth/callback"
    waiting = asyncio.create_task(tell("finish_sign_in", began.id))
    assert await come_back(tell, began)
    assert not await come_back(tell, began)
    made = await waiting
    assert (made.screen_name, made.account, made.health) == ("ada", "ada", ConnectionHealth.VALID)
    assert await tell("finish_sign_in", began.id) == made
    assert await tell("list_connections", "forge") == (made,)
    assert isinstance(await tell.refused("add_connection", "forge", CLIENT), NotSupported)


@story("begin_sign_in", "finish_sign_in", "submit_callback", "cancel_sign_in", "list_connections")
async def a_sign_in_that_leads_nowhere_leaves_nothing_behind(tell: Teller) -> None:
    assert isinstance(await tell.refused("begin_sign_in", "forge", {}), ValidationFailed)
    assert isinstance(await tell.refused("begin_sign_in", "desk", values(tell)), NotSupported)

    refused = await tell("begin_sign_in", "forge", CLIENT)
    await come_back(tell, refused, error="access_denied", error_description="The person said no")
    told = await tell.refused("finish_sign_in", refused.id)
    assert isinstance(told, ThirdPartyError)
    assert told.said == "The person said no"

    cancelled = await tell("begin_sign_in", "forge", CLIENT)
    await tell("cancel_sign_in", cancelled.id)
    await tell("cancel_sign_in", str(uuid4()))
    assert isinstance(await tell.refused("finish_sign_in", cancelled.id), NotFound)
    assert not await come_back(tell, cancelled)
    assert isinstance(
        await tell.refused("submit_callback", cancelled.id, "http://x/?code=1&state=2"), NotFound
    )
    assert await tell("list_connections") == ()


@story("begin_sign_in", "finish_sign_in", "submit_callback")
async def the_address_the_browser_ended_at_may_be_pasted(tell: Teller) -> None:
    began = await tell("begin_sign_in", "forge", CLIENT)
    assert isinstance(await tell.refused("submit_callback", began.id, "forge.example"), ValidationFailed)
    query = "&".join(f"{key}={value}" for key, value in answer(tell, began).items())
    await tell("submit_callback", began.id, f"{began.redirect_url}?{query}")
    assert (await tell("finish_sign_in", began.id)).health is ConnectionHealth.VALID


@story("begin_sign_in", "finish_sign_in", "get_connection", "rename_connection", "reconnect")
async def another_account_than_before_is_asked_about(tell: Teller) -> None:
    first = await tell("begin_sign_in", "forge", CLIENT)
    await come_back(tell, first)
    made = await tell("finish_sign_in", first.id)
    await tell("rename_connection", made.id, "Mine")

    again = await tell("begin_sign_in", "forge", {}, made.id)
    await come_back(tell, again, login="grace")
    asked = await tell.refused("finish_sign_in", again.id)
    assert isinstance(asked, DifferentAccount)
    assert (asked.before, asked.now) == ("Mine", "grace")
    assert (await tell("get_connection", made.id)).account == "ada"
    now = await tell("finish_sign_in", again.id, accept_other_account=True)
    assert (now.id, now.screen_name, now.account) == (made.id, "grace", "grace")

    assert isinstance(await tell.refused("reconnect", made.id, {}), NotSupported)
    assert isinstance(await tell.refused("begin_sign_in", "forge", {}, str(uuid4())), NotFound)


@story("add_connection", "duplicate_connection", "test_connection", "rename_connection", "reconnect")
async def a_connection_is_duplicated(tell: Teller) -> None:
    made = await tell("add_connection", "desk", values(tell))
    copy = await tell("duplicate_connection", made.id, "Ada again")
    assert (copy.screen_name, copy.app_key, copy.id == made.id) == ("Ada again", "desk", False)
    assert (await tell("test_connection", copy.id)).health is ConnectionHealth.VALID
    assert isinstance(await tell.refused("duplicate_connection", made.id, " "), ValidationFailed)
    assert isinstance(await tell.refused("duplicate_connection", str(uuid4()), "x"), NotFound)
    await tell("rename_connection", copy.id, "Renamed")
    kept = await tell("reconnect", copy.id, {}, accept_other_account=True)
    assert kept.screen_name == "Renamed"
