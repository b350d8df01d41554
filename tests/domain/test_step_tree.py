"""Steps as a tree: whatever is done to it, it stays one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.fuzzing import examples

from patchbay.domain.base import StepId
from patchbay.domain.errors import AppError, Conflict, NotFound, ValidationFailed
from patchbay.domain.flows import Step, StepType, StructuralType
from patchbay.domain.step_tree import (
    NESTING_LIMIT,
    STEP_LIMIT,
    InsertPosition,
    ancestors,
    children,
    find_problem,
    in_tree_order,
    insert_steps,
    move_step_to,
    nearest_position,
    nesting_depth,
    position_after,
    position_at_end,
    position_inside,
    remove_step,
    subtree,
)

PATHS_STEP = StepId("paths")
LEFT = StepId("left")
LOOP = StepId("loop")
STEP_A = StepId("a")
GONE = StepId("gone")

SINGLE, PATHS, BRANCH, EACH = StructuralType
OTHERWISE: tuple[dict[str, Any], ...] = ({"and": []},)


def a_step(name, kind=SINGLE, **more):
    return Step(id=name, type=StepType.ACTION, structural_type=kind, **more)


TRIGGER = Step(id=StepId("trigger"), type=StepType.TRIGGER, position=1)


def grown(*rows):
    """Steps from rows of name, kind and parent, in order."""
    made = [
        a_step(name, kind, parent_step_id=parent, position=position)
        for position, (name, kind, parent) in enumerate(rows, start=2)
    ]
    return (TRIGGER, *made)


TREE = grown(
    ("a", SINGLE, None),
    ("paths", PATHS, None),
    ("left", BRANCH, "paths"),
    ("l1", SINGLE, "left"),
    ("right", BRANCH, "paths"),
    ("loop", EACH, "right"),
    ("body", SINGLE, "loop"),
    ("z", SINGLE, None),
)


def names(steps):
    return [step.id for step in steps]


def shape(steps):
    """The names, indented by how deep they are."""
    return ["·" * len(ancestors(steps, step)) + step.id for step in steps]


def test_a_step_is_found_with_all_it_holds_and_what_holds_it():
    assert names(children(TREE, None)) == ["trigger", "a", "paths", "z"]
    assert names(children(TREE, PATHS_STEP)) == ["left", "right"]
    assert names(subtree(TREE, PATHS_STEP)) == ["paths", "left", "l1", "right", "loop", "body"]
    assert names(ancestors(TREE, TREE[7])) == ["loop", "right", "paths"]
    assert (nesting_depth(TREE, TREE[7]), nesting_depth(TREE, TREE[1])) == (2, 0)


def test_a_step_goes_behind_another_and_all_it_holds():
    after = insert_steps(TREE, [a_step("new")], position_after(TREE, PATHS_STEP))

    assert shape(after)[-3:] == ["···body", "new", "z"]
    assert [step.position for step in after] == list(range(1, 11))


def test_a_step_goes_first_into_a_branch_or_loop():
    assert shape(insert_steps(TREE, [a_step("new")], position_inside(TREE, LEFT)))[3:6] == [
        "·left",
        "··new",
        "··l1",
    ]
    assert "···new" in shape(insert_steps(TREE, [a_step("new")], position_inside(TREE, LOOP)))


def test_a_branch_goes_to_the_end_but_before_one_that_always_matches():
    plain = insert_steps(TREE, [a_step("new", BRANCH)], position_inside(TREE, PATHS_STEP))
    assert names(children(plain, PATHS_STEP)) == ["left", "right", "new"]

    closed = tuple(
        step.model_copy(update={"branch_conditions": OTHERWISE}) if step.id == "right" else step
        for step in TREE
    )
    before = insert_steps(closed, [a_step("new", BRANCH)], position_inside(closed, PATHS_STEP))
    assert names(children(before, PATHS_STEP)) == ["left", "new", "right"]


@pytest.mark.parametrize(
    ("new", "place"),
    [
        (a_step("x", SINGLE), position_inside(TREE, PATHS_STEP)),
        (a_step("x", EACH), position_inside(TREE, PATHS_STEP)),
        (a_step("x", BRANCH), position_inside(TREE, LOOP)),
        (a_step("x", BRANCH), position_inside(TREE, LEFT)),
        (a_step("x", BRANCH), position_at_end(TREE)),
        (a_step("x", SINGLE), position_inside(TREE, STEP_A)),
        (a_step("x", SINGLE), position_after(TREE, LEFT)),
        (TRIGGER.model_copy(update={"id": "second"}), position_inside(TREE, LOOP)),
        (TRIGGER.model_copy(update={"id": "second"}), position_at_end(TREE)),
    ],
)
def test_a_step_goes_nowhere_it_cannot_be(new, place):
    with pytest.raises(ValidationFailed):
        insert_steps(TREE, [new], place)


def test_a_step_moves_with_all_it_holds():
    after = move_step_to(TREE, StepId("right"), 4, PATHS_STEP)
    assert names(after) == ["trigger", "a", "paths", "right", "loop", "body", "left", "l1", "z"]

    out = move_step_to(TREE, LOOP, 7, None)
    assert shape(out) == ["trigger", "a", "paths", "·left", "··l1", "·right", "loop", "·body", "z"]

    assert shape(move_step_to(TREE, STEP_A, 8, LOOP))[-2:] == ["···a", "z"]


@pytest.mark.parametrize(
    ("step", "position", "inside"),
    [
        ("trigger", 2, None),
        ("a", 1, None),
        ("a", 10, None),
        ("a", 0, None),
        ("a", 4, None),
        ("z", 2, "left"),
        ("z", 4, "left"),
        ("loop", 8, "loop"),
        ("paths", 3, "right"),
        ("left", 3, None),
        ("left", 2, "loop"),
        ("a", 3, "paths"),
    ],
)
def test_a_step_moves_nowhere_it_cannot_be(step, position, inside):
    with pytest.raises(ValidationFailed):
        move_step_to(TREE, step, position, inside)


def test_a_step_that_is_not_there_is_reported():
    for work in (
        lambda: move_step_to(TREE, GONE, 3, None),
        lambda: move_step_to(TREE, STEP_A, 3, GONE),
        lambda: remove_step(TREE, GONE),
        lambda: position_after(TREE, GONE),
        lambda: position_inside(TREE, GONE),
    ):
        with pytest.raises(NotFound):
            work()


def test_what_was_taken_out_comes_back_to_where_it_was():
    for step in TREE[1:]:
        rest, out = remove_step(TREE, step.id)
        back = insert_steps(rest, out, nearest_position(rest, step.position, step.parent_step_id))
        assert back == TREE


def test_or_to_the_nearest_place_that_its_holder_has():
    rest, out = remove_step(TREE, StepId("z"))
    shorter, _ = remove_step(rest, PATHS_STEP)

    assert names(insert_steps(shorter, out, nearest_position(shorter, 9, None))) == ["trigger", "a", "z"]


def test_nothing_comes_back_to_a_step_that_is_gone():
    rest, out = remove_step(TREE, StepId("body"))
    shorter, _ = remove_step(rest, LOOP)

    with pytest.raises(Conflict):
        nearest_position(shorter, out[0].position, LOOP)


def test_paths_and_loops_can_only_be_so_deep():
    steps: tuple[Step, ...] = (TRIGGER,)
    place = position_at_end(steps)
    for level in range(NESTING_LIMIT):
        steps = insert_steps(steps, [a_step(f"loop {level}", EACH)], place)
        place = position_inside(steps, StepId(f"loop {level}"))

    assert insert_steps(steps, [a_step("single")], place)
    with pytest.raises(ValidationFailed, match="at most 5 levels deep"):
        insert_steps(steps, [a_step("too deep", EACH)], place)


def test_a_flow_has_a_largest_size():
    steps = (TRIGGER, *(a_step(str(number), position=number) for number in range(2, STEP_LIMIT + 1)))

    assert find_problem(steps) is None
    with pytest.raises(ValidationFailed, match="200 steps"):
        insert_steps(steps, [a_step("one more")], position_at_end(steps))


@pytest.mark.parametrize(
    "rows",
    [
        [("a", SINGLE, "gone")],
        [("a", BRANCH, None)],
        [("a", PATHS, None), ("b", SINGLE, "a")],
        [("a", SINGLE, None), ("b", SINGLE, "a")],
        [("a", EACH, "b"), ("b", EACH, "a")],
        [("a", EACH, "a")],
    ],
)
def test_an_invalid_tree_is_reported(rows):
    assert find_problem(grown(*rows)) is not None
    assert find_problem(TREE) is None


def test_steps_in_any_order_are_put_in_order():
    mixed = [TREE[0], TREE[5], TREE[1], TREE[7], TREE[2], TREE[3], TREE[4], TREE[6], TREE[8]]

    assert names(in_tree_order(mixed)) == [
        "trigger",
        "a",
        "paths",
        "right",
        "loop",
        "body",
        "left",
        "l1",
        "z",
    ]


def is_a_tree(steps):
    assert [step.position for step in steps] == list(range(1, len(steps) + 1))
    assert len({step.id for step in steps}) == len(steps)
    assert steps[0] == TRIGGER
    assert find_problem(steps) is None
    assert in_tree_order(steps) == steps
    for step in steps:
        held = subtree(steps, step.id)
        assert held == steps[step.position - 1 : step.position - 1 + len(held)]


@examples(50, of=600)
@given(st.data())
def test_whatever_is_done_to_it_a_tree_stays_one(data):
    steps: tuple[Step, ...] = (TRIGGER,)
    gone: list[tuple[Step, ...]] = []
    for number in range(data.draw(st.integers(1, 25))):
        ids = [step.id for step in steps]
        some = st.sampled_from(ids)
        what = data.draw(st.sampled_from(["behind", "inside", "move", "take", "back"]))
        new = a_step(str(number), data.draw(st.sampled_from(list(StructuralType))))
        try:
            if what == "behind":
                steps = insert_steps(steps, [new], position_after(steps, data.draw(some)))
            elif what == "inside":
                steps = insert_steps(steps, [new], position_inside(steps, data.draw(some)))
            elif what == "move" and len(steps) > 1:
                wanted = data.draw(st.integers(0, len(steps) + 1))
                inside = data.draw(st.none() | some)
                steps = move_step_to(steps, data.draw(st.sampled_from(ids[1:])), wanted, inside)
            elif what == "take" and len(steps) > 1:
                steps, out = remove_step(steps, data.draw(st.sampled_from(ids[1:])))
                gone.append(out)
            elif what == "back" and gone:
                out = gone.pop()
                place = nearest_position(steps, out[0].position, out[0].parent_step_id)
                steps = insert_steps(steps, out, place)
        except AppError:
            pass
        is_a_tree(steps)


@given(st.permutations(TREE[1:]))
def test_the_order_of_a_tree_follows_from_its_parents_alone(mixed):
    ordered = in_tree_order([TRIGGER, *mixed])

    assert sorted(names(ordered)) == sorted(names(TREE))
    is_a_tree(ordered)


def test_a_position_is_described_by_parent_and_predecessor():
    assert position_after(TREE, StepId("l1")) == InsertPosition(LEFT, 5)
    assert position_inside(TREE, LOOP) == InsertPosition(LOOP, 7)
    assert position_at_end(TREE) == InsertPosition(None, 9)
