"""Mastodon, social network across servers. API: version 1, with the access token of an application."""

from patchbay.integration import App, RateLimit, bearer

from .actions import create_post
from .auth import auth
from .triggers import new_mention

app = App(
    name="Mastodon",
    key="mastodon",
    supports_connections=True,
    base_url="https://joinmastodon.org",
    api_base_url="{auth.instanceUrl}",
    primary_color="#6364FF",
    description="Start a flow when you are mentioned, and create posts.",
    category="Social media",
    keywords=("toot", "post", "fediverse"),
    auth=auth,
    before_request=[bearer()],
    rate_limit=RateLimit(calls=300, seconds=300),
    triggers=[new_mention],
    actions=[create_post],
)
