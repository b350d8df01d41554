"""The API for app authors: app definitions and the context that app code receives."""

from patchbay.domain.apps import TimeLimit, TriggerKind
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
from patchbay.integration.builders import (
    fixed_list,
    option_list,
    request_action,
    still_verified_with,
    verify_with,
    webhook_trigger,
)
from patchbay.integration.context import Context
from patchbay.integration.fields import (
    YES_NO,
    api_key_field,
    api_key_fields,
    code,
    dropdown,
    instance_url_field,
    name_value_rows,
    rows,
    screen_name_field,
    text,
)
from patchbay.integration.oauth import OAuth2, oauth2, oauth_fields, revocation
from patchbay.integration.oauth1 import OAuth1, oauth1
from patchbay.integration.paging import (
    cursor,
    error_at,
    link_header,
    list_items,
    next_link,
    offsets,
    one_response,
    page_numbers,
)
from patchbay.integration.polling import identify, offset_pages, one_page, polling_trigger
from patchbay.integration.request import RequestConfig, Response, segment
from patchbay.integration.request_auth import (
    basic_auth,
    bearer,
    body_key,
    fixed_headers,
    header_key,
    own_instance,
    query_key,
)
from patchbay.integration.sign_in_connections import CallbackSignIn, oauth_auth
from patchbay.integration.webhook_deliveries import (
    delivery_id,
    named_delivery,
    signed_content,
    without_credentials,
)
from patchbay.integration.webhook_signatures import hmac_signature, secret_in_query, shared_token

__all__ = [
    "YES_NO", "Action", "App", "Argument", "ArgumentType", "Auth", "AuthField", "CallbackSignIn", "Context",
    "DynamicData", "DynamicFields", "OAuth1", "OAuth2", "OnInterrupted", "Option", "RateLimit",
    "RequestConfig", "RequestTarget", "Response", "Source", "TimeLimit", "Trigger", "TriggerKind",
    "api_key_field", "api_key_fields",
    "basic_auth", "bearer", "body_key", "code", "cursor", "delivery_id", "dropdown",
    "error_at", "fixed_headers", "fixed_list", "header_key", "hmac_signature", "identify",
    "instance_url_field", "link_header", "list_items", "name_value_rows", "named_delivery", "next_link",
    "oauth1", "oauth2", "oauth_auth", "oauth_fields", "offset_pages", "offsets", "one_page", "one_response",
    "option_list", "own_instance", "page_numbers", "polling_trigger", "query_key", "request_action",
    "revocation", "rows", "screen_name_field", "secret_in_query", "segment", "shared_token",
    "signed_content", "still_verified_with", "text", "verify_with", "webhook_trigger",
    "without_credentials",
]  # fmt: skip
