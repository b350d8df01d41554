"""Google Forms. API: version 1, and that of Drive, version 3, with OAuth 2."""

from patchbay.integration import App, bearer

from .auth import auth
from .dynamic_data import list_forms
from .triggers import new_form_responses

app = App(
    name="Google Forms",
    key="google-forms",
    supports_connections=True,
    base_url="https://docs.google.com/forms",
    api_base_url="https://forms.googleapis.com",
    primary_color="#673AB7",
    description="Start a flow for new responses to a form.",
    category="Forms",
    keywords=("survey", "questionnaire"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[new_form_responses],
    dynamic_data=[list_forms],
)
