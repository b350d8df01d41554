"""Triggers."""

from patchbay.integration import cursor, list_items, polling_trigger, text

new_posts_matching_search = polling_trigger(
    key="newPostsMatchingSearch",
    name="New post matching search",
    description="Starts for each new post that matches a search.",
    arguments=[
        text(
            "searchQuery",
            "Search",
            required=True,
            placeholder="subreddit:selfhosted automation",
            description="In Reddit's search syntax.",
        )
    ],
    items=list_items(
        "/search",
        query={"q": "{searchQuery}", "sort": "new", "type": "link"},
        at="data.children",
        internal_id="data.id",
        pages=cursor("data.after", "after", limit_key="limit", limit=100),
    ),
)
