"""Where one can go from what was made: to read it, change it, delete it."""

import re
from typing import Any

from patchbay.server.description.operations import iter_operations

_CREATED, _ACCEPTED = "201", "202"
_WITHOUT_STORED_ID = frozenset({"exportFlow"})
"""What is exported has ids of its own, which nothing is stored under."""


def add_links(spec: dict[str, Any]) -> None:
    """Link every operation that makes something with an id to those that take this id in their address."""
    operations_by_target = _operations_by_target(spec)
    for path, method, operation in iter_operations(spec):
        if method != "post" or operation["operationId"] in _WITHOUT_STORED_ID:
            continue
        for status in (_CREATED, _ACCEPTED):
            response = operation["responses"].get(status, {})
            kind = _created_model(spec, response)
            if kind and (found := operations_by_target.get((kind, _prefix(path)))):
                response["links"] = {
                    name: _link(name, parameter_name, path) for name, parameter_name in found
                }


def _operations_by_target(spec: dict[str, Any]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Operations by what their address ends at and where they are: (id, name of the parameter)."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for path, _, operation in iter_operations(spec):
        parameters = re.findall(r"\{(\w+)\}", path)
        if parameters and "security" in operation:
            parameter = parameters[-1]
            key = (_MODEL_BY_PARAMETER.get(parameter, ""), _prefix(path))
            found.setdefault(key, []).append((operation["operationId"], parameter))
    return found


_MODEL_BY_PARAMETER = {
    "flowId": "Flow", "executionId": "Accepted", "connectionId": "Connection", "folderId": "Folder",
    "templateId": "Template", "userId": "User", "keyId": "ApiKey", "retryId": "BulkRetry",
    "signInId": "SignIn",
}  # fmt: skip


def _created_model(spec: dict[str, Any], response: dict[str, Any]) -> str:
    """The name of the model in `data`."""
    schema = response.get("content", {}).get("application/json", {}).get("schema", {})
    answer = spec["components"]["schemas"].get(str(schema.get("$ref", "")).rpartition("/")[2], {})
    return str(answer.get("properties", {}).get("data", {}).get("$ref", "")).rpartition("/")[2].split("-")[0]


def _prefix(path: str) -> str:
    """Addresses with and without the version, and those of a user, lead to their own kind."""
    versioned = "v1" if "/v1/" in path else ""
    return versioned + ("/of-user" if "/users/{userId}/folders" in path else "")


def _link(operation_id: str, parameter: str, path: str) -> dict[str, Any]:
    given = {parameter: "$response.body#/data/id"}
    if "{userId}" in path and parameter != "userId":
        given["userId"] = "$request.path.userId"
    return {"operationId": operation_id, "parameters": given}
