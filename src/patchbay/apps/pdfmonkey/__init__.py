"""PDFMonkey, PDF documents from templates. API: version 1, with an API key."""

from patchbay.integration import App, bearer

from .actions import delete_document, find_document, generate_document
from .auth import auth
from .dynamic_data import list_templates, list_workspaces
from .dynamic_fields import list_document_data
from .triggers import documents_generated

app = App(
    name="PDFMonkey",
    key="pdfmonkey",
    supports_connections=True,
    base_url="https://pdfmonkey.io",
    api_base_url="https://api.pdfmonkey.io/api",
    primary_color="#DB2777",
    description="Start a flow for generated documents, and generate, find, and delete documents.",
    category="Documents",
    keywords=("pdf", "template", "invoice"),
    auth=auth,
    before_request=[bearer()],
    triggers=[documents_generated],
    actions=[delete_document, find_document, generate_document],
    dynamic_data=[list_templates, list_workspaces],
    dynamic_fields=[list_document_data],
)
