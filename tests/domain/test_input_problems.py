"""Sentences for JSON that can't be read, and for documents of the wrong shape."""

import json

import pytest
from pydantic import ValidationError

from patchbay.domain.flows import FlowExport
from patchbay.domain.input_problems import json_problem, place_of, shape_problem

PYTHON_WORDS = ("Expecting", "Extra data", "codec", "char ", "delimiter", "Input", "instance", "FlowExport")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ('{"a": 1 "b": 2}', "a comma or a closing bracket is missing at line 1, column 9"),
        ("[1,\n 2", "a comma or a closing bracket is missing at line 2, column 3"),
        ("{a: 1}", "a key in double quotes is missing at line 1, column 2"),
        ('{"a" 1}', "a colon is missing at line 1, column 6"),
        ('{"a": }', "a value is missing at line 1, column 7"),
        ('{"a": "b', "a closing quote is missing at line 1, column 7"),
        ("{} {}", "there is text after the end of the document at line 1, column 4"),
        ('"\\q"', "a backslash isn't followed by a valid character at line 1, column 2"),
    ],
)
def test_a_text_that_is_not_json_is_explained(text, reason):
    with pytest.raises(ValueError) as caught:
        json.loads(text)

    assert json_problem(caught.value) == reason


def test_a_file_that_is_not_text_is_explained():
    with pytest.raises(UnicodeDecodeError) as caught:
        b"\x89PNG".decode()

    assert json_problem(caught.value) == "it isn't a text in UTF-8"


@pytest.mark.parametrize(
    ("document", "place", "reason"),
    [
        ("a", "the flow", "This must be an object."),
        ({"id": "x", "steps": []}, "name", "This field is required."),
        ({"id": "x", "name": "", "steps": []}, "name", "This field can't be empty."),
        ({"id": "x", "name": 3, "steps": []}, "name", "This must be text in quotes."),
        ({"id": "x", "name": "N", "steps": {}}, "steps", "This must be a list."),
        (
            {"id": "x", "name": "N", "steps": [{"id": "s", "type": "other", "position": 1}]},
            "steps → 1 → type",
            "Use one of trigger, action.",
        ),
        (
            {"id": "x", "name": "N", "steps": [{"id": "s", "type": "action", "position": "first"}]},
            "steps → 1 → position",
            "This must be a whole number.",
        ),
        (
            {
                "id": "x",
                "name": "N",
                "steps": [{"id": "s", "type": "action", "position": 1, "continueOnError": "yes"}],
            },
            "steps → 1 → continueOnError",
            "This must be true or false.",
        ),
    ],
)
def test_a_document_of_the_wrong_shape_is_explained(document, place, reason):
    with pytest.raises(ValidationError) as caught:
        FlowExport.model_validate(document)
    problem = caught.value.errors()[0]

    assert (place_of(problem, "the flow"), shape_problem(problem)) == (place, reason)
    assert not any(word in shape_problem(problem) for word in PYTHON_WORDS)
