"""Carbone, documents from templates. API: version 5, with an API key."""

from patchbay.integration import App, bearer, error_at, fixed_headers

from .actions import add_template
from .auth import auth

app = App(
    name="Carbone",
    key="carbone",
    supports_connections=True,
    base_url="https://carbone.io",
    api_base_url="https://api.carbone.io",
    primary_color="#6f42c1",
    description="Upload document templates.",
    category="Documents",
    keywords=("pdf", "template", "report"),
    auth=auth,
    before_request=[bearer(), fixed_headers({"carbone-version": "5"})],
    error_in_response=error_at(
        "error", failed=lambda body: isinstance(body, dict) and body.get("success") is False
    ),
    actions=[add_template],
)
