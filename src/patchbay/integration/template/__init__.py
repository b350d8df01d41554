"""My App: describe the service in one line, and link its API documentation."""

from patchbay.integration import App, bearer

from .actions.create_item import create_item
from .auth import auth
from .triggers.new_item import new_item

app = App(
    # The name that people see, and the permanent key of the app: the name of this folder.
    name="My App",
    key="my-app",
    # Both placeholders are replaced when the app is shown; icon.svg and docs.md are files in this folder.
    icon_url="{BASE_URL}/apps/my-app/assets/icon.svg",
    auth_doc_url="{DOCS_URL}/apps/my-app/connection",
    # The service's website, and the address of its API. For services that users host themselves, use
    # api_base_url="{auth.instanceUrl}" and add a field with that key.
    supports_connections=True,
    base_url="https://my-app.example.com",
    api_base_url="https://api.my-app.example.com/v1",
    primary_color="#3056D3",
    description="Start a flow when an item is added, and add items.",
    category="Other",
    auth=auth,
    # How the key is sent: bearer(), header_key("X-Api-Key"), query_key("key"), or basic_auth().
    before_request=[bearer()],
    triggers=[new_item],
    actions=[create_item],
)
