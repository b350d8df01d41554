"""The operations of the OpenAPI document: names, scopes, shared errors, webhooks, and links."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from fastapi.routing import APIRoute, RouteContext
from starlette.routing import BaseRoute

from patchbay.server import webhooks
from patchbay.server.authentication import required_scope
from patchbay.server.responses import FAILURE_CONTENT, RETRY_AFTER_HEADER

Operation = dict[str, Any]

_UNVERSIONED_SUFFIX = "WithoutVersion"
_COMMON_ERRORS = {
    400: "Malformed ID, number, JSON body, or request.",
    403: "The API key doesn't allow this, or the server doesn't accept the name in the header `Host`.",
    413: "The body exceeds 1 MB.",
    431: "The request line and the headers are too long.",
    500: "Bug in the server. The response has a request ID for the server's log.",
}
_KEY_ERRORS = {
    401: "Missing or invalid API key.",
    429: "Too many invalid keys from this address, or too many requests.",
    503: "Temporarily unavailable: the disk is full, secrets are locked, or a third party can't be reached.",
}
_WRITE_ERRORS = {
    408: "The body didn't arrive in time.",
    415: "The body is neither JSON nor a form.",
}
_BODY_ERRORS = {422: "Validation failed."}


def complete_operation(operation: Operation, route: RouteContext, method: str) -> None:
    """Add what the endpoint doesn't declare. `route` is as FastAPI resolved it, with its prefixes."""
    if not isinstance(route.original_route, APIRoute):
        return
    operation["summary"] = str(route.name).replace("_", " ").capitalize()
    operation["responses"] = dict(
        sorted((_shared_errors(operation, method) | _own_responses(operation, route)).items())
    )
    if "security" in operation:
        scope = required_scope(route.endpoint or route.original_route.endpoint, method)
        operation["security"] = [{scheme: [scope.value]} for scheme in operation["security"][0]]
        description = operation.get("description", "").rstrip()
        operation["description"] = f"{description}\n\nNeeds an API key with the scope `{scope}`.".lstrip()
    for parameter in operation.get("parameters", ()):
        schema = parameter["schema"]
        choices = [item for item in schema.get("anyOf", ()) if item != {"type": "null"}]
        if len(choices) == 1:  # a URL can't contain null
            schema = {**choices[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
        parameter["schema"] = schema
        description = schema.pop("description", "")
        parameter.setdefault("description", description)


def name(spec: dict[str, Any]) -> None:
    """Give every operation an ID built from its summary, and from its path where two are alike."""
    found = list(iter_operations(spec))
    wanted = [_id(path, operation) for path, _, operation in found]
    occurrences = Counter(wanted)
    for (path, method, operation), operation_id in zip(found, wanted, strict=True):
        suffix = ""
        if occurrences[operation_id] > 1:
            parts = path.replace("{", "").replace("}", "").replace("-", "/").split("/")
            suffix = f"By{method.capitalize()}" + "".join(part[:1].upper() + part[1:] for part in parts)
        operation["operationId"] = operation_id + suffix


def iter_operations(spec: dict[str, Any]) -> Iterator[tuple[str, str, Operation]]:
    """All operations as (path, lower-case method, operation)."""
    for path, methods in spec["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _id(path: str, operation: Operation) -> str:
    first, *rest = str(operation["summary"]).split()
    words = first.lower() + "".join(word.capitalize() for word in rest)
    if "/users/{userId}/" in path:
        words += "OfUser"
    versioned = "security" not in operation or "/v1/" in path
    return words if versioned else words + _UNVERSIONED_SUFFIX


def _own_responses(operation: Operation, route: RouteContext) -> Operation:
    """The responses the endpoint declares, without the JSON content FastAPI adds to other media types."""
    if not route.responses:
        return {status: {"description": "Done."} for status in operation["responses"] if status < "300"}
    found: Operation = {}
    for status, declared in route.responses.items():
        made = operation["responses"][str(status)]
        if "model" not in declared:
            made.pop("content", None)
            made |= {"content": declared["content"]} if "content" in declared else {}
        found[str(status)] = made
    return found


def _shared_errors(operation: Operation, method: str) -> Operation:
    """The errors that follow from the operation's method, parameters, and body."""
    wanted = dict(_COMMON_ERRORS)
    if "security" in operation:
        wanted |= _KEY_ERRORS
    if method in ("POST", "PUT", "PATCH"):
        wanted |= _WRITE_ERRORS
    if "requestBody" in operation:
        wanted |= _BODY_ERRORS
    names = {parameter["name"] for parameter in operation.get("parameters", ())}
    if "cursor" in names:
        wanted[422] = "The cursor belongs to another list."
    if any(parameter["in"] == "path" for parameter in operation.get("parameters", ())):
        wanted[404] = "Not found."
    return {str(status): failure_response(words, status) for status, words in wanted.items()}


def failure_response(words: str, status: int) -> Operation:
    """An error response of the document."""
    response: Operation = {"description": words, "content": FAILURE_CONTENT}
    return response | {"headers": RETRY_AFTER_HEADER} if status in (429, 503) else response


# Webhooks: plain routes, which FastAPI doesn't describe

_ID = {"name": "flowId", "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}}
_BODY = {
    "description": "Anything. JSON, forms, and text are parsed; other bodies are passed on as files.",
    "content": {"application/json": {"schema": {}}, "text/plain": {"schema": {"type": "string"}}},
}
_WEBHOOKS = {
    "": ("Start flow", "Start a published flow. Responds as soon as the event is stored."),
    "/sync": ("Start flow and wait", "Start a published flow and wait for its response."),
    "/test": ("Show event", "Show the event in the editor, without running the flow."),
}
_ERROR_DESCRIPTIONS = {
    400: "Malformed ID, or a body that doesn't match its content type.",
    404: "No such flow.",
    408: "The body didn't arrive in time.",
    409: "The flow's trigger isn't a webhook.",
    413: "The body exceeds 1 MB, or 10 MB for a form with files.",
    415: "The body is compressed, or its character set or content type isn't supported.",
    422: "The signature is invalid, or a filter ended the run whose response was awaited.",
    429: "Too many queued events.",
    500: "Bug in the server. The response has a request ID for the server's log.",
    503: "The engine is starting or stopping; the event wasn't stored.",
}
_DELIVERY_HEADERS = {
    "x-patchbay-delivery": {
        "description": "The outcome if no run was started right away: duplicate, test, or queued.",
        "schema": {"type": "string"},
    }
}


def add_webhooks(spec: dict[str, Any], routes: Iterable[BaseRoute]) -> None:
    """Add the webhooks if the app serves them: they can be on a separate port."""
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
    responses["204"] = {"description": "The event was stored and will run.", "headers": _DELIVERY_HEADERS}
    if suffix != "/test":
        responses["200"] = {
            "description": "The flow's response, or the earlier response to the same delivery."
        }
    if suffix == "/sync":
        responses["502"] = failure_response("A step of the flow failed.", 502)
        responses["504"] = failure_response("The flow didn't respond in time; it continues.", 504)
        responses["default"] = {"description": "The flow's response, with any status and body."}
    if method != "GET":
        operation["requestBody"] = _BODY
    return operation


# Links from created resources to the operations on them

_CREATED, _ACCEPTED = "201", "202"
_WITHOUT_STORED_ID = frozenset({"exportFlow"})
"""An export has new IDs, under which nothing is stored."""


def add_links(spec: dict[str, Any]) -> None:
    """Link every operation that creates a resource to the operations on that resource."""
    operations_by_target = _operations_by_target(spec)
    for path, method, operation in iter_operations(spec):
        if method != "post" or operation["operationId"] in _WITHOUT_STORED_ID:
            continue
        for status in (_CREATED, _ACCEPTED):
            response = operation["responses"].get(status, {})
            # The name of the model in `data`.
            schema = response.get("content", {}).get("application/json", {}).get("schema", {})
            model = spec["components"]["schemas"].get(str(schema.get("$ref", "")).rpartition("/")[2], {})
            reference = str(model.get("properties", {}).get("data", {}).get("$ref", ""))
            kind = reference.rpartition("/")[2].split("-")[0]
            if kind and (found := operations_by_target.get((kind, _prefix(path)))):
                response["links"] = {
                    name: _link(name, parameter_name, path) for name, parameter_name in found
                }


def _operations_by_target(spec: dict[str, Any]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """(Operation ID, parameter name) of each operation, by its last path parameter's model and its prefix."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for path, _, operation in iter_operations(spec):
        parameters = re.findall(r"\{(\w+)\}", path)
        if parameters and "security" in operation:
            parameter = parameters[-1]
            key = (_MODEL_BY_PARAMETER.get(parameter, ""), _prefix(path))
            found.setdefault(key, []).append((operation["operationId"], parameter))
    return found


_MODEL_BY_PARAMETER = {
    "flowId": "Flow",
    "executionId": "Accepted",
    "connectionId": "Connection",
    "folderId": "Folder",
    "templateId": "Template",
    "userId": "User",
    "keyId": "ApiKey",
    "retryId": "BulkRetry",
    "signInId": "SignIn",
}


def _prefix(path: str) -> str:
    """The kind of path: links stay within the versioned, unversioned, or per-user paths."""
    versioned = "v1" if "/v1/" in path else ""
    return versioned + ("/of-user" if "/users/{userId}/folders" in path else "")


def _link(operation_id: str, parameter: str, path: str) -> dict[str, Any]:
    given = {parameter: "$response.body#/data/id"}
    if "{userId}" in path and parameter != "userId":
        given["userId"] = "$request.path.userId"
    return {"operationId": operation_id, "parameters": given}
