"""Brave Search, web search. API: version 1, with an API key."""

from patchbay.integration import App, fixed_headers, header_key

from .actions import web_search
from .auth import auth

app = App(
    name="Brave Search",
    key="brave-search",
    supports_connections=True,
    base_url="https://search.brave.com",
    api_base_url="https://api.search.brave.com/res",
    primary_color="#181818",
    description="Search the web.",
    category="Search",
    keywords=("web", "search"),
    auth=auth,
    before_request=[header_key("X-Subscription-Token"), fixed_headers({"Accept": "application/json"})],
    actions=[web_search],
)
