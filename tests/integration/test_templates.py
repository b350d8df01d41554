"""Templates of requests: what placeholders become, and what they refuse."""

import pytest

from patchbay.domain.base import JsonObject
from patchbay.domain.errors import ValidationFailed
from patchbay.integration.templates import fill, fill_path, fill_text, find_value, require_value

VALUES: JsonObject = {
    "title": "A {b}",
    "empty": "",
    "count": "3",
    "isPrivate": "false",
    "labels": "red, green,",
    "rows": [{"id": "1"}, {"id": ""}, {"id": "2"}],
    "fields": '{"a": 1}',
    "zero": 0,
    "auth": {"userId": "u/1"},
    "owner": {"login": "ada"},
}


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{title}", "A {b}"),
        ("{owner}", {"login": "ada"}),
        ("{empty|title}", "A {b}"),
        ("{owner.login}/{title}", "ada/A {b}"),
        ("{count:number}", 3),
        ("{isPrivate:bool}", False),
        ("{labels:list}", ["red", "green"]),
        ("{rows[].id}", ["1", "2"]),
        ("{fields:json}", {"a": 1}),
        (
            {"issue": {"title": "{empty}", "x": "{missing}"}, "zero": "{zero}", "fixed": ""},
            {"zero": 0, "fixed": ""},
        ),
        (["{empty}", "{count}"], ["3"]),
        ("no placeholder", "no placeholder"),
    ],
)
def test_a_template_is_filled(template, filled):
    assert fill(template, VALUES) == filled


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ("/users/{auth.userId}", "/users/u%2F1"),
        ("/repos/{auth.userId:path}/x", "/repos/u/1/x"),
        ("/values/{title}:append", "/values/A%20%7Bb%7D:append"),
    ],
)
def test_values_in_a_path_are_escaped(template, path):
    assert fill_path(template, VALUES) == path


@pytest.mark.parametrize("value", ["", "..", "a/../b", None])
def test_a_value_that_would_lead_elsewhere_is_rejected(value):
    with pytest.raises(ValidationFailed):
        fill_path("/items/{id:path}", {"id": value})


@pytest.mark.parametrize(("template", "value"), [("{title:number}", "3x"), ("{title:json}", "{")])
def test_a_value_of_the_wrong_kind_is_rejected(template, value):
    with pytest.raises(ValidationFailed):
        fill(template, {"title": value})


def test_values_are_found_by_path():
    document = {"groups": [{"rows": [{"id": 1}]}, {"rows": [{"id": 2}]}]}

    assert find_value(document, "groups[].rows") == [{"id": 1}, {"id": 2}]
    assert find_value(document, "groups.1.rows.0.id") == 2
    assert find_value(document, "groups.7.rows") is None
    assert require_value({"results": []}, "results.0") is None
    assert fill_text("{groups[].rows}", {}) == ""
    with pytest.raises(KeyError, match="data"):
        require_value(document, "data.id")
