"""The schemas of the OpenAPI document: examples, field descriptions, exact types, and readable names."""

import ast
import inspect
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from patchbay.domain.base import Model
from patchbay.server.openapi_operations import iter_operations
from patchbay.server.responses import meta_type

_FLOW = "7b1c6c52-8d0f-4d0a-9f5a-0c7d1a7a2f11"
_FOLDER = "0d2f3c8e-5b7e-4a41-9d0e-6f1b2a3c4d5e"
_USER = "c1f0a5d2-3e4b-4c6d-8e9f-a0b1c2d3e4f5"
_EDITOR = "a0000000-0000-4000-8000-000000000002"
_STEP = "3f9e1d7c-2b4a-4e6f-8a1b-5c7d9e0f1a2b"

_FLOW_FILE: dict[str, Any] = {
    "id": _FLOW,
    "name": "Orders to the ledger",
    "steps": [
        {"id": _STEP, "type": "trigger", "position": 1, "appKey": "webhook", "key": "catchRawWebhook"},
        {
            "id": _FOLDER,
            "type": "action",
            "position": 2,
            "appKey": "formatter",
            "key": "text",
            "parameters": {"input": f"{{{{step.{_STEP}.name}}}}"},
        },
    ],
}

BODY_EXAMPLES: dict[str, Any] = {
    "CameBack": {"address": "http://127.0.0.1:8787/oauth/callback?state=dK3…&code=4/0A…"},
    "ConnectionName": {"screenName": "Support desk"},
    "ConnectionValues": {"formattedData": {"apiKey": "…"}},
    "DynamicData": {"dynamicDataKey": "listProjects", "parameters": {}},
    "DynamicFields": {"dynamicFieldsKey": "listColumns", "parameters": {"table": "orders"}},
    "EngineEdit": {
        "maxConcurrent": 10,
        "maxRunsPerRoot": 10000,
        "maxRetryAfter": 900,
        "retention": {"successDays": 30, "failureDays": 365, "most": 500000},
    },
    "FailedExecutions": {"flowId": _FLOW, "startDateTime": 1767225600000, "note": "429"},
    "FinishSignIn": {"acceptOtherAccount": False},
    "FlowEdit": {"name": "Orders to the ledger", "executionInterval": 5},
    "FlowFile": _FLOW_FILE,
    "FlowFiles": {"flows": [_FLOW_FILE], "useAccounts": True, "copy": False},
    "FlowIds": {"flowIds": [_FLOW]},
    "FlowMove": {"folderId": _FOLDER},
    "FlowRun": {"item": {"order": 1001}},
    "FlowSettingsEdit": {"maxConcurrent": 1, "pauseAfter": 20, "missed": "once", "timeZone": "Europe/Vienna"},
    "FlowSwitch": {"active": True},
    "ScheduleFields": {
        "appKey": "scheduler",
        "key": "atTimes",
        "parameters": {"times": "09:00", "days": "1-5"},
    },
    "MoveSecrets": {"to": "items"},
    "Named": {"name": "Orders"},
    "NewConnection": {"key": "todoist", "formattedData": {"screenName": "Ada", "apiToken": "…"}},
    "NewCredentials": {"formattedData": {"apiToken": "…"}, "acceptOtherAccount": False},
    "NewFlow": {"userId": _USER, "name": "Orders to the ledger", "folderId": _FOLDER},
    "NewInvitation": {"fullName": "Ada Lovelace", "email": "ada@example.org", "roleId": _EDITOR},
    "NewKey": {"name": "Reports", "scope": "read"},
    "NewRateLimit": {"rateLimit": {"calls": 60, "seconds": 60}},
    "NewStep": {"previousStepId": _STEP},
    "NewTemplate": {"name": "Orders to the ledger", "flowId": _FLOW},
    "NewUser": {"fullName": "Ada Lovelace", "email": "ada@example.org", "roleId": _EDITOR},
    "Replay": {"item": {"order": 1001}, "on": "newest"},
    "ServiceEdit": {"publicAddress": "https://flows.example.org"},
    "StepEdit": {"appKey": "formatter", "key": "text", "parameters": {"transform": "capitalize"}},
    "StepPosition": {"position": 3},
    "ToolCall": {"arguments": {"number": "1001"}},
    "UserEdit": {"fullName": "Ada King"},
    "WhichAddress": {"address": "https://flows.example.org"},
}

Schema = dict[str, Any]
_REF = "#/components/schemas/"


def refine_schemas(spec: dict[str, Any]) -> None:
    """Add descriptions, exact `meta` types, and examples to the document's schemas."""
    components: dict[str, Schema] = spec["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        components.pop(unused, None)
    # Every model by its name, except names that two models share.
    found: dict[str, list[type[Model]]] = {}
    for subclass in _subclasses(Model):
        found.setdefault(subclass.__name__, []).append(subclass)
    models = {name: same_named[0] for name, same_named in found.items() if len(same_named) == 1}

    for key, schema in components.items():
        if (model := models.get(str(schema.get("title") or key))) is not None:
            _describe_fields(schema, model)
        _refine_meta(schema, models)
        if key in BODY_EXAMPLES:
            schema["examples"] = [BODY_EXAMPLES[key]]
    for schema in _walk(spec):
        if isinstance(schema.get("title"), str) and (
            "type" in schema or "anyOf" in schema or "$ref" in schema
        ):
            del schema["title"]  # repeats the field's name


def _subclasses(model: type[Model]) -> Iterator[type[Model]]:
    for child in model.__subclasses__():
        yield child
        yield from _subclasses(child)


def _describe_fields(schema: Schema, model: type[Model]) -> None:
    """Copy the docstrings of the model's fields into the schema."""
    description: dict[str, str] = {}
    for part in reversed(model.__mro__):
        if issubclass(part, Model) and part is not Model:
            description |= _docstrings(part)
    for field_name, field in model.model_fields.items():
        described = schema.get("properties", {}).get(field.serialization_alias or field.alias or field_name)
        if described is not None and field_name in description:
            described.setdefault("description", description[field_name])


def _docstrings(model: type[Model]) -> dict[str, str]:
    """Docstrings by field; empty where the program was installed without its source."""
    try:
        source = textwrap.dedent(inspect.getsource(model))
    except (OSError, TypeError):
        return {}
    body = ast.parse(source).body[0]
    assert isinstance(body, ast.ClassDef), model
    found: dict[str, str] = {}
    for field, docstring in zip(body.body, body.body[1:], strict=False):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if isinstance(docstring, ast.Expr) and isinstance(docstring.value, ast.Constant):
            found[sys.intern(field.target.id)] = " ".join(str(docstring.value.value).split())
    return found


def _refine_meta(schema: Schema, models: dict[str, type[Model]]) -> None:
    """Restrict `meta` to the values it has beside this kind of `data`."""
    properties: Schema = schema.get("properties", {})
    data, meta = properties.get("data"), properties.get("meta")
    if data is None or meta is None or "$ref" not in meta:
        return
    is_list = data.get("type") == "array"
    kind = str((data["items"] if is_list else data).get("$ref", "")).removeprefix(_REF)
    name = meta_type(models.get(kind.split("-")[0], object))
    names = sorted({name, "Object"}) if is_list else [name]
    exact = {"type": {"type": "string", "enum": names}, "isArray": {"type": "boolean", "const": is_list}}
    properties["meta"] = {"allOf": [{"$ref": meta["$ref"]}, {"type": "object", "properties": exact}]}


def _walk(value: Any) -> Iterator[Schema]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _walk(item)
    elif isinstance(value, list):
        for item in value:
            yield from _walk(item)


_GENERIC = re.compile(r"^(One|Many|Paged)_(\w+?)_(-Input|-Output)?$")


def share_failures(spec: dict[str, Any]) -> None:
    """Move error responses that several operations share to the components."""
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
    """The document with `OneFlow` in place of `One_Flow_`."""
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
