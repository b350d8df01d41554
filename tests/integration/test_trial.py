"""Trying an app without the network."""

import pytest
from tests.support.app_folders import write_app

from patchbay.domain.errors import NotFound, NotSupported, ThirdPartyError
from patchbay.integration import App, DynamicData, Option
from patchbay.integration.trial import Trial

KEY = {"apiKey": "good-key", "screenName": "Mine"}


async def test_requests_and_set_data_can_be_looked_at(tmp_path):
    tried = Trial(write_app(tmp_path / "shop"), KEY, {"GET /me": (200, {})})

    await tried.verify()

    [asked] = tried.requests
    assert (asked.method, asked.path, asked.headers["authorization"]) == ("GET", "/me", "Bearer good-key")
    assert tried.data["screenName"] == "Mine"
    assert await tried.still_verified() is True


async def test_a_refusal_is_raised_as_the_program_raises_it(tmp_path):
    tried = Trial(write_app(tmp_path / "shop"), KEY, otherwise=(403, {"message": "No entry"}))

    with pytest.raises(ThirdPartyError, match="No entry"):
        await tried.verify()


async def test_actions_and_lists_give_what_they_put_out(tmp_path):
    async def load(ctx):
        return [Option(label="Small", value=ctx.parameters["size"])]

    tried = Trial(write_app(tmp_path / "shop"))
    listing = Trial(App(name="A", key="a", dynamic_data=[DynamicData("listSizes", load)]))

    assert await tried.action("buy", what="bread") == 1
    assert [option.value for option in await listing.options("listSizes", size="s")] == ["s"]


async def test_what_an_app_does_not_have_is_reported():
    tried = Trial(App(name="A", key="a"))

    with pytest.raises(NotFound, match="no polling trigger x"):
        await tried.trigger("x")
    with pytest.raises(NotFound, match="no action x"):
        await tried.action("x")
    with pytest.raises(NotFound, match="no list x"):
        await tried.options("x")
    with pytest.raises(NotSupported, match="doesn't need a connection"):
        await tried.verify()
