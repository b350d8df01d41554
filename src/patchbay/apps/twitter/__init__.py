"""X, formerly Twitter. API: version 2, with OAuth 1.0a."""

from patchbay.integration import App

from .actions import create_tweet, search_user
from .auth import auth
from .auth.oauth import oauth
from .triggers import my_tweets, new_follower_of_me, search_tweets, user_tweets

app = App(
    name="X (Twitter)",
    key="twitter",
    supports_connections=True,
    base_url="https://x.com",
    api_base_url="https://api.x.com",
    primary_color="#1DA1F2",
    description="Start a flow for posts, search results, and followers, and create posts.",
    category="Social media",
    keywords=("x", "tweet", "post"),
    auth=auth,
    before_request=[oauth.sign],
    triggers=[my_tweets, new_follower_of_me, search_tweets, user_tweets],
    actions=[create_tweet, search_user],
)
