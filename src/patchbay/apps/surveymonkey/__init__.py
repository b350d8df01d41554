"""SurveyMonkey, online surveys. API: version 3, with OAuth 2, at the address of the account's data centre."""

from patchbay.integration import App, RateLimit, bearer

from .actions import create_contact
from .auth import auth
from .dynamic_data import list_contact_lists, list_surveys
from .triggers import new_response_notification

app = App(
    name="SurveyMonkey",
    key="surveymonkey",
    supports_connections=True,
    base_url="https://www.surveymonkey.com",
    api_base_url="{auth.accessUrl}",
    primary_color="#00bf6f",
    description="Start a flow for responses to a survey, and create contacts.",
    category="Forms",
    keywords=("survey", "questionnaire"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    rate_limit=RateLimit(calls=120, seconds=60),
    triggers=[new_response_notification],
    actions=[create_contact],
    dynamic_data=[list_surveys, list_contact_lists],
)
