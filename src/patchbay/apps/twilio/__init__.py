"""Twilio, text messages and calls. API: REST, version 2010-04-01, with account SID and auth token."""

from patchbay.integration import App, basic_auth

from .actions import send_sms
from .auth import auth
from .dynamic_data import list_incoming_phone_numbers
from .triggers import receive_sms

app = App(
    name="Twilio",
    key="twilio",
    supports_connections=True,
    base_url="https://twilio.com",
    api_base_url="https://api.twilio.com",
    primary_color="#E1000F",
    description="Start a flow when a text message arrives, and send text messages.",
    category="Phone and SMS",
    keywords=("sms", "text message", "phone call"),
    auth=auth,
    before_request=[basic_auth(user="accountSid", password="authToken")],
    triggers=[receive_sms],
    actions=[send_sms],
    dynamic_data=[list_incoming_phone_numbers],
)
