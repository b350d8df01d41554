"""Strava, sports activities. API: version 3, with OAuth 2."""

from patchbay.integration import App, bearer

from .actions import create_totals_and_stats_report
from .auth import auth

app = App(
    name="Strava",
    key="strava",
    supports_connections=True,
    base_url="https://www.strava.com",
    api_base_url="https://www.strava.com/api",
    primary_color="#FC4C01",
    description="Get the totals of your runs, rides, and swims.",
    category="Health and sport",
    keywords=("running", "cycling", "fitness"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    actions=[create_totals_and_stats_report],
)
