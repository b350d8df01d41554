"""HTTP Request: requests to any URL, and new items of any JSON API, optionally with an HTTP connection."""

from patchbay.integration import App

from .actions.custom_request import custom_request
from .triggers.new_item import new_item

app = App(
    name="HTTP Request",
    key="http-request",
    primary_color="#000000",
    description="Send a request to any URL and use the response, or start a flow for new items of an API.",
    category="Built in",
    keywords=("api", "rest", "curl", "webhook", "json", "poll", "watch"),
    triggers=[new_item],
    actions=[custom_request],
)
