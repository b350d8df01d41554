"""What the app for Disqus does besides the contract: kinds of comments, older flagged ones, and errors."""

import httpx
import pytest
from tests.support.catalogue.service import SimulatedService, calling

from patchbay.domain.base import AppKey
from patchbay.domain.errors import ThirdPartyError
from patchbay.integration.app_definition import Trigger
from patchbay.integration.context import collect_items
from patchbay.integration.registry import BUILT_IN, load_app


def _trigger(key: str) -> Trigger:
    app = load_app(AppKey("disqus"), BUILT_IN)
    return next(trigger for trigger in app.triggers if trigger.key == key)


def _page(*comments: dict[str, str]) -> httpx.Response:
    cursor = {"hasNext": False, "next": "1:0:0"}
    return httpx.Response(200, json={"code": 0, "cursor": cursor, "response": list(comments)})


async def _items(key: str, respond, **parameters):
    trigger = _trigger(key)
    assert trigger.run is not None
    async with calling(SimulatedService("disqus", respond), {"forumId": "garden", **parameters}) as ctx:
        return await collect_items(trigger.run, ctx)


async def test_each_kind_of_comment_is_requested_once():
    asked: list[list[str]] = []

    def respond(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.params.get_list("include"))
        return _page()

    await _items("newComments", respond, postTypes=[{"type": "spam"}, {"type": "flagged"}, {"type": "spam"}])
    await _items("newComments", respond, postTypes=[{"type": ""}])

    assert asked == [["spam", "flagged"], []]


async def test_flagged_comments_are_sorted_by_date():
    older = {"id": "1", "createdAt": "2026-03-01T08:00:00"}
    newer = {"id": "2", "createdAt": "2026-03-02T08:00:00"}

    items = await _items("newFlaggedComments", lambda request: _page(older, newer))

    assert [item.internal_id for item in items] == ["2", "1"]


async def test_an_error_with_a_success_status_is_an_error():
    with pytest.raises(ThirdPartyError) as caught:
        await _items(
            "newComments", lambda request: httpx.Response(200, json={"code": 8, "response": "No forum"})
        )

    assert caught.value.said == "No forum"
