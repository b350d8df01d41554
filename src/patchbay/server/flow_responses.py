"""What a flow answers its caller, as a response that can't speak for the service.

A flow's answer may be a page made of what strangers sent, on the host name where people enter API keys. So
only headers that describe the content are passed on, and browsers are always told to give the page no origin.
"""

import json
import re

from starlette.responses import Response

from patchbay.domain.ports import DELIVERY_HEADER, WebhookResponse

SANDBOX = "sandbox allow-forms allow-popups allow-scripts"
"""The content security policy of every answer of a flow; nothing a flow sets replaces it."""

_ALLOWED_HEADERS = frozenset(
    (
        "allow", "cache-control", "content-disposition", "content-language", "content-type", "correlation-id",
        "deprecation", "etag", "expires", "idempotency-key", "last-modified", "location", "pragma",
        "ratelimit", "ratelimit-limit", "ratelimit-policy", "ratelimit-remaining", "ratelimit-reset",
        "request-id", "retry-after", "sunset", "traceparent", "vary", "webhook-id", "www-authenticate",
    )
)  # fmt: skip
"""An allow-list: new headers with which a page changes what its origin may do keep being invented."""
_BLOCKED_HEADERS = re.compile(
    # To browsers: policies of the page.
    r"x-(frame-options|sourcemap|content-.*|xss-protection|webkit-csp|dns-prefetch-control|download-options"
    r"|permitted-cross-domain-policies|ua-compatible"
    # To proxies: files they serve in place of the answer, and addresses they believe.
    r"|accel-.*|sendfile.*|lighttpd-.*|litespeed-.*|reproxy-.*|forwarded-.*|real-ip|original-.*|rewrite-.*"
    r"|http-method.*|proxy-.*|api-token)|x-patchbay-.*"
)
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9a-z]+")
_REDIRECT_TARGET = re.compile(r"(https?://|/(?![/\\])|\?|[^/\\:]+$)", re.IGNORECASE)
"""Addresses a caller may be sent to: of the web, or below this one."""
_STATUSES_WITHOUT_CONTENT = (204, 205, 304)


def build_response(answer: WebhookResponse) -> Response:
    """The response with the flow's status and body, and those of its headers that may be set by a flow."""
    status = answer.status if 200 <= answer.status <= 599 else 502
    headers = {
        name.lower(): value for name, value in answer.headers.items() if _is_header_allowed(name, value)
    }
    if answer.body is None or status in _STATUSES_WITHOUT_CONTENT:
        return Response(status_code=status, headers=headers)
    headers.setdefault("content-type", _guess_content_type(answer.body))
    return Response(answer.body, status, headers)


def _is_header_allowed(name: str, value: str) -> bool:
    key = name.lower()
    if not (_TOKEN.fullmatch(key) and value.isprintable() and value.isascii()):
        return False
    if key == "location":
        return bool(_REDIRECT_TARGET.match(value))
    if key == "content-type":
        # The parts of a multipart body have headers of their own, and of several types the last may count.
        return "," not in value and not value.strip().lower().startswith("multipart/")
    if key == DELIVERY_HEADER or key in _ALLOWED_HEADERS:
        return True
    return key.startswith("x-") and _BLOCKED_HEADERS.fullmatch(key) is None


def _guess_content_type(body: str) -> str:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return "text/plain; charset=utf-8"
    return "application/json"
