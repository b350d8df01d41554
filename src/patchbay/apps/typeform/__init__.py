"""Typeform, online forms. API: Create, Responses, and Webhooks, with OAuth 2."""

from patchbay.integration import App, RateLimit, bearer

from .auth import auth
from .dynamic_data import list_forms
from .triggers import new_entry

app = App(
    name="Typeform",
    key="typeform",
    supports_connections=True,
    base_url="https://typeform.com",
    api_base_url="https://api.typeform.com",
    primary_color="#262627",
    description="Start a flow when someone submits a form.",
    category="Forms",
    keywords=("survey", "questionnaire"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    rate_limit=RateLimit(calls=2, seconds=1),
    triggers=[new_entry],
    dynamic_data=[list_forms],
)
