"""Addresses that are no operations of the interface: webhooks, plain routes that are told here by hand.

Left out are pages that browsers are sent to, since no program calls them: where a sign-in comes back, where
an invitation is accepted, the page that shows this description, and the document itself.
"""

from collections.abc import Iterable
from typing import Any

from starlette.routing import BaseRoute

from patchbay.server import webhooks
from patchbay.server.description.operations import failure_response

_ID = {"name": "flowId", "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}}
_BODY = {
    "description": "Anything. JSON, forms and text are read; other bodies are handed on as files.",
    "content": {"application/json": {"schema": {}}, "text/plain": {"schema": {"type": "string"}}},
}
_WEBHOOKS = {
    "": ("Start flow", "Start a published flow; answers as soon as the event is stored."),
    "/sync": ("Start flow and wait", "Start a published flow and wait for its own answer."),
    "/test": ("Show event", "Show the person who builds the flow what arrives; nothing runs."),
}
_ERROR_DESCRIPTIONS = {
    400: "Malformed: the id, or a body that is not what its content type says.",
    404: "There is no such flow.",
    408: "The body did not arrive in time.",
    409: "The flow is not started by a webhook.",
    413: "The body is larger than 1 MB, or 10 MB for a form with files.",
    415: "The body is compressed, or its character set or content type isn't supported.",
    422: "The signature is not right, or a filter ended the run whose answer was waited for.",
    429: "Too many events wait to be run.",
    500: "A defect of the service; the answer has a number to look for in its log.",
    503: "The engine starts or stops; nothing was stored.",
}
_DELIVERY_HEADERS = {
    "x-patchbay-delivery": {
        "description": "What became of a call that started nothing at once: duplicate, test, queued.",
        "schema": {"type": "string"},
    }
}


def add_webhooks(spec: dict[str, Any], routes: Iterable[BaseRoute]) -> None:
    """Describe the webhooks if the app really has them: they can be on a port of their own."""
    paths = {getattr(route, "path", None) for route in routes}
    for suffix, (summary, words) in _WEBHOOKS.items():
        path = f"{webhooks.WEBHOOK_PREFIX}flows/{{flowId}}{suffix}"
        if path in paths:
            spec["paths"][path] = {
                method.lower(): _webhook(method, summary, words, suffix) for method in webhooks.METHODS
            }


def _webhook(method: str, summary: str, words: str, suffix: str) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "tags": ["webhooks"],
        "summary": summary if method == "POST" else f"{summary} by {method.lower()}",
        "description": words,
        "parameters": [_ID],
        "responses": {
            str(status): failure_response(description, status)
            for status, description in _ERROR_DESCRIPTIONS.items()
        },
    }
    responses = operation["responses"]
    responses["204"] = {"description": "Stored; it runs soon.", "headers": _DELIVERY_HEADERS}
    if suffix != "/test":
        responses["200"] = {
            "description": "What the flow answers, or an earlier answer to the same delivery."
        }
    if suffix == "/sync":
        responses["502"] = failure_response("A step of the flow failed.", 502)
        responses["504"] = failure_response("The flow did not answer in time; it goes on.", 504)
        responses["default"] = {"description": "Whatever status and body the flow answers with."}
    if method != "GET":
        operation["requestBody"] = _BODY
    return operation
