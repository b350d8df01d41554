"""Gmail, email. API: version 1, with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import create_draft, reply_to_email, send_email, send_to_trash, star_email
from .auth import auth
from .dynamic_data import list_emails, list_labels, list_messages, list_signatures, list_threads
from .triggers import new_emails

app = App(
    name="Gmail",
    key="gmail",
    supports_connections=True,
    base_url="https://mail.google.com",
    api_base_url="https://gmail.googleapis.com",
    primary_color="#ea4335",
    description="Start a flow for new email, and send, draft, reply to, star, and delete email.",
    category="Email",
    keywords=("mail", "email", "google mail", "inbox"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[new_emails],
    actions=[create_draft, reply_to_email, send_email, send_to_trash, star_email],
    dynamic_data=[list_emails, list_labels, list_messages, list_signatures, list_threads],
)
