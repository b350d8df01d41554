"""Reddit, communities. API: OAuth 2, with an app of the user's own."""

from patchbay.integration import App, RateLimit, bearer, error_at

from .actions import create_link_post
from .auth import auth
from .auth.user_agent import add_user_agent
from .triggers import new_posts_matching_search

app = App(
    name="Reddit",
    key="reddit",
    supports_connections=True,
    base_url="https://www.reddit.com",
    api_base_url="https://oauth.reddit.com",
    primary_color="#FF4500",
    description="Start a flow for new posts that match a search, and post links.",
    category="Social media",
    keywords=("forum", "posts"),
    auth=auth,
    before_request=[bearer(field="accessToken"), add_user_agent],
    error_in_response=error_at("json.errors.0.1"),
    rate_limit=RateLimit(calls=100, seconds=60),
    triggers=[new_posts_matching_search],
    actions=[create_link_post],
)
