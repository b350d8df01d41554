"""Better Stack, uptime monitoring. API: Uptime API, version 3, with a token of a team."""

from patchbay.integration import App, bearer

from .actions import acknowledge_incident, create_incident, find_incident, resolve_incident
from .auth import auth

app = App(
    name="Better Stack",
    key="better-stack",
    supports_connections=True,
    base_url="https://betterstack.com",
    api_base_url="https://uptime.betterstack.com/api",
    primary_color="#000000",
    description="Create, acknowledge, and resolve uptime monitoring incidents.",
    category="Monitoring",
    keywords=("uptime", "incident", "status"),
    auth=auth,
    before_request=[bearer()],
    actions=[acknowledge_incident, create_incident, find_incident, resolve_incident],
)
