"""MailerLite, newsletters. API: the new MailerLite (not Classic), with an API token."""

from patchbay.integration import App, RateLimit, bearer

from .auth import auth
from .triggers import campaign_sent, spam_complaint, subscriber_created, subscriber_unsubscribed

app = App(
    name="MailerLite",
    key="mailerlite",
    supports_connections=True,
    base_url="https://www.mailerlite.com",
    api_base_url="https://connect.mailerlite.com/api",
    primary_color="#09C269",
    description="Start a flow for new and unsubscribed subscribers, spam complaints, and sent campaigns.",
    category="Marketing",
    keywords=("newsletter", "email campaign", "subscribers"),
    auth=auth,
    before_request=[bearer()],
    rate_limit=RateLimit(calls=120, seconds=60),
    triggers=[campaign_sent, spam_complaint, subscriber_created, subscriber_unsubscribed],
)
