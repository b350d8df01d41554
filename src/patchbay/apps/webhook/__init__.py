"""Webhook: flows that start when their address receives a request, and can respond to it."""

from patchbay.integration import App

from .actions.respond_with import respond_with
from .triggers.catch_raw_webhook import catch_raw_webhook

app = App(
    name="Webhook",
    key="webhook",
    primary_color="#0059F7",
    description="Start a flow when its URL is called, and respond to the caller.",
    category="Built in",
    keywords=("http", "callback", "incoming request", "reply", "answer"),
    triggers=[catch_raw_webhook],
    actions=[respond_with],
)
