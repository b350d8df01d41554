"""HTTP connection: an account at any service, for steps that send requests."""

from patchbay.integration import App

from .auth import auth
from .credentials import credentials

app = App(
    name="HTTP connection",
    key="http",
    icon_url="{BASE_URL}/apps/http/assets/icon.svg",
    auth_doc_url="{DOCS_URL}/apps/http/connection",
    supports_connections=True,
    base_url="",
    api_base_url="",
    primary_color="#0F766E",
    description="Credentials for any service, for HTTP Request steps.",
    category="Built in",
    keywords=("api", "rest", "custom api"),
    auth=auth,
    before_request=[credentials],
    offers_api_request=False,
)
