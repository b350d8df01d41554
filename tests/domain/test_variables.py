"""The `{{step.…}}` grammar."""

import gc
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchbay.domain.base import StepId
from patchbay.domain.variables import (
    Reference,
    as_json,
    as_text,
    look_up,
    missing,
    references,
    resolve,
    rewrite_references,
    split,
)

OUTPUTS: dict[StepId, Any] = {
    StepId("s1"): {
        "title": "Crash",
        "number": 482,
        "flag": False,
        "none": None,
        "user": {"login": "anna"},
        "labels": ["bug", {"name": "ui"}],
        "a.b": "dotted",
        "big": {"x": 1},
        'say "hi"': "quoted",
        "a|b": "barred",
        "a | json": "odd",
        "": "unnamed",
        "empty": "",
        "quote": 'a "b"\n',
    }
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("{{step.s1.title}}", "Crash"),
        ("#{{step.s1.number}} by {{step.s1.user.login}}", "#482 by anna"),
        ("{{step.s1.labels.0}}", "bug"),
        ("{{step.s1.labels.1.name}}", "ui"),
        ('{{step.s1."a.b"}}', "dotted"),
        ("{{step.s1.number}}", "482"),
        ("x{{step.s1.flag}}", "xfalse"),
        ("x{{step.s1.none}}y", "xy"),
        ("{{step.s1.gone}}", ""),
        ("{{step.other.title}}", ""),
        ("{{step.s1.big}}", {"x": 1}),
        ("as {{step.s1.big}}", 'as {"x":1}'),
        ("{{ step.s1.title }}", "Crash"),
        ("{{not a reference}}", "{{not a reference}}"),
        ("{{step.s1.labels.-1.name}}", "ui"),
        ("{{step.s1.labels.-3}}", ""),
        ("{{step.s1.labels." + "9" * 5000 + "}}", ""),
        ('{{step.s1."say ""hi"""}}', "quoted"),
        ('{{step.s1.""}}', "unnamed"),
        ("{{step.s1.a|b}}", "barred"),
        ('{{step.s1."a | json"}}', "odd"),
        ("{{step.s1.gone | default}}", ""),
        ("{{step.s1.title | upper}}", ""),
        ("{{step.s1.title | json | upper}}", "{{step.s1.title | json | upper}}"),
    ],
)
def test_a_text_resolves(text: str, value: object):
    assert resolve(text, OUTPUTS) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{{step.s1.gone | default "none"}}', "none"),
        ('{{step.s1.none|default "none"}}', "none"),
        ('{{step.s1.empty | default "none"}}', "none"),
        ('{{ step.other.x | default "}} {{ | json" }}', "}} {{ | json"),
        ('a{{step.s1.gone | default "say ""hi"""}}b', 'asay "hi"b'),
        ('{{step.s1.gone | default ""}}', ""),
        ('{{step.s1.title | default "none"}}', "Crash"),
        ('{{step.s1.flag | default "none"}}', "false"),
        ('{{step.s1.big | default "none"}}', {"x": 1}),
        ('{{step.s1.labels.7 | default "none"}}', "none"),
        ('{{step.s1."a.b"|default "none"}}', "dotted"),
    ],
)
def test_a_default_stands_where_there_is_nothing(text: str, value: object):
    assert resolve(text, OUTPUTS) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{{step.s1.title | json}}", '"Crash"'),
        ("{{step.s1.quote | json}}", '"a \\"b\\"\\n"'),
        (
            '{"t": {{step.s1.quote | json}}, "n": {{step.s1.number | json}}}',
            '{"t": "a \\"b\\"\\n", "n": 482}',
        ),
        ("{{step.s1.none | json}}", "null"),
        ("{{step.s1.gone|json}}", "null"),
        ("{{step.s1.big | json}}", '{"x":1}'),
        ('{{step.s1.gone | default "x""y" | json}}', '"x\\"y"'),
        ('{{step.s1.gone | json | default "x"}}', '"x"'),
    ],
)
def test_a_value_can_be_inserted_as_json(text: str, value: object):
    assert resolve(text, OUTPUTS) == value


def test_resolving_tells_what_it_did_not_find():
    value: list[Any] = [
        "{{step.s1.gone}} {{step.s1.title}}",
        {"a": "{{step.s9.a | json}}", "b": '{{step.s9.b | default "x"}}'},
    ]
    missed: list[Reference] = []

    resolve(value, OUTPUTS, missed)

    assert missed == missing(value, OUTPUTS)
    assert [item.token for item in missed] == ["{{step.s1.gone}}", "{{step.s9.a | json}}"]


def test_lists_and_objects_are_walked_and_plain_values_pass_through():
    value: dict[str, Any] = {
        "rows": [{"key": "t", "value": "{{step.s1.title}}"}, "{{step.s1.title}}"],
        "count": 3,
        "on": True,
    }

    assert resolve(value, OUTPUTS) == {
        "rows": [{"key": "t", "value": "Crash"}, "Crash"],
        "count": 3,
        "on": True,
    }


def test_what_finds_nothing_is_named():
    found = missing("{{step.s1.gone}} {{step.s1.title}} {{step.s9.a}}", OUTPUTS)

    assert found == [
        Reference(step_id=StepId("s1"), path=("gone",)),
        Reference(step_id=StepId("s9"), path=("a",)),
    ]


def test_references_follow_steps_to_new_ids_and_keep_their_filters():
    parameters: dict[str, Any] = {
        "text": "{{step.old.a}} and {{ step.kept.b|json }}",
        "rows": [{"v": '{{step.old."x.y"}}'}, '{{step.old.a | default "{{step.old.b}}" | json}}'],
    }

    assert rewrite_references(parameters, {StepId("old"): StepId("new")}) == {
        "text": "{{step.new.a}} and {{ step.kept.b|json }}",
        "rows": [{"v": '{{step.new."x.y"}}'}, '{{step.new.a | default "{{step.old.b}}" | json}}'],
    }


texts = st.text(st.characters(blacklist_categories=["Cs"]))
speaking = st.text(st.sampled_from('ab.{}"| 0-\n') | st.characters(blacklist_categories=["Cs"]))
paths = st.lists(speaking, min_size=1, max_size=4).map(tuple)
made = st.builds(
    lambda **parts: Reference(**parts),
    step_id=st.from_regex(r"[a-z0-9-]{1,8}", fullmatch=True),
    path=paths,
    default=st.none() | speaking,
    as_json=st.booleans(),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(speaking, inner, max_size=3),
    max_leaves=8,
)


@given(made)
def test_every_reference_survives_its_text_form(reference: Reference):
    assert list(references(reference.token)) == [reference]
    assert split(f"a{{{reference.token}}}") == ["a{", reference, "}"]


@given(st.lists(made | texts.filter(lambda text: "{" not in text and text), max_size=6))
def test_a_text_is_split_into_what_it_was_made_of(pieces: list[Reference | str]):
    text = "".join(piece if isinstance(piece, str) else piece.token for piece in pieces)

    assert "".join(piece if isinstance(piece, str) else piece.token for piece in split(text)) == text
    assert list(references(text)) == [piece for piece in pieces if isinstance(piece, Reference)]


@given(st.text(st.sampled_from('{}"|. stepjsondefault')) | texts)
def test_splitting_loses_nothing(text: str):
    pieces = [piece if isinstance(piece, str) else piece.token for piece in split(text)]

    assert "".join(pieces).replace(" ", "") == text.replace(" ", "") or "{{" in text
    assert split("".join(pieces)) == split(text)


@given(values, st.data())
def test_every_value_of_an_output_is_found_by_its_path(output, data):
    path, value = [], output
    while isinstance(value, dict | list) and value and data.draw(st.booleans()):
        if isinstance(value, dict):
            key = data.draw(st.sampled_from(sorted(value)))
            path.append(key)
            value = value[key]
        else:
            place = data.draw(st.integers(-len(value), len(value) - 1))
            path.append(str(place))
            value = value[place]
    plain = Reference(step_id=StepId("s"), path=tuple(path)) if path else None

    assert look_up(output, tuple(path)) == (True, value)
    if plain is not None:
        outputs, as_text_of_json = {StepId("s"): output}, plain.model_copy(update={"as_json": True})
        whole = value if isinstance(value, dict | list) else as_text(value)
        assert resolve(plain.token, outputs) == whole
        assert resolve(f"-{plain.token}-", outputs) == f"-{as_text(value)}-"
        assert resolve(as_text_of_json.token, outputs) == as_json(value)
        assert json.loads(str(resolve(f"[{as_text_of_json.token}]", outputs))) == [value]


@given(made, values)
def test_a_reference_is_missed_exactly_when_it_has_nothing_to_give(reference: Reference, output):
    outputs = {reference.step_id: output}
    missed: list[Any] = []
    found, value = look_up(output, reference.path)

    given = resolve(reference.token, outputs, missed)

    assert missed == ([] if found or reference.default is not None else [reference])
    if reference.default is not None and value in (None, ""):
        assert given == (as_json(reference.default) if reference.as_json else reference.default)


@given(speaking, st.dictionaries(st.sampled_from(["s1", "s2"]), values))
def test_text_without_references_is_left_alone(text: str, outputs):
    if "{{" not in text:
        assert resolve(text, outputs) == text


@pytest.mark.parametrize(
    "start", ["{{step.a.", "{{step.a." + " ", '{{step.a."', '{{step.a."" | default "', "{{step.a.b|"]
)
def test_long_texts_that_are_nearly_references_are_read_in_time(start: str):
    text = start + start * 20_000 + " " * 100_000 + "|" * 100_000 + '"' * 100_001

    assert "".join(piece if isinstance(piece, str) else piece.token for piece in split(text))


@pytest.mark.parametrize(("length", "count"), [(10_000, 200), (500, 4_000)])
def test_texts_that_were_read_keep_few_references_in_memory(length: int, count: int):
    reference = "{{step.a.b}}"
    filled = reference * (length // len(reference) - 1)
    read = sum(len(split(f"{number:8}{filled}")) - 1 for number in range(count))

    gc.collect()
    kept = sum(type(found) is Reference for found in gc.get_objects())

    assert read > 150_000
    assert kept < 140_000
