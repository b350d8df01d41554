"""One operation at a time: its name, which key it needs, and what every operation can answer."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from fastapi.routing import APIRoute, RouteContext

from patchbay.server.access import required_scope
from patchbay.server.docs import FAILURE_CONTENT, RETRY_AFTER_HEADER

Operation = dict[str, Any]

_UNVERSIONED_SUFFIX = "WithoutVersion"
_COMMON_ERRORS = {
    400: "Malformed: an id, a number, the JSON of the body, or the request itself.",
    403: "The key may not do this, or the service does not answer to the name in the header `Host`.",
    413: "The body is larger than 1 MB.",
    431: "The request line and the headers are too long.",
    500: "A defect of the service; the answer has a number to look for in its log.",
}
_KEY_ERRORS = {
    401: "No API key, or one that is not known.",
    429: "Too many invalid keys from this address, or too many requests.",
    503: "It cannot be done right now: a disk is full, secrets cannot be opened, or nobody answers.",
}
_WRITE_ERRORS = {
    408: "The body did not arrive in time.",
    415: "The body is neither JSON nor a form.",
}
_BODY_ERRORS = {422: "Something given is not valid."}


def complete_operation(operation: Operation, route: RouteContext, method: str) -> None:
    """What the endpoint does not say itself. `route` is as FastAPI resolved it, with its prefixes."""
    if not isinstance(route.original_route, APIRoute):
        return
    operation["summary"] = _summary(str(route.name))
    operation["responses"] = _in_order(_shared_errors(operation, method) | _own_responses(operation, route))
    if "security" in operation:
        scope = required_scope(route.endpoint or route.original_route.endpoint, method)
        operation["security"] = [{scheme: [scope.value]} for scheme in operation["security"][0]]
        description = operation.get("description", "").rstrip()
        operation["description"] = f"{description}\n\nNeeds a key with the scope `{scope}`.".lstrip()
    for parameter in operation.get("parameters", ()):
        parameter["schema"] = _without_null(parameter["schema"])
        description = parameter.get("schema", {}).pop("description", "")
        parameter.setdefault("description", description)


def name(spec: dict[str, Any]) -> None:
    """Give every operation an id made of its summary, told apart by the address where two are alike."""
    found = list(iter_operations(spec))
    wanted = [_id(path, operation) for path, _, operation in found]
    occurrences = Counter(wanted)
    for (path, method, operation), operation_id in zip(found, wanted, strict=True):
        operation["operationId"] = (
            operation_id
            if occurrences[operation_id] == 1
            else f"{operation_id}By{method.capitalize()}{_pascal_case(path)}"
        )


def iter_operations(spec: dict[str, Any]) -> Iterator[tuple[str, str, Operation]]:
    """Every operation with its address and method (lower case)."""
    for path, methods in spec["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _without_null(schema: Operation) -> Operation:
    """The schema of a parameter without null, which cannot be sent in an address."""
    choices = [item for item in schema.get("anyOf", ()) if item != {"type": "null"}]
    if len(choices) == 1:
        return {**choices[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
    return schema


def _id(path: str, operation: Operation) -> str:
    first, *rest = str(operation["summary"]).split()
    words = first.lower() + "".join(word.capitalize() for word in rest)
    if "/users/{userId}/" in path:
        words += "OfUser"
    versioned = "security" not in operation or "/v1/" in path
    return words if versioned else words + _UNVERSIONED_SUFFIX


def _pascal_case(path: str) -> str:
    parts = path.replace("{", "").replace("}", "").replace("-", "/").split("/")
    return "".join(part[:1].upper() + part[1:] for part in parts)


def _summary(function: str) -> str:
    return function.replace("_", " ").capitalize()


def _own_responses(operation: Operation, route: RouteContext) -> Operation:
    """What the endpoint declares; FastAPI adds a guess at JSON to those that declare something else."""
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
    """The failures that come from what the operation takes, not from what it does."""
    wanted = dict(_COMMON_ERRORS)
    if "security" in operation:
        wanted |= _KEY_ERRORS
    if method in ("POST", "PUT", "PATCH"):
        wanted |= _WRITE_ERRORS
    if "requestBody" in operation:
        wanted |= _BODY_ERRORS
    names = {parameter["name"] for parameter in operation.get("parameters", ())}
    if "cursor" in names:
        wanted[422] = "The cursor is not one of this list."
    if any(parameter["in"] == "path" for parameter in operation.get("parameters", ())):
        wanted[404] = "There is nothing at this address."
    return {str(status): failure_response(words, status) for status, words in wanted.items()}


def failure_response(words: str, status: int) -> Operation:
    """A failure as a response of the description."""
    answer: Operation = {"description": words, "content": FAILURE_CONTENT}
    return answer | {"headers": RETRY_AFTER_HEADER} if status in (429, 503) else answer


def _in_order(responses: Operation) -> Operation:
    return dict(sorted(responses.items()))
