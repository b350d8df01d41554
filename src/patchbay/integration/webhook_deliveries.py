"""Webhook deliveries: their IDs, and the headers that must not be stored."""

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache

from patchbay.domain.base import JsonObject
from patchbay.domain.ports import WebhookRequest
from patchbay.integration.masking import MASK

DELIVERY_HEADERS = (
    "webhook-id",  # Standard Webhooks
    "svix-id",
    "x-github-delivery",
    "x-shopify-webhook-id",
    "idempotency-key",  # the IETF draft; GitLab since 17.4
    "x-gitlab-event-uuid",
    "x-gitea-delivery",
    "x-gogs-delivery",
    "x-request-uuid",  # Bitbucket
    "linear-delivery",
    "x-discourse-event-id",
    "x-wc-webhook-delivery-id",
    "i-twilio-idempotency-token",
)
"""Headers with the ID of a delivery, which is the same when a service delivers it again."""

_ID_KEYS_IN_BODY = (("stripe-signature", "id"), ("x-slack-signature", "event_id"))
"""For services with the delivery ID in the body: a header they always send, and the key."""
_MAX_ID_LENGTH = 160
_PRIVATE_HEADER = re.compile(
    r"authorization|cookie|token|secret|signature|passw|passphrase|hmac|jwt|credential|x-hub-sig"
    r"|(api|access|auth|private|webhook|shared)-?key|(^|-)(auth|sign|sig)$"
)


def delivery_id(request: WebhookRequest, header: str = "") -> str | None:
    """The sender's ID of a delivery, prefixed by its header; None if it has none.

    For a signed request, only the signature counts, because an attacker could replay it with other headers.
    Otherwise, if `header` is given, only that header is used. Suitable as the internal ID of a trigger item.
    """
    if request.signed_delivery is not None:
        return request.signed_delivery
    headers = _lower_names(request.headers)
    header = header.strip().lower()
    for name in (header,) if header else DELIVERY_HEADERS:
        if name in headers and (value := headers[name].strip()):
            return _internal_id(name, value)
    if header or not isinstance(request.body, dict):
        return None
    for signature_header, key in _ID_KEYS_IN_BODY:
        body_value = request.body.get(key)
        if signature_header in headers and isinstance(body_value, str) and body_value.strip():
            return _internal_id(signature_header.removesuffix("-signature"), body_value.strip())
    return None


def named_delivery(source: str, name: str) -> str:
    """The internal ID of a delivery with this name, for `ctx.signed_delivery`."""
    return _internal_id(source, name)


def signed_content(source: str, *parts: bytes) -> str:
    """The internal ID of a signed delivery without a name: a digest of the signed content."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8) + part)
    return f"{source}:{digest.hexdigest()}"


def without_credentials(headers: Mapping[str, str], *more: str) -> JsonObject:
    """The headers to store: lower-case names, with credential values masked.

    `more`: further names whose values are masked.
    """
    hidden_names = {name.strip().lower() for name in more}
    return {
        name: MASK if name in hidden_names or is_private_header(name) else value
        for name, value in _lower_names(headers).items()
    }


@lru_cache(maxsize=1024)
def is_private_header(header: str) -> bool:
    """Whether a header with this name contains a key, password, token, or signature."""
    return bool(_PRIVATE_HEADER.search(header.lower()))


def _lower_names(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _internal_id(source: str, value: str) -> str:
    """Long IDs, and those that may be keys, become hashes: IDs stay in an index permanently."""
    if len(source) + len(value) > _MAX_ID_LENGTH or is_private_header(source):
        value = hashlib.sha256(value.encode()).hexdigest()
    return f"{source[:_MAX_ID_LENGTH]}:{value}"
