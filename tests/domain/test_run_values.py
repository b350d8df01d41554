"""Variables of the run: `{{execution.id}}`, `{{flow.id}}`, and `{{now}}`."""

import pytest

from patchbay.domain.base import ExecutionId, FlowId, JsonObject, StepId
from patchbay.domain.errors import PayloadTooLarge
from patchbay.domain.variables import (
    MAX_REFERENCES,
    RUN,
    Reference,
    incomplete_references,
    missing,
    references,
    resolve,
    rewrite_references,
    run_values,
)

NOW = "2026-03-31T09:00:00+02:00"
OUTPUTS = {RUN: run_values(ExecutionId("e1"), FlowId("f1"), NOW)}
TOKENS = ("{{execution.id}}", "{{flow.id}}", "{{now}}")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("{{execution.id}}", "e1"),
        ("{{ execution.id }} of {{  flow.id}}", "e1 of f1"),
        ("at {{now}}.", f"at {NOW}."),
        ("{{now | json}}", f'"{NOW}"'),
        ('{{now|default "never"}}', NOW),
        ('{{flow.id | default "a" | json}}', '"f1"'),
    ],
)
def test_values_of_the_run_are_inserted(text, result):
    assert resolve({"a": [text]}, OUTPUTS) == {"a": [result]}


@pytest.mark.parametrize(
    "text",
    [
        "{{execution}}",
        "{{execution.name}}",
        "{{execution.id.x}}",
        "{{flow}}",
        "{{now.year}}",
        "{{nowhere}}",
        "{{Now}}",
        "{{now | upper}}",
        "{{name}}",
        "{now}",
        "{{.run.now}}",
        "{{step..run.now}}",
    ],
)
def test_other_text_in_braces_stays_as_it_is(text):
    assert resolve(text, OUTPUTS) == text
    assert list(references(text)) == []


def test_a_reference_writes_itself_as_it_was_read():
    text = "{{now}}{{execution.id}}" + '{{flow.id | default "a ""b""" | json}}'

    tokens = [reference.token for reference in references(text)]

    assert "".join(tokens) == text
    assert all(reference.is_run_value for reference in references(text))
    assert not Reference(step_id=StepId("now"), path=("id",)).is_run_value


def test_values_of_the_run_are_never_missing_and_never_incomplete():
    assert missing([*TOKENS], {}) == []
    assert list(incomplete_references([*TOKENS])) == []


def test_copies_of_a_flow_keep_them():
    parameters: JsonObject = {
        "a": "{{now}} {{step.s1.x}}",
        "b": ["{{flow.id}}", {"c": "{{ execution.id | json }}"}],
    }

    assert rewrite_references(parameters, {StepId("s1"): StepId("s2")}) == {
        "a": "{{now}} {{step.s2.x}}",
        "b": ["{{flow.id}}", {"c": "{{ execution.id | json }}"}],
    }


def test_they_count_towards_the_limit():
    with pytest.raises(PayloadTooLarge):
        resolve("{{now}}" * (MAX_REFERENCES + 1), OUTPUTS)
