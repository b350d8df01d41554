"""SMTP, sending mail through any server. Protocol: RFC 5321, sign-in RFC 4954, STARTTLS RFC 3207."""

from patchbay.integration import App

from .actions.send_email import send_email
from .auth import auth

app = App(
    name="SMTP",
    key="smtp",
    supports_connections=True,
    base_url="",
    api_base_url="",
    primary_color="#2DAAE1",
    description="Send email, with attachments, through any mail server.",
    category="Email",
    keywords=("mail", "email"),
    auth=auth,
    actions=[send_email],
)
