"""My App: say here in one line what the service does, and where its interface is documented."""

from patchbay.integration import App, bearer

from .actions.create_item import create_item
from .auth import auth
from .triggers.new_item import new_item

app = App(
    # What people see, and how the app is known for ever after: the key is this folder's name.
    name="My App",
    key="my-app",
    # Both placeholders are filled in when the app is shown; icon.svg and docs.md are files of this folder.
    icon_url="{BASE_URL}/apps/my-app/assets/icon.svg",
    auth_doc_url="{DOCS_URL}/apps/my-app/connection",
    # Where people look at the service, and where its interface answers. For services that everybody runs on
    # an address of their own write api_base_url="{auth.instanceUrl}" and add a field with that key.
    supports_connections=True,
    base_url="https://my-app.example.com",
    api_base_url="https://api.my-app.example.com/v1",
    primary_color="#3056D3",
    description="Start a flow when an item is added, and add items.",
    category="Other",
    auth=auth,
    # How the key travels: bearer(), header_key("X-Api-Key"), query_key("key") or basic_auth().
    before_request=[bearer()],
    triggers=[new_item],
    actions=[create_item],
)
