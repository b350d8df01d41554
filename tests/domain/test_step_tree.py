"""Steps as a tree: whatever is done to it, it stays one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patchbay.domain.errors import AppError, Conflict, NotFound, ValidationFailed
from patchbay.domain.flows import Step, StepType, StructuralType
from patchbay.domain.step_tree import (
    NESTING_LIMIT,
    STEP_LIMIT,
    Place,
    children,
    holders,
    in_order,
    moved,
    nesting,
    place_at_end,
    place_behind,
    place_inside,
    place_near,
    problem_of,
    put_in,
    subtree,
    taken_out,
)

SINGLE, PATHS, BRANCH, EACH = StructuralType
OTHERWISE = ({"and": []},)


def a_step(name, kind=SINGLE, **more):
    return Step(id=name, type=StepType.ACTION, structural_type=kind, **more)


TRIGGER = Step(id="trigger", type=StepType.TRIGGER, position=1)


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
    return ["·" * len(holders(steps, step)) + step.id for step in steps]


def test_a_step_is_found_with_all_it_holds_and_what_holds_it():
    assert names(children(TREE, None)) == ["trigger", "a", "paths", "z"]
    assert names(children(TREE, "paths")) == ["left", "right"]
    assert names(subtree(TREE, "paths")) == ["paths", "left", "l1", "right", "loop", "body"]
    assert names(holders(TREE, TREE[7])) == ["loop", "right", "paths"]
    assert (nesting(TREE, TREE[7]), nesting(TREE, TREE[1])) == (2, 0)


def test_a_step_goes_behind_another_and_all_it_holds():
    after = put_in(TREE, [a_step("new")], place_behind(TREE, "paths"))

    assert shape(after)[-3:] == ["···body", "new", "z"]
    assert [step.position for step in after] == list(range(1, 11))


def test_a_step_goes_first_into_a_branch_or_loop():
    assert shape(put_in(TREE, [a_step("new")], place_inside(TREE, "left")))[3:6] == ["·left", "··new", "··l1"]
    assert "···new" in shape(put_in(TREE, [a_step("new")], place_inside(TREE, "loop")))


def test_a_branch_goes_to_the_end_but_before_one_that_always_matches():
    plain = put_in(TREE, [a_step("new", BRANCH)], place_inside(TREE, "paths"))
    assert names(children(plain, "paths")) == ["left", "right", "new"]

    closed = tuple(
        step.model_copy(update={"branch_conditions": OTHERWISE}) if step.id == "right" else step
        for step in TREE
    )
    before = put_in(closed, [a_step("new", BRANCH)], place_inside(closed, "paths"))
    assert names(children(before, "paths")) == ["left", "new", "right"]


@pytest.mark.parametrize(
    ("new", "place"),
    [
        (a_step("x", SINGLE), place_inside(TREE, "paths")),
        (a_step("x", EACH), place_inside(TREE, "paths")),
        (a_step("x", BRANCH), place_inside(TREE, "loop")),
        (a_step("x", BRANCH), place_inside(TREE, "left")),
        (a_step("x", BRANCH), place_at_end(TREE)),
        (a_step("x", SINGLE), place_inside(TREE, "a")),
        (a_step("x", SINGLE), place_behind(TREE, "left")),
        (TRIGGER.model_copy(update={"id": "second"}), place_inside(TREE, "loop")),
        (TRIGGER.model_copy(update={"id": "second"}), place_at_end(TREE)),
    ],
)
def test_a_step_goes_nowhere_it_cannot_be(new, place):
    with pytest.raises(ValidationFailed):
        put_in(TREE, [new], place)


def test_a_step_moves_with_all_it_holds():
    after = moved(TREE, "right", 4, "paths")
    assert names(after) == ["trigger", "a", "paths", "right", "loop", "body", "left", "l1", "z"]

    out = moved(TREE, "loop", 7, None)
    assert shape(out) == ["trigger", "a", "paths", "·left", "··l1", "·right", "loop", "·body", "z"]

    assert shape(moved(TREE, "a", 8, "loop"))[-2:] == ["···a", "z"]


@pytest.mark.parametrize(
    ("step", "position", "inside"),
    [
        ("trigger", 2, None), ("a", 1, None), ("a", 10, None), ("a", 0, None),
        ("a", 4, None), ("z", 2, "left"), ("z", 4, "left"),
        ("loop", 8, "loop"), ("paths", 3, "right"), ("left", 3, None), ("left", 2, "loop"), ("a", 3, "paths"),
    ],
)  # fmt: skip
def test_a_step_moves_nowhere_it_cannot_be(step, position, inside):
    with pytest.raises(ValidationFailed):
        moved(TREE, step, position, inside)


def test_a_step_that_is_not_there_is_told():
    for work in (
        lambda: moved(TREE, "gone", 3, None),
        lambda: moved(TREE, "a", 3, "gone"),
        lambda: taken_out(TREE, "gone"),
        lambda: place_behind(TREE, "gone"),
        lambda: place_inside(TREE, "gone"),
    ):
        with pytest.raises(NotFound):
            work()


def test_what_was_taken_out_comes_back_to_where_it_was():
    for step in TREE[1:]:
        rest, out = taken_out(TREE, step.id)
        back = put_in(rest, out, place_near(rest, step.position, step.parent_step_id))
        assert back == TREE


def test_or_to_the_nearest_place_that_its_holder_has():
    rest, out = taken_out(TREE, "z")
    shorter, _ = taken_out(rest, "paths")

    assert names(put_in(shorter, out, place_near(shorter, 9, None))) == ["trigger", "a", "z"]


def test_nothing_comes_back_to_a_step_that_is_gone():
    rest, out = taken_out(TREE, "body")
    shorter, _ = taken_out(rest, "loop")

    with pytest.raises(Conflict):
        place_near(shorter, out[0].position, "loop")


def test_paths_and_loops_can_only_be_so_deep():
    steps = (TRIGGER,)
    place = place_at_end(steps)
    for level in range(NESTING_LIMIT):
        steps = put_in(steps, [a_step(f"loop {level}", EACH)], place)
        place = place_inside(steps, f"loop {level}")

    assert put_in(steps, [a_step("single")], place)
    with pytest.raises(ValidationFailed, match="5 deep at most"):
        put_in(steps, [a_step("too deep", EACH)], place)


def test_a_flow_has_a_largest_size():
    steps = (TRIGGER, *(a_step(str(number), position=number) for number in range(2, STEP_LIMIT + 1)))

    assert problem_of(steps) is None
    with pytest.raises(ValidationFailed, match="200 steps"):
        put_in(steps, [a_step("one more")], place_at_end(steps))


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
def test_what_is_no_tree_is_told(rows):
    assert problem_of(grown(*rows)) is not None
    assert problem_of(TREE) is None


def test_steps_in_any_order_are_put_in_order():
    mixed = [TREE[0], TREE[5], TREE[1], TREE[7], TREE[2], TREE[3], TREE[4], TREE[6], TREE[8]]

    assert names(in_order(mixed)) == [
        "trigger", "a", "paths", "right", "loop", "body", "left", "l1", "z",
    ]  # fmt: skip


def is_a_tree(steps):
    assert [step.position for step in steps] == list(range(1, len(steps) + 1))
    assert len({step.id for step in steps}) == len(steps)
    assert steps[0] == TRIGGER
    assert problem_of(steps) is None
    assert in_order(steps) == steps
    for step in steps:
        held = subtree(steps, step.id)
        assert held == steps[step.position - 1 : step.position - 1 + len(held)]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_whatever_is_done_to_it_a_tree_stays_one(data):
    steps, gone = (TRIGGER,), []
    for number in range(data.draw(st.integers(1, 25))):
        ids = [step.id for step in steps]
        some = st.sampled_from(ids)
        what = data.draw(st.sampled_from(["behind", "inside", "move", "take", "back"]))
        new = a_step(str(number), data.draw(st.sampled_from(list(StructuralType))))
        try:
            if what == "behind":
                steps = put_in(steps, [new], place_behind(steps, data.draw(some)))
            elif what == "inside":
                steps = put_in(steps, [new], place_inside(steps, data.draw(some)))
            elif what == "move" and len(steps) > 1:
                wanted = data.draw(st.integers(0, len(steps) + 1))
                inside = data.draw(st.none() | some)
                steps = moved(steps, data.draw(st.sampled_from(ids[1:])), wanted, inside)
            elif what == "take" and len(steps) > 1:
                steps, out = taken_out(steps, data.draw(st.sampled_from(ids[1:])))
                gone.append(out)
            elif what == "back" and gone:
                out = gone.pop()
                place = place_near(steps, out[0].position, out[0].parent_step_id)
                steps = put_in(steps, out, place)
        except AppError:
            pass
        is_a_tree(steps)


@given(st.permutations(TREE[1:]))
def test_the_order_of_a_tree_follows_from_its_parents_alone(mixed):
    ordered = in_order([TRIGGER, *mixed])

    assert sorted(names(ordered)) == sorted(names(TREE))
    is_a_tree(ordered)


def test_a_place_is_told_by_what_holds_it_and_what_comes_before():
    assert place_behind(TREE, "l1") == Place("left", 5)
    assert place_inside(TREE, "loop") == Place("loop", 7)
    assert place_at_end(TREE) == Place(None, 9)
