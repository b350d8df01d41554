"""Mailchimp, newsletters. API: Marketing API, version 3, with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import create_campaign, send_campaign
from .auth import auth
from .dynamic_data import list_audiences, list_campaigns, list_segments_or_tags, list_templates
from .triggers import email_opened, new_subscribers, new_unsubscribers

app = App(
    name="Mailchimp",
    key="mailchimp",
    supports_connections=True,
    base_url="https://mailchimp.com",
    api_base_url="https://{auth.serverPrefix}.api.mailchimp.com",
    primary_color="#000000",
    description="Start a flow for new and lost subscribers and opened emails, and create and send campaigns.",
    category="Marketing",
    keywords=("newsletter", "email campaign", "subscribers"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[email_opened, new_subscribers, new_unsubscribers],
    actions=[create_campaign, send_campaign],
    dynamic_data=[list_audiences, list_campaigns, list_segments_or_tags, list_templates],
)
