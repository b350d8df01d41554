"""Jotform, online forms. API: REST, with an API key in the header `APIKEY`."""

from typing import Any

from patchbay.integration import App, error_at, header_key

from .auth import auth
from .dynamic_data import list_forms
from .triggers import new_submissions


def _has_failed(body: Any) -> bool:
    """Whether a response with status 200 names another status."""
    return isinstance(body, dict) and int(body.get("responseCode") or 200) >= 400


app = App(
    name="Jotform",
    key="jotform",
    supports_connections=True,
    base_url="https://www.jotform.com",
    api_base_url="{auth.apiUrl}",
    primary_color="#FF6100",
    description="Start a flow when someone submits a form.",
    category="Forms",
    keywords=("survey", "questionnaire"),
    auth=auth,
    before_request=[header_key("APIKEY")],
    error_in_response=error_at("message", failed=_has_failed),
    triggers=[new_submissions],
    dynamic_data=[list_forms],
)
