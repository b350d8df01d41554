"""The `{{step.…}}` grammar."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchbay.domain.variables import Reference, missing, references, resolve, rewrite_references, split

OUTPUTS = {
    "s1": {
        "title": "Crash", "number": 482, "flag": False, "none": None, "user": {"login": "anna"},
        "labels": ["bug", {"name": "ui"}], "a.b": "dotted", "big": {"x": 1},
    }
}  # fmt: skip


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
    ],
)
def test_a_text_resolves(text: str, value: object):
    assert resolve(text, OUTPUTS) == value


def test_lists_and_objects_are_walked_and_plain_values_pass_through():
    value = {
        "rows": [{"key": "t", "value": "{{step.s1.title}}"}, "{{step.s1.title}}"],
        "count": 3,
        "on": True,
    }

    assert resolve(value, OUTPUTS) == {
        "rows": [{"key": "t", "value": "Crash"}, "Crash"], "count": 3, "on": True,
    }  # fmt: skip


def test_what_finds_nothing_is_named():
    found = missing("{{step.s1.gone}} {{step.s1.title}} {{step.s9.a}}", OUTPUTS)

    assert found == [Reference(step_id="s1", path=("gone",)), Reference(step_id="s9", path=("a",))]


def test_references_follow_steps_to_new_ids():
    parameters = {"text": "{{step.old.a}} and {{step.kept.b}}", "rows": [{"v": '{{step.old."x.y"}}'}]}

    assert rewrite_references(parameters, {"old": "new"}) == {
        "text": "{{step.new.a}} and {{step.kept.b}}", "rows": [{"v": '{{step.new."x.y"}}'}],
    }  # fmt: skip


segments = st.text(st.characters(blacklist_characters='"', blacklist_categories=["Cs"]), min_size=1)


@given(st.lists(segments, min_size=1, max_size=4))
def test_every_path_survives_its_text_form(path: list[str]):
    reference = Reference(step_id="s1", path=tuple(path))

    assert list(references(reference.token)) == [reference]


@given(st.text())
def test_splitting_loses_nothing(text: str):
    pieces = [piece if isinstance(piece, str) else piece.token for piece in split(text)]

    assert "".join(pieces).replace(" ", "") == text.replace(" ", "") or "{{" in text
