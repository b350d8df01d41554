"""Which branches paths take, and what a loop goes through."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchbay.domain.base import StepId
from patchbay.domain.conditions import evaluate_groups
from patchbay.domain.errors import PayloadTooLarge, ValidationFailed
from patchbay.domain.flows import Step, StepType, StructuralType
from patchbay.engine.runs import branches_and_loops
from patchbay.engine.runs.branches_and_loops import (
    DEFAULT_MAX_ITEMS,
    branch_groups,
    loop_end_output,
    loop_item_output,
    loop_items,
)

STEP = StepId("a")


def matches(branches, outputs):
    groups = branch_groups(branches, outputs)
    return [any(map(all, evaluate_groups(branch, 0, "UTC"))) for branch in groups]


def choose_branch_ids(mode, branches, outputs):
    return branches_and_loops.choose_branch_ids(mode, branches, matches(branches, outputs))


def choose_branches(paths, branches, outputs):
    return branches_and_loops.choose_branches(paths, branches, matches(branches, outputs))


ALWAYS: tuple[dict[str, Any], ...] = ({"and": []},)
OUTPUTS: dict[StepId, Any] = {
    StepId("order"): {"total": 120, "country": "AT", "lines": [{"sku": "a"}, {"sku": "b"}], "none": None}
}


def branch(name, *groups):
    return Step(
        id=name,
        name=name,
        type=StepType.ACTION,
        structural_type=StructuralType.BRANCH,
        parent_step_id=StepId("paths"),
        branch_conditions=groups,
    )


def total(operator, value):
    return {"and": [{"key": "{{step.order.total}}", "operator": operator, "value": value}]}


BIG = branch("big", total("greater_than", "100"))
HUGE = branch("huge", total("greater_than", "1000"))
REST = branch("rest", *ALWAYS)


def test_only_the_first_branch_that_holds_is_taken():
    assert choose_branch_ids("first", [HUGE, BIG, REST], OUTPUTS) == ("big",)
    assert choose_branch_ids(None, [HUGE, REST], OUTPUTS) == ("rest",)
    assert choose_branch_ids("first", [HUGE], OUTPUTS) == ()


def test_or_every_one_that_holds():
    large = branch("large", total("greater_than", "90"))

    assert choose_branch_ids("all", [HUGE, BIG, large, REST], OUTPUTS) == ("big", "large")
    assert choose_branch_ids("all", [HUGE], OUTPUTS) == ()


@pytest.mark.parametrize("mode", ["first", "all"])
def test_a_branch_that_always_holds_is_taken_when_no_other_is_wherever_it_stands(mode):
    assert choose_branch_ids(mode, [REST, HUGE], OUTPUTS) == ("rest",)
    assert choose_branch_ids(mode, [REST, HUGE, BIG], OUTPUTS) == ("big",)


def test_one_group_that_holds_completely_is_enough():
    at_home = {"key": "{{step.order.country}}", "operator": "equal", "value": "AT"}
    both = {"and": [at_home, *total("less_than", "100")["and"]]}

    assert choose_branch_ids("first", [branch("one", both)], OUTPUTS) == ()
    assert choose_branch_ids("first", [branch("one", both, {"and": [at_home]})], OUTPUTS) == ("one",)


def test_a_branch_without_conditions_is_never_taken():
    untold = branch("untold").model_copy(update={"branch_conditions": None})

    assert choose_branch_ids("all", [branch("none"), untold], OUTPUTS) == ()


def test_a_comparison_that_does_not_exist_is_reported():
    with pytest.raises(ValidationFailed, match="Unknown comparison “like”"):
        choose_branch_ids("first", [branch("odd", total("like", "1"))], OUTPUTS)


def test_paths_put_out_the_ids_and_names_of_the_branches_they_take():
    paths = Step(id=StepId("paths"), type=StepType.ACTION, structural_type=StructuralType.PATHS)
    unnamed = BIG.model_copy(update={"name": None})

    assert choose_branches(paths, [HUGE, unnamed, REST], OUTPUTS) == {"taken": ["big"], "names": ["Branch 2"]}
    unnamed_default = REST.model_copy(update={"name": None})
    assert choose_branches(paths, [unnamed_default], OUTPUTS)["names"] == ["Default branch"]


def test_a_loop_goes_through_the_list_it_refers_to():
    assert loop_items({"list": "{{step.order.lines}}"}, OUTPUTS) == [{"sku": "a"}, {"sku": "b"}]


def test_a_loop_takes_the_text_of_a_list_and_no_value_can_break_it():
    outputs: dict[StepId, Any] = {StepId("form"): {"name": 'Ada "the first", 1] '}}

    assert loop_items({"list": ' [1, "{{step.form.name}}"] '}, outputs) == [1, 'Ada "the first", 1] ']
    assert loop_items({"list": "[{{step.order.total}}, 2]"}, OUTPUTS) == [120, 2]
    assert loop_items({"list": "{{step.text.json}}"}, {StepId("text"): {"json": "[1, 2]"}}) == [1, 2]


@pytest.mark.parametrize("nothing", ["", "  ", None, "{{step.order.none}}", "{{step.order.gone}}", "[]"])
def test_nothing_at_all_is_an_empty_list(nothing):
    assert loop_items({"list": nothing}, OUTPUTS) == []
    assert loop_items({}, OUTPUTS) == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("{{step.order.country}}", "needs a list, but got “AT”"),
        ("{{step.order.total}}", "needs a list, but got “120”"),
        ('{"a": 1}', "needs a list, but got an object"),
        ("[1, 2", "needs a list, but got"),
    ],
)
def test_a_value_that_is_not_a_list_is_reported(given, words):
    with pytest.raises(ValidationFailed, match=words):
        loop_items({"list": given}, OUTPUTS)


def test_an_object_with_a_list_in_it_says_which():
    with pytest.raises(ValidationFailed) as refused:
        loop_items({"list": "{{step.page.body}}"}, {StepId("page"): {"body": {"total": 2, "items": [1, 2]}}})

    assert refused.value.todo == "Choose the list in it: “items”."


def test_a_loop_has_a_limit():
    assert len(loop_items({"list": [0] * DEFAULT_MAX_ITEMS}, {})) == DEFAULT_MAX_ITEMS
    with pytest.raises(ValidationFailed, match="10,001 items"):
        loop_items({"list": [0] * (DEFAULT_MAX_ITEMS + 1)}, {})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=8
)


@given(st.lists(JSON, max_size=8))
def test_a_list_and_its_text_are_the_same(items):
    referred: dict[str, Any] = {"list": "{{step.a.b}}"}

    assert loop_items(referred, {STEP: {"b": items}}) == items
    assert loop_items(referred, {STEP: {"b": json.dumps(items)}}) == items


def test_a_text_that_is_nested_without_end_is_no_list():
    with pytest.raises(ValidationFailed, match="needs a list, but got"):
        loop_items({"list": "{{step.a.b}}"}, {STEP: {"b": "[" * 100_000}})


@given(JSON, JSON)
def test_any_value_is_a_list_or_rejected_with_a_clear_error(given_list, output):
    for value in (given_list, "{{step.a.b}}"):
        with suppress(ValidationFailed):
            assert isinstance(loop_items({"list": value}, {STEP: {"b": output}}), list)


def test_within_a_loop_there_are_the_item_and_its_place():
    assert loop_item_output(["x", "y"], 1) == {"item": "y", "index": 1, "number": 2, "count": 2}
    assert loop_end_output(["x", "y"], [1]) == {"items": ["x", "y"], "count": 2, "results": [1]}


def test_the_conditions_of_all_branches_together_insert_no_more_than_one_step_may() -> None:
    text = "a" * 1_000_000
    many = {"and": [{"key": "{{step.big.text}}", "operator": "contains", "value": "b"} for _ in range(20)]}

    with pytest.raises(PayloadTooLarge):
        choose_branch_ids(
            "first", [branch(f"b{number}", many) for number in range(3)], {StepId("big"): {"text": text}}
        )
