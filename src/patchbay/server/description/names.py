"""What is told often is told once, under a name that can be read."""

import re
from collections import defaultdict
from typing import Any

from patchbay.server.description.operations import iter_operations

_GENERIC = re.compile(r"^(One|Many|Paged)_(\w+?)_(-Input|-Output)?$")


def share_failures(spec: dict[str, Any]) -> None:
    """Keep failures that operations share among the components."""
    uses: dict[str, list[tuple[dict[str, Any], str]]] = defaultdict(list)
    for _, _, operation in iter_operations(spec):
        for status, response in operation["responses"].items():
            if status.isdigit() and status >= "400":
                uses[f"{status} {response['description']}"].append((operation["responses"], status))
    shared: dict[str, Any] = spec["components"].setdefault("responses", {})
    for places in uses.values():
        responses, status = places[0]
        if len(places) == 1:
            continue
        key, number = f"Failure{status}", 1
        while key in shared:
            key, number = f"Failure{status}_{number + 1}", number + 1
        shared[key] = responses[status]
        for where, code in places:
            where[code] = {"$ref": f"#/components/responses/{key}"}


def with_readable_names(spec: dict[str, Any]) -> dict[str, Any]:
    """The document with `OneFlow` in the place of `One_Flow_`."""
    schemas = spec["components"]["schemas"]
    names = {
        key: "".join(part or "" for part in found.groups())
        for key in schemas
        if (found := _GENERIC.match(key))
    }
    spec["components"]["schemas"] = {names.get(key, key): schema for key, schema in sorted(schemas.items())}
    renamed: dict[str, Any] = _renamed(
        spec, {f"#/components/schemas/{old}": new for old, new in names.items()}
    )
    return renamed


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            key: _reference(item, names) if key == "$ref" else _renamed(item, names)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    return value


def _reference(address: str, names: dict[str, str]) -> str:
    return f"#/components/schemas/{names[address]}" if address in names else address
