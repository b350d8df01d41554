"""The schemas of the description: what fields mean, and the exact form of answers."""

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

from patchbay.domain.base import Model
from patchbay.server.description.examples import BODY_EXAMPLES
from patchbay.server.envelope import meta_type

Schema = dict[str, Any]
_REF = "#/components/schemas/"


def refine_schemas(spec: dict[str, Any]) -> None:
    """Make the components of the document exact and readable."""
    components: dict[str, Schema] = spec["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        components.pop(unused, None)
    models = _models()
    for key, schema in components.items():
        if (model := models.get(_class_name(key, schema))) is not None:
            _describe_fields(schema, model)
        _refine_meta(schema, models)
        if key in BODY_EXAMPLES:
            schema["examples"] = [BODY_EXAMPLES[key]]
    for schema in _walk(spec):
        if isinstance(schema.get("title"), str) and (
            "type" in schema or "anyOf" in schema or "$ref" in schema
        ):
            del schema["title"]  # the name of the field once more


def _class_name(key: str, schema: Schema) -> str:
    return str(schema.get("title") or key)


def _models() -> dict[str, type[Model]]:
    """Every model by name; a name that two share explains neither."""
    found: dict[str, list[type[Model]]] = {}
    for model in _subclasses(Model):
        found.setdefault(model.__name__, []).append(model)
    return {name: models[0] for name, models in found.items() if len(models) == 1}


def _subclasses(model: type[Model]) -> Iterator[type[Model]]:
    for child in model.__subclasses__():
        yield child
        yield from _subclasses(child)


def _describe_fields(schema: Schema, model: type[Model]) -> None:
    """The sentences below a field in the code, beside it in the description."""
    description: dict[str, str] = {}
    for part in reversed(model.__mro__):
        if issubclass(part, Model) and part is not Model:
            description |= _docstrings(part)
    for field_name, field in model.model_fields.items():
        described = schema.get("properties", {}).get(field.serialization_alias or field.alias or field_name)
        if described is not None and field_name in description:
            described.setdefault("description", description[field_name])


def _docstrings(model: type[Model]) -> dict[str, str]:
    """Sentences by field; none where the program came without its source."""
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
    """The `meta` of an answer, as it is beside this kind of `data`."""
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
