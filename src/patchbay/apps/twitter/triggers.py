"""Triggers. X charges for each post that is read, so they ask for those after the last known one."""

from collections.abc import AsyncGenerator

from patchbay.domain.base import Json
from patchbay.integration import Context, cursor, list_items, polling_trigger, segment, text
from patchbay.integration.polling import Items
from patchbay.integration.values import text_of

_PAGES = cursor("meta.next_token", "pagination_token")
_EPOCH_MS = 1_288_834_974_657
"""When the times in IDs of posts begin."""
_SEARCHABLE_MS = 6 * 24 * 3600 * 1000
"""X rejects IDs of posts that are older than a search reaches, which is a week."""


def _newest(line: str, **query: Json) -> Items:
    """The items of a list, which X leaves out of the response if it's empty."""
    return list_items(line, query=query, at="data", pages=_PAGES, absent_if_empty=True)


def _since(ctx: Context) -> str:
    """The newest post that the flow knows; empty if it knows none, or only an old one."""
    known = str(ctx.flow.last_internal_id or "")
    if not known.isdecimal():
        return ""
    created = (int(known) >> 22) + _EPOCH_MS
    return known if ctx.now - created < _SEARCHABLE_MS else ""


def _new_posts(line: str, **query: Json) -> Items:
    """The posts of a list that are newer than those the flow knows."""

    async def items(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
        since = _since(ctx)
        async for item in _newest(line, **query, **({"since_id": since} if since else {}))(ctx):
            yield item

    return items


my_tweets = polling_trigger(
    key="myTweets",
    name="My post",
    description="Starts when you post.",
    items=_new_posts("/2/users/{auth.userId}/tweets"),
)

new_follower_of_me = polling_trigger(
    key="newFollowerOfMe",
    name="New follower",
    description="Starts when someone follows you. X offers this only in some plans.",
    items=_newest("/2/users/{auth.userId}/followers"),
)

search_tweets = polling_trigger(
    key="searchTweets",
    name="Post matching search",
    description="Starts for each new post that matches a search.",
    arguments=[
        text(
            "searchTerm",
            "Search",
            required=True,
            variables=False,
            placeholder="patchbay -is:retweet",
            description="In the search syntax of X.",
        )
    ],
    items=_new_posts("/2/tweets/search/recent", query="{searchTerm}"),
)


async def _posts_of_user(ctx: Context) -> AsyncGenerator[tuple[Json, str], None]:
    """The posts of the account with the entered user name, whose ID X asks for."""
    name = text_of(ctx.parameters, "username").strip().removeprefix("@")
    user = (await ctx.http.get(f"/2/users/by/username/{segment(name)}")).json()["data"]
    async for item in _new_posts(f"/2/users/{segment(user['id'])}/tweets")(ctx):
        yield item


user_tweets = polling_trigger(
    key="userTweets",
    name="Post of a user",
    description="Starts when an account posts.",
    arguments=[text("username", "User name", required=True, variables=False, description="Without @.")],
    source=["username"],
    items=_posts_of_user,
)
