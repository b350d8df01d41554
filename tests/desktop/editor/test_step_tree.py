"""The steps of a draft as a tree: places, reach, words, what the newest data does. Pure rules."""

from datetime import UTC
from typing import Any

import pytest
from tests.support.fake_tree_flow import tree_flow

from patchbay.desktop.editor.view_models.blockers import VALUE_OUT_OF_SCOPE, BlockerContext, find_blockers
from patchbay.desktop.editor.view_models.branches import loop_items, preview_branches, preview_text
from patchbay.desktop.editor.view_models.step_labels import (
    branch_summary,
    conditions_text,
    step_title_in_tree,
)
from patchbay.desktop.editor.view_models.step_tree import StepPosition, StepTree
from patchbay.desktop.editor.view_models.variables import build_catalog
from patchbay.domain.base import ExecutionId, StepId
from patchbay.domain.date_parsing import Moment
from patchbay.domain.executions import ExecutionStep, StepRef, StepState
from patchbay.domain.flows import Step, StepType, StructuralType
from patchbay.domain.step_tree import find_problem, in_tree_order, move_step_to
from patchbay.domain.variables import Reference

EACH = StepId("t-each")
LABELS = StepId("t-labels")
URGENT = StepId("t-urgent")
MAIL = StepId("t-mail")
PATHS = StepId("t-paths")
NEW = StepId("t-new")
LOG = StepId("t-log")
OTHER = StepId("other")
DEEPEST = StepId("l5")
STEP_B = StepId("b")

MOMENT = Moment(1_772_452_800_000, UTC)

ISSUE: dict[str, Any] = {"title": "Crash at start", "number": 482, "labels": ["bug", "docs"]}


@pytest.fixture
def flow():
    return tree_flow()


@pytest.fixture
def tree(flow):
    return StepTree(flow.steps)


def ids(steps):
    return [step.id for step in steps]


def sample(step_id, output):
    ref = StepRef(id=step_id, type=StepType.ACTION, position=1)
    return ExecutionStep(
        id=f"x:{step_id}",
        execution_id=ExecutionId("x"),
        step=ref,
        seq=0,
        status=StepState.SUCCESS,
        data_out=output,
    )


def test_a_step_knows_what_it_holds_and_what_is_around_it(tree):
    assert ids(tree.children_of(None)) == ["t-new", "t-paths", "t-log"]
    assert ids(tree.subtree("t-labels")) == ["t-labels", "t-each", "t-task", "t-mail"]
    assert tree.size("t-paths") == 8
    assert ids(tree.ancestors("t-mail")) == ["t-each", "t-labels", "t-paths"]


@pytest.mark.parametrize(
    ("way", "step_id", "spot"),
    [
        ("up", "t-mail", StepPosition(7, EACH)),
        ("up", "t-task", None),
        ("up", "t-paths", None),
        ("up", "t-log", StepPosition(2)),
        ("down", "t-task", StepPosition(8, EACH)),
        ("down", "t-paths", StepPosition(3)),
        ("down", "t-urgent", StepPosition(7, PATHS)),
        ("outward", "t-tell", StepPosition(9)),
        ("outward", "t-mail", StepPosition(8, LABELS)),
        ("outward", "t-urgent", None),
        ("outward", "t-log", None),
        ("inward", "t-log", StepPosition(10, StepId("t-other"))),
        ("inward", "t-mail", None),
    ],
)
def test_where_the_keyboard_moves_a_step(tree, way, step_id, spot):
    assert getattr(tree, way)(step_id) == spot


@pytest.mark.parametrize("way", ["up", "down", "outward", "inward"])
def test_every_move_of_the_keyboard_is_one_the_workspace_accepts(flow, tree, way):
    for step in flow.steps:
        spot = getattr(tree, way)(step.id)
        if spot is not None:
            after = move_step_to(flow.steps, step.id, spot.position, spot.inside)
            assert find_problem(after) is None
            back = tree.position_of(step.id)
            assert move_step_to(after, step.id, back.position, back.inside) == flow.steps


def test_a_branch_stays_in_its_paths_and_nothing_goes_into_itself(tree):
    assert tree.can_contain("t-paths", "t-urgent")
    assert not tree.can_contain(None, "t-urgent")
    assert not tree.can_contain("t-paths", "t-log")
    assert not tree.can_contain("t-each", "t-each")
    assert not tree.can_contain("t-each", "t-labels")
    assert not tree.can_contain("t-labels", "t-new")


def test_values_of_other_paths_and_of_finished_loops_are_not_offered(tree):
    assert ids(tree.offered_steps("t-mail")) == ["t-new", "t-each", "t-task"]
    assert ids(tree.offered_steps("t-urgent")) == ["t-new"]
    assert ids(tree.offered_steps("t-log")) == ["t-new", "t-paths", "t-tell", "t-each"]


def test_where_every_path_is_taken_an_earlier_one_can_be_used(flow):
    steps = [
        step.model_copy(update={"parameters": {"mode": "all"}}) if step.id == "t-paths" else step
        for step in flow.steps
    ]

    assert "t-tell" in ids(StepTree(steps).offered_steps(MAIL))


def test_in_a_loop_its_item_comes_first_and_behind_it_the_results(tree):
    inside = build_catalog(tree, MAIL, [sample("t-new", ISSUE)], {})
    behind = build_catalog(tree, LOG, [sample("t-new", ISSUE)], {})

    assert inside.groups[0].step_id == "t-each"
    assert {entry.label: entry.sample for entry in inside.groups[0].entries} == {
        "item": "bug",
        "number": "1",
        "index": "0",
        "count": "2",
    }
    after = next(group for group in behind.groups if group.step_id == "t-each")
    assert [entry.label for entry in after.entries][:2] == ["results", "count"]


def test_a_value_that_cannot_be_had_is_a_broken_chip_and_a_blocker(flow, tree):
    catalog = build_catalog(tree, StepId("t-tell"), [], {})
    stray = Reference(step_id=StepId("t-task"), path=("id",))
    steps = [
        step.model_copy(update={"branch_conditions": ({"and": [{"key": stray.token, "operator": "equal"}]},)})
        if step.id == "t-urgent"
        else step
        for step in flow.steps
    ]
    found = find_blockers(flow.model_copy(update={"steps": tuple(steps)}), BlockerContext({}, {}))

    assert catalog.describe(stray).broken
    assert [item.reason for item in found if item.step_id == "t-urgent"] == [VALUE_OUT_OF_SCOPE]


def test_what_paths_branches_and_loops_lack(flow):
    bare: dict[str, Any] = {"branch_conditions": (), "parameters": {}}
    steps = [step.model_copy(update=bare) for step in flow.steps if step.id not in ("t-task", "t-mail")]
    found = find_blockers(flow.model_copy(update={"steps": in_tree_order(steps)}), BlockerContext({}, {}))
    reasons = {(item.step_id, item.reason) for item in found}

    assert ("t-urgent", "Enter a condition for this branch") in reasons
    assert ("t-each", "Choose a list to loop over") in reasons
    assert ("t-each", "Add a step to run for each item") in reasons


def test_conditions_read_in_one_line(flow, tree):
    lines = {step.id: branch_summary(step) for step in flow.steps if step.branch_conditions}

    assert lines["t-urgent"] == "title contains Crash and number > 3"
    assert lines["t-other"] == "When no other branch matches"
    assert step_title_in_tree(tree, tree.step("t-other")) == "Default branch"
    two: list[Any] = [
        {"and": [{"key": "a", "operator": "equal", "value": ""}]},
        {"and": [{"key": "b", "operator": "x"}]},
    ]
    assert conditions_text(two) == "a is empty, or b x empty"


def test_branches_without_a_name_are_distinguished_by_number(flow):
    steps = [step.model_copy(update={"name": None}) for step in flow.steps]
    tree = StepTree(steps)

    assert step_title_in_tree(tree, tree.step(LABELS)) == "Branch 2"


def test_the_newest_data_says_which_path_is_taken(tree):
    titles = {URGENT: "Urgent", LABELS: "Labelled", StepId("t-other"): "Default branch"}
    reduces_motion: dict[str, Any] = {**ISSUE, "title": "Typo", "labels": []}

    assert [item.taken for item in preview_branches(tree, tree.step(PATHS), {NEW: ISSUE}, MOMENT)] == [
        True,
        False,
        False,
    ]
    assert preview_text(tree, tree.step(PATHS), {NEW: reduces_motion}, titles, MOMENT) == (
        "With the latest data, “Default branch” would run.\n"
        "Urgent: “Typo” contains “Crash”: no\n"
        "Urgent: “482” is greater than “3”: yes\n"
        "Labelled: “[]” doesn't equal “[]”: no"
    )
    assert preview_text(tree, tree.step(URGENT), {NEW: reduces_motion}, titles, MOMENT) == (
        "The latest data doesn't match this branch.\n"
        "“Typo” contains “Crash”: no\n"
        "“482” is greater than “3”: yes"
    )


def with_condition(flow, step_id, operator, value):
    """The flow whose branch compares the title of the issue."""
    condition = {"key": "{{step.t-new.title}}", "operator": operator, "value": value}
    return [
        step.model_copy(update={"branch_conditions": ({"and": [condition]},)}) if step.id == step_id else step
        for step in flow.steps
    ]


@pytest.mark.parametrize("mode", ["first", "all"])
def test_what_a_pattern_decides_is_left_open(flow, mode):
    steps = [
        step.model_copy(update={"parameters": {"mode": mode}}) if step.id == PATHS else step
        for step in with_condition(flow, URGENT, "matches_pattern", "^Crash")
    ]
    tree = StepTree(steps)

    found = preview_branches(tree, tree.step(PATHS), {NEW: ISSUE}, MOMENT)

    later = None if mode == "first" else True
    assert [item.taken for item in found] == [None, later, False]
    told = preview_text(tree, tree.step(PATHS), {NEW: ISSUE}, {}, MOMENT)
    assert told.startswith("Which branches run depends on a pattern.")
    assert "checked when the step runs" in told
    assert "depends on a pattern" in preview_text(tree, tree.step(URGENT), {NEW: ISSUE}, {}, MOMENT)


def test_a_unary_comparison_reads_without_a_second_value(flow):
    steps = with_condition(flow, URGENT, "is_not_empty", "")

    assert branch_summary(next(step for step in steps if step.id == URGENT)) == "title isn't empty"


def test_in_mode_all_every_path_that_fits_is_taken_and_otherwise_none_of_them(flow):
    steps = [
        step.model_copy(update={"parameters": {"mode": "all"}}) if step.id == "t-paths" else step
        for step in flow.steps
    ]
    tree = StepTree(steps)

    taken = [item.taken for item in preview_branches(tree, tree.step(PATHS), {NEW: ISSUE}, MOMENT)]
    assert taken == [True, True, False]


def test_a_list_may_be_given_as_json_text(tree):
    each = tree.step(EACH)
    written = each.model_copy(update={"parameters": {"list": '["a", "b"]'}})

    assert loop_items(each, {NEW: ISSUE}) == ["bug", "docs"]
    assert loop_items(written, {}) == ["a", "b"]
    assert loop_items(each.model_copy(update={"parameters": {"list": "plain words"}}), {}) is None


def test_the_fake_tree_is_one_a_flow_can_have(flow):
    assert find_problem(flow.steps) is None


def test_a_flat_flow_is_a_tree_too():
    steps = in_tree_order(
        [Step(id=StepId("a"), type=StepType.TRIGGER), Step(id=STEP_B, type=StepType.ACTION)]
    )
    tree = StepTree(steps)

    assert ids(tree.offered_steps(STEP_B)) == ["a"]
    assert tree.outward(STEP_B) is None
    assert tree.end_position(None, STEP_B) == StepPosition(2)


def test_a_path_that_fits_says_which_one_comes_first(tree):
    told = preview_text(tree, tree.step(LABELS), {NEW: ISSUE}, {URGENT: "Urgent"}, MOMENT)

    assert told.splitlines()[0] == "The latest data matches this branch, but “Urgent” comes first."


def test_nothing_is_moved_deeper_than_a_flow_may_be():
    loop: dict[str, Any] = {"type": StepType.ACTION, "structural_type": StructuralType.EACH}
    nested = [
        Step(id=StepId(f"l{at}"), parent_step_id=StepId(f"l{at - 1}") if at > 1 else None, **loop)
        for at in range(1, 6)
    ]
    steps = [Step(id=StepId("t"), type=StepType.TRIGGER), *nested, Step(id=OTHER, **loop)]
    tree = StepTree(in_tree_order([*steps, Step(id=StepId("plain"), type=StepType.ACTION)]))

    assert tree.can_contain(StepId("l4"), OTHER)
    assert not tree.can_contain(DEEPEST, OTHER)
    assert tree.can_contain(DEEPEST, StepId("plain"))
    assert not tree.can_contain(OTHER, StepId("l1"))
    assert tree.can_contain(OTHER, StepId("l2"))
