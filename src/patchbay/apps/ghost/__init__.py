"""Ghost, publishing on your own server or Ghost(Pro). API: Admin API, version 5, with signed tokens."""

from patchbay.integration import App, fixed_headers

from .auth import auth
from .auth.token import add_token
from .triggers import new_post_published

app = App(
    name="Ghost",
    key="ghost",
    supports_connections=True,
    base_url="https://ghost.org",
    api_base_url="{auth.instanceUrl}",
    primary_color="#15171A",
    description="Start a flow when a post is published.",
    category="Websites",
    keywords=("blog", "newsletter"),
    auth=auth,
    before_request=[add_token, fixed_headers({"Accept-Version": "v5.0"})],
    triggers=[new_post_published],
)
