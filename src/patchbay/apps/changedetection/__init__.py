"""Changedetection, which watches web pages, on your own server. API: version 1, key in `x-api-key`."""

from patchbay.integration import App, header_key

from .actions import create_watch, delete_watch
from .auth import auth
from .dynamic_data import list_watches
from .triggers.changed_watch import changed_watch

app = App(
    name="Changedetection",
    key="changedetection",
    supports_connections=True,
    base_url="https://changedetection.io",
    api_base_url="{auth.instanceUrl}/api/v1",
    primary_color="#3056D3",
    description="Start a flow when a web page changes, and manage watched pages.",
    category="Monitoring",
    keywords=("website change", "watch a page"),
    auth=auth,
    before_request=[header_key("x-api-key")],
    triggers=[changed_watch],
    actions=[create_watch, delete_watch],
    dynamic_data=[list_watches],
)
