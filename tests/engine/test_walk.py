"""The way through a tree of steps: compared with a plain recursion over the same tree."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.fuzzing import examples
from tests.support.toy_apps import Toy

from patchbay.domain.base import AppKey, FlowId, Json, StepId
from patchbay.domain.engine_store import FinishedStep
from patchbay.domain.executions import StepState
from patchbay.domain.flows import FlowVersion, Step, StepType, StructuralType
from patchbay.engine.plan import Plan, Plans
from patchbay.engine.runs.execution_cursor import ExecutionCursor

LOOP = StepId("s1")

SINGLE = StructuralType.SINGLE
PATHS = StructuralType.PATHS
BRANCH = StructuralType.BRANCH
EACH = StructuralType.EACH


@dataclass
class Node:
    """A step of a tree, with what it does: how many items, which branches, how it ends each time."""

    kind: StructuralType
    children: list["Node"] = field(default_factory=list)
    items: int = 0
    taken: list[int] = field(default_factory=list)
    fails: bool = False
    forgiving: bool = False
    id: StepId = StepId("")


def nodes(depth: int) -> st.SearchStrategy[Node]:
    single = st.builds(
        lambda fails, forgiving: Node(SINGLE, fails=fails, forgiving=forgiving),
        st.sampled_from([False] * 6 + [True]),
        st.booleans(),
    )
    if depth == 0:
        return single
    inner = st.lists(nodes(depth - 1), max_size=3)
    each = st.builds(
        lambda children, items, forgiving: Node(EACH, children, items=items, forgiving=forgiving),
        inner,
        st.integers(0, 3),
        st.booleans(),
    )
    branch = st.builds(lambda children: Node(BRANCH, children), inner)
    paths = st.builds(
        lambda children, taken: Node(PATHS, children, taken=sorted(n for n in taken if n < len(children))),
        st.lists(branch, max_size=3),
        st.sets(st.integers(0, 2)),
    )
    return st.one_of(single, single, each, paths)


def plan_of(roots: list[Node]) -> Plan:
    steps = [Step(id=StepId("t"), type=StepType.TRIGGER, app_key=AppKey("toy"), key="hook")]

    def add(node: Node, parent: StepId | None) -> None:
        node.id = StepId(f"s{len(steps)}")
        steps.append(
            Step(
                id=node.id,
                type=StepType.ACTION,
                structural_type=node.kind,
                parent_step_id=parent,
                position=len(steps) + 1,
                continue_on_error=node.forgiving,
                app_key=AppKey("toy") if node.kind is SINGLE else None,
                key="echo" if node.kind is SINGLE else None,
            )
        )
        for child in node.children:
            add(child, node.id)

    for root in roots:
        add(root, None)
    return Plans(Toy()).of(FlowVersion(flow_id=FlowId("f"), number=0, name="F", steps=tuple(steps)))


class Failed(Exception):
    """A step failed, and no loop around it continues on errors."""


def visits(roots: list[Node], path: tuple[int, ...] = ()) -> Iterator[tuple[str, str | None]]:
    """The steps that are made, in order, each with the items of the loops around it."""
    for node in roots:
        if node.kind is not BRANCH:
            yield node.id, ".".join(map(str, path)) or None
        if node.kind is SINGLE and node.fails and not node.forgiving:
            raise Failed
        for number in node.taken if node.kind is PATHS else ():
            yield from visits(node.children[number].children, path)
        for at in range(node.items if node.kind is EACH else 0):
            try:
                yield from visits(node.children, (*path, at))
            except Failed:
                if not node.forgiving:
                    raise


def outcome(node: Node) -> FinishedStep:
    if node.kind is EACH:
        items: list[Json] = [f"{node.id}-{number}" for number in range(node.items)]
        return FinishedStep(StepState.SUCCESS, {"items": items, "count": node.items})
    if node.kind is PATHS:
        return FinishedStep(StepState.SUCCESS, {"taken": [node.children[number].id for number in node.taken]})
    return FinishedStep(StepState.FAILURE if node.fails else StepState.SUCCESS, {"from": node.id})


def by_id(roots: list[Node]) -> dict[StepId, Node]:
    found = {root.id: root for root in roots}
    for root in roots:
        found |= by_id(root.children)
    return found


@examples(60, of=600)
@given(st.lists(nodes(3), min_size=1, max_size=4))
def test_a_walk_makes_the_steps_a_recursion_makes_and_finds_its_place_again(roots: list[Node]):
    plan, marks = plan_of(roots), [FinishedStep(StepState.SUCCESS, {})]
    known = by_id(roots)
    cursor = ExecutionCursor(plan)
    made = list[tuple[str, str | None]]()
    cursor.step(*marks[0])

    while not cursor.ended:
        again = ExecutionCursor.from_steps(plan, marks)
        assert (again.index, again.seq, again.path) == (cursor.index, cursor.seq, cursor.path)
        assert again.outputs == cursor.outputs
        made.append((cursor.current_step.step.id, cursor.path))
        marks.append(outcome(known[cursor.current_step.step.id]))
        cursor.step(*marks[-1])

    expected = list[tuple[str, str | None]]()
    stopped = False
    try:
        expected.extend(_collect(visits(roots), expected))
    except Failed:
        stopped = True
    assert made == expected
    assert cursor.ended_early is stopped


def _collect(
    found: Iterator[tuple[str, str | None]], into: list[tuple[str, str | None]]
) -> list[tuple[str, str | None]]:
    """Put them in one by one, so that those before a failure are there."""
    for visit in found:
        into.append(visit)
    return []


def test_a_loop_offers_its_item_and_then_what_came_of_each():
    loop = Node(EACH, [Node(SINGLE)], items=2)
    plan = plan_of([loop, Node(SINGLE)])
    cursor = ExecutionCursor.from_steps(plan, [FinishedStep(StepState.SUCCESS, {}), outcome(loop)])

    inside: dict[str, Any] = {"item": "s1-0", "index": 0, "number": 1, "count": 2}
    assert cursor.outputs[LOOP] == inside
    cursor.step(StepState.SUCCESS, {"n": 1})
    assert cursor.path == "1"
    assert "s2" not in cursor.outputs
    cursor.step(StepState.SUCCESS, {"n": 2})
    assert cursor.current_step.step.id == "s3"
    assert cursor.outputs[LOOP] == {"items": ["s1-0", "s1-1"], "count": 2, "results": [{"n": 1}, {"n": 2}]}
    assert cursor.outputs[StepId("s2")] == {"n": 2}


def test_a_filter_in_a_loop_leaves_out_the_rest_of_its_item_only():
    loop = Node(EACH, [Node(SINGLE), Node(SINGLE)], items=2)
    plan = plan_of([loop, Node(SINGLE)])
    cursor = ExecutionCursor.from_steps(plan, [FinishedStep(StepState.SUCCESS, {}), outcome(loop)])

    cursor.step(StepState.FILTERED)
    assert (cursor.current_step.step.id, cursor.path) == ("s2", "1")
    cursor.step(StepState.SUCCESS, "a")
    cursor.step(StepState.SUCCESS, "b")
    assert cursor.outputs["s1"]["results"] == [None, "b"]  # type: ignore[call-overload,index]
    cursor.step(StepState.FILTERED)
    assert cursor.ended
    assert cursor.ended_early
