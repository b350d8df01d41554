"""Disqus, comments on websites. API: version 3.0, with OAuth 2 and the keys of an application."""

from patchbay.integration import App, error_at, query_key

from .auth import auth
from .dynamic_data import list_forums
from .triggers import new_comments, new_flagged_comments

app = App(
    name="Disqus",
    key="disqus",
    supports_connections=True,
    base_url="https://disqus.com",
    api_base_url="https://disqus.com/api",
    primary_color="#2E9FFF",
    description="Start a flow for new and flagged comments.",
    category="Websites",
    keywords=("comments",),
    auth=auth,
    before_request=[
        query_key("access_token", field="accessToken"),
        query_key("api_key", field="apiKey"),
        query_key("api_secret", field="apiSecret"),
    ],
    error_in_response=error_at(
        "response", failed=lambda body: isinstance(body, dict) and body.get("code") not in (None, 0)
    ),
    triggers=[new_comments, new_flagged_comments],
    dynamic_data=[list_forums],
)
