"""Paperless-ngx, documents on your own server. API: REST, version 9, with a token."""

from patchbay.integration import App, fixed_headers, header_key

from .actions import upload_document
from .auth import auth
from .dynamic_data import list_correspondents, list_document_types, list_tags
from .triggers import new_document

app = App(
    name="Paperless-ngx",
    key="paperless-ngx",
    supports_connections=True,
    base_url="https://docs.paperless-ngx.com",
    api_base_url="{auth.instanceUrl}",
    primary_color="#17541F",
    description="Start a flow for new documents, and upload documents.",
    category="Documents",
    keywords=("scan", "archive", "OCR", "PDF"),
    auth=auth,
    before_request=[
        header_key("Authorization", prefix="Token "),
        fixed_headers({"Accept": "application/json; version=9"}),
    ],
    triggers=[new_document],
    actions=[upload_document],
    dynamic_data=[list_correspondents, list_document_types, list_tags],
)
