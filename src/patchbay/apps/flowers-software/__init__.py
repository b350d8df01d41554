"""Flowers Software, digital workflows. API: public API, version 2, with an account and an API key."""

from patchbay.integration import App, basic_auth, header_key

from .auth import auth
from .triggers import new_activity

app = App(
    name="Flowers Software",
    key="flowers-software",
    supports_connections=True,
    base_url="https://flowers-software.com",
    api_base_url="https://webapp.flowers-software.com/api",
    primary_color="#02AFC7",
    description="Start a flow for changes in workflows: tasks, documents, notes, contacts, and users.",
    category="Productivity",
    auth=auth,
    before_request=[header_key("x-api-key"), basic_auth()],
    triggers=[new_activity],
)
