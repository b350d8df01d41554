"""Google Docs, text documents. API: version 1, and that of Drive, version 3, with OAuth 2."""

from patchbay.integration import App, bearer
from patchbay.integration.google import list_drives

from .actions import create_document
from .auth import auth
from .triggers import new_document

app = App(
    name="Google Docs",
    key="google-docs",
    supports_connections=True,
    base_url="https://docs.google.com/document",
    api_base_url="https://docs.googleapis.com",
    primary_color="#4285F4",
    description="Start a flow for new documents, and create documents.",
    category="Documents",
    keywords=("document", "word", "text"),
    auth=auth,
    before_request=[bearer(field="accessToken")],
    triggers=[new_document],
    actions=[create_document],
    dynamic_data=[list_drives],
)
