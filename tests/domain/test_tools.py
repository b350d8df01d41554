"""Tools: what a trigger says about one, and which arguments match its schema."""

import json
from typing import Any

import pytest

from patchbay.domain.base import FlowId
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.tools import (
    MAX_DESCRIPTION_LENGTH,
    MAX_SCHEMA_LENGTH,
    check_arguments,
    read_schema,
    read_tool,
    sample_arguments,
)

FLOW = FlowId("f1")
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "limit": {"type": ["number", "null"]},
        "unit": {"enum": ["C", "F"]},
        "list": {"type": "array"},
        "any": True,
    },
    "required": ["city"],
    "additionalProperties": False,
}


def tool(**changes):
    return read_tool(FLOW, {"toolName": "weather", "toolDescription": "Weather.", **changes})


def problems_of(schema, arguments):
    """What is wrong with the arguments; empty if nothing is."""
    try:
        check_arguments(schema, arguments)
    except ValidationFailed as error:
        return error.by_field["arguments"]
    return []


def test_a_tool_is_read_from_the_parameters_of_its_trigger():
    found = tool(inputSchema=json.dumps(SCHEMA))

    assert (found.flow_id, found.name, found.description, found.problem) == (FLOW, "weather", "Weather.", "")
    assert found.input_schema == SCHEMA


def test_names_become_what_every_client_accepts():
    assert tool(toolName=" Get the weather! ").name == "Get_the_weather"
    assert tool(toolName="a-b_c").name == "a-b_c"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"toolName": " "}, "has no name"),
        ({"toolName": "天気"}, "has no name"),
        ({"toolName": "x" * 65}, "more than 64 characters"),
        ({"toolDescription": "x" * (MAX_DESCRIPTION_LENGTH + 1)}, "more than 4,000 characters"),
        ({"inputSchema": "{"}, "isn't valid JSON"),
        ({"inputSchema": "[" * 100_000}, "more than 64,000 characters"),
        ({"inputSchema": "[" * 50_000}, "isn't valid JSON"),
        ({"inputSchema": "[1]"}, "doesn't describe an object"),
        ({"inputSchema": '{"type": "array"}'}, "doesn't describe an object"),
        ({"inputSchema": '{"properties": []}'}, "isn't an object of schemas"),
        ({"inputSchema": '{"properties": {"a": 1}}'}, "isn't an object of schemas"),
        ({"inputSchema": '{"required": "a"}'}, "isn't a list of names"),
        ({"inputSchema": json.dumps({"enum": list(range(6000))})}, "isn't valid JSON"),
    ],
)
def test_what_is_wrong_with_a_tool_is_said(changes, problem):
    found = tool(**changes)

    assert problem in found.problem
    assert len(found.name) <= 64
    assert len(found.description) <= MAX_DESCRIPTION_LENGTH
    assert len(json.dumps(found.input_schema)) < MAX_SCHEMA_LENGTH


@pytest.mark.parametrize("value", [None, "", " ", "{}", {}])
def test_without_a_schema_a_tool_has_no_arguments(value):
    assert read_schema(value) == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    "arguments",
    [
        {"city": "Vienna"},
        {"city": "", "days": 3, "limit": None, "unit": "C", "list": [1], "any": {"a": 1}},
        {"city": "Vienna", "days": 3.0, "limit": 1},
    ],
)
def test_arguments_that_match(arguments):
    assert problems_of(SCHEMA, arguments) == []


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "“city” is missing."),
        ({"city": 1}, "“city” must be of type string."),
        ({"city": "a", "days": 1.5}, "“days” must be of type integer."),
        ({"city": "a", "days": True}, "“days” must be of type integer."),
        ({"city": "a", "limit": "1"}, "“limit” must be of type number or null."),
        ({"city": "a", "unit": "K"}, '“unit” must be one of ["C", "F"].'),
        ({"city": "a", "list": {}}, "“list” must be of type array."),
        ({"city": "a", "more": 1}, "“more” is unknown."),
    ],
)
def test_arguments_that_do_not_match(arguments, problem):
    assert problems_of(SCHEMA, arguments) == [problem]


@pytest.mark.parametrize(
    "schema", [{}, {"properties": 1, "required": 2}, {"properties": {"a": {"type": {}}}}]
)
def test_schemas_of_any_shape_raise_nothing_else(schema):
    assert problems_of(schema, {"a": 1}) == []
    assert sample_arguments(schema) in ({}, {"a": None})


def test_sample_arguments_match_the_schema():
    more = {
        "size": {"type": "number", "default": 7},
        "tags": {"examples": [["a"]]},
        "on": {"type": "boolean"},
    }
    schema = {**SCHEMA, "properties": {**SCHEMA["properties"], **more}}

    found = sample_arguments(schema)

    assert problems_of(schema, found) == []
    assert (found["size"], found["tags"], found["unit"]) == (7, ["a"], "C")
