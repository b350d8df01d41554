"""Home Assistant, home automation on your own server. API: REST, with a long-lived access token."""

from patchbay.integration import App, bearer

from .actions import call_service
from .auth import auth
from .dynamic_data import list_entities, list_services
from .triggers import state_changed

app = App(
    name="Home Assistant",
    key="home-assistant",
    supports_connections=True,
    base_url="https://www.home-assistant.io",
    api_base_url="{auth.instanceUrl}",
    primary_color="#18BCF2",
    description="Start a flow when a state changes, and control lights, switches, and other devices.",
    category="Smart home",
    keywords=["home automation", "IoT", "sensor"],
    auth=auth,
    before_request=[bearer()],
    triggers=[state_changed],
    actions=[call_service],
    dynamic_data=[list_entities, list_services],
)
