"""Appwrite, a backend with databases, also on your own server. API: version 1, with the key of a project."""

from patchbay.integration import App, header_key, own_instance

from .auth import auth
from .dynamic_data import list_collections, list_databases
from .triggers import new_documents

app = App(
    name="Appwrite",
    key="appwrite",
    supports_connections=True,
    base_url="https://appwrite.io",
    api_base_url="https://cloud.appwrite.io",
    primary_color="#FD366E",
    description="Start a flow when a document is created in a collection.",
    category="Developer tools",
    keywords=("backend", "database"),
    auth=auth,
    before_request=[
        own_instance(),
        header_key("X-Appwrite-Project", field="projectId"),
        header_key("X-Appwrite-Key"),
    ],
    triggers=[new_documents],
    dynamic_data=[list_collections, list_databases],
)
