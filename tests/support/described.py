"""Compares answers with the description of the interface: status, content type, every field of the body."""

import re
from functools import cache
from types import SimpleNamespace
from typing import Any

import httpx
import jsonschema_rs

from patchbay.server.app import create_app
from patchbay.server.openapi import describe

NOT_DESCRIBED = frozenset({405})
"""What an address says to methods it does not have cannot be said of any method it has."""


async def as_described(response: httpx.Response) -> None:
    """For `event_hooks`: fails when an operation answers with what its description does not have."""
    if (found := _operation(response.request)) is None or response.status_code in NOT_DESCRIBED:
        return
    told = f"{response.request.method} {response.request.url.path} → {response.status_code}"
    answers = found["responses"]
    answer = answers.get(str(response.status_code), answers.get("default"))
    assert answer is not None, f"{told}: only {sorted(answers)} are described"
    content = _resolved(answer).get("content", {})
    kind = response.headers.get("content-type", "").partition(";")[0]
    if not content or not kind:
        return
    assert kind in content, f"{told}: came as {kind!r}, described are {sorted(content)}"
    if kind == "application/json":
        await response.aread()
        _check(told, content[kind]["schema"], response.json())


@cache
def description() -> dict[str, Any]:
    """The description of a service that has everything."""
    nobody: Any = SimpleNamespace()
    app = create_app(nobody, nobody, nobody, version="1", callbacks=nobody, accept_invitations=nobody)
    return describe(app)


@cache
def _patterns() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    """Addresses that are written out come before those with placeholders, as in the service."""
    paths = sorted(description()["paths"].items(), key=lambda item: "{" in item[0])
    return [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + "$"), methods) for path, methods in paths]


def _operation(request: httpx.Request) -> dict[str, Any] | None:
    for pattern, methods in _patterns():
        if pattern.match(request.url.path):
            return methods.get(request.method.lower())
    return None


def _resolved(answer: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in answer:
        return answer
    return description()["components"]["responses"][answer["$ref"].rpartition("/")[2]]


def _check(told: str, schema: dict[str, Any], body: Any) -> None:
    problems = [
        f"{'/'.join(map(str, error.instance_path))}: {error.message}" for error in _errors(schema, body)
    ]
    assert not problems, f"{told}: {problems[:3]}"


def _errors(schema: dict[str, Any], body: Any) -> Any:
    return _validator(schema["$ref"]).iter_errors(body) if "$ref" in schema else ()


@cache
def _validator(reference: str) -> Any:
    return jsonschema_rs.validator_for(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": reference,
            "components": _closed(),
        },
        validate_formats=True,
    )


@cache
def _closed() -> dict[str, Any]:
    """The components with every object closed: a field that is sent and not described is found."""
    schemas = description()["components"]["schemas"]
    return {"schemas": {name: _without_more(schema) for name, schema in schemas.items()}}


def _without_more(schema: dict[str, Any]) -> dict[str, Any]:
    if schema.get("type") == "object" and "properties" in schema and "additionalProperties" not in schema:
        return {**schema, "additionalProperties": False}
    return schema
