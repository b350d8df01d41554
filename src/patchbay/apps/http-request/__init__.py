"""HTTP Request: a request to any URL, optionally with an HTTP connection."""

from patchbay.integration import App

from .actions.custom_request import custom_request

app = App(
    name="HTTP Request",
    key="http-request",
    primary_color="#000000",
    description="Send a request to any URL and use the response.",
    category="Built in",
    keywords=("api", "rest", "curl", "webhook"),
    actions=[custom_request],
)
