"""The API for app authors: app definitions and the context that app code receives."""

from patchbay.domain.apps import TriggerKind
from patchbay.domain.engine import RateLimit
from patchbay.domain.fields import Argument, ArgumentType, AuthField, Option, Source
from patchbay.integration.app_definition import (
    Action,
    App,
    Auth,
    DynamicData,
    DynamicFields,
    OnInterrupted,
    RequestTarget,
    Trigger,
)
from patchbay.integration.context import Context
from patchbay.integration.fields import (
    YES_NO,
    api_key_field,
    api_key_fields,
    code,
    dropdown,
    name_value_rows,
    rows,
    screen_name_field,
    text,
)
from patchbay.integration.oauth import OAuth2, oauth2, oauth_fields
from patchbay.integration.polling import identify, offset_pages, one_page, polling_trigger
from patchbay.integration.request import RequestConfig, Response, segment
from patchbay.integration.request_auth import basic_auth, bearer, header_key, query_key
from patchbay.integration.webhook_deliveries import (
    delivery_id,
    named_delivery,
    signed_content,
    without_credentials,
)

__all__ = [
    "YES_NO", "Action", "App", "Argument", "ArgumentType", "Auth", "AuthField", "Context", "DynamicData",
    "DynamicFields", "OAuth2", "OnInterrupted", "Option", "RateLimit", "RequestConfig",
    "RequestTarget", "Response", "Source", "Trigger", "TriggerKind", "api_key_field", "api_key_fields",
    "basic_auth", "bearer", "code",
    "delivery_id", "dropdown", "header_key", "identify", "name_value_rows", "named_delivery", "oauth2",
    "oauth_fields", "offset_pages", "one_page", "polling_trigger", "query_key", "rows", "screen_name_field",
    "segment", "signed_content", "text", "without_credentials",
]  # fmt: skip
