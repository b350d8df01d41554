"""What keeps flows with branches and loops from being published."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.fuzzing import fuzz

from patchbay.domain.apps import ActionInfo, AppInfo, TriggerInfo
from patchbay.domain.base import AppKey, FlowId, StepId
from patchbay.domain.flow_calls import PATCHBAY_APP
from patchbay.domain.flows import Flow, Step, StepStatus, StepType, StructuralType
from patchbay.service.readiness import NOT_CALLABLE, find_blockers

SINGLE, PATHS, BRANCH, EACH = StructuralType
TOOLS = AppInfo(
    key=AppKey("tools"),
    name="Tools",
    triggers=(TriggerInfo(key="catch", name="Catch"),),
    actions=(ActionInfo(key="pass", name="Pass on"),),
)
PATCHBAY = AppInfo(
    key=PATCHBAY_APP,
    name="Patchbay",
    triggers=(TriggerInfo(key="called", name="Called"),),
    actions=(ActionInfo(key="callFlow", name="Call a flow"),),
)
APPS = {app.key: app for app in (TOOLS, PATCHBAY)}
OTHERWISE: tuple[dict[str, Any], ...] = ({"and": []},)
NAMES = st.sampled_from(["and", "or", "key", "operator", "value", "list"])


def ref(step, path="x"):
    return f"{{{{step.{step}.{path}}}}}"


def when(key, operator="equal", value="1"):
    return ({"and": [{"key": key, "operator": operator, "value": value}]},)


def act(name, parent=None, **parameters):
    return Step(
        id=name,
        type=StepType.ACTION,
        app_key=AppKey("tools"),
        key="pass",
        parent_step_id=parent,
        parameters=parameters,
        status=StepStatus.COMPLETED,
    )


def hold(kind, name, parent=None, conditions=None, **parameters):
    return Step(
        id=name,
        type=StepType.ACTION,
        structural_type=kind,
        parent_step_id=parent,
        parameters=parameters,
        branch_conditions=conditions,
        status=StepStatus.COMPLETED,
    )


START = Step(
    id=StepId("t"), type=StepType.TRIGGER, app_key=AppKey("tools"), key="catch", status=StepStatus.COMPLETED
)


def blockers(*steps, start=START, callable_flows=()):
    numbered = [
        step.model_copy(update={"position": position}) for position, step in enumerate((start, *steps), 1)
    ]
    found = find_blockers(Flow(id=FlowId("f"), name="Flow", steps=tuple(numbered)), APPS, {}, callable_flows)
    return [(item.step_id, item.field, item.reason) for item in found]


def fork(mode="first", left=(), right=()):
    """Two paths, the second of which is the otherwise."""
    return (
        hold(PATHS, "paths", mode=mode),
        hold(BRANCH, "left", "paths", when(ref("t"))),
        *left,
        hold(BRANCH, "right", "paths", OTHERWISE),
        *right,
    )


def test_a_complete_tree_has_no_blockers():
    loop = hold(EACH, "loop", "right", list=ref("t", "items"))
    inside = act("inside", "loop", text=ref("loop", "item.name"))
    after = act("after", text=ref("inside") + ref("loop", "count") + ref("paths", "names.0"))

    assert blockers(*fork(left=[act("l", "left")], right=[loop, inside]), after) == []


def test_paths_need_a_path_and_a_path_may_be_empty():
    assert blockers(hold(PATHS, "paths")) == [("paths", "branches", "It has no branches. Add one.")]
    assert blockers(*fork()) == []


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        (None, "This branch has no conditions"),
        ((), "This branch has no conditions"),
        (when(""), "no value to compare"),
        (when("a", ""), "no comparison"),
        (when("a", "like"), "“like” isn't a valid comparison. Use one of equal,"),
        ((*when("a"), {"and": [{"key": "a"}]}), "no comparison"),
    ],
)
def test_a_path_needs_complete_conditions(conditions, words):
    found = blockers(hold(PATHS, "paths"), hold(BRANCH, "left", "paths", conditions))

    assert [(step, field) for step, field, _ in found] == [("left", "branchConditions")]
    assert words in found[0][2]


def test_a_path_is_complete_without_a_test():
    untested = hold(BRANCH, "left", "paths", when("a")).model_copy(update={"status": StepStatus.INCOMPLETE})

    assert blockers(hold(PATHS, "paths"), untested) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@fuzz()
@given(st.lists(st.dictionaries(NAMES, JSON, max_size=3), max_size=3), JSON, JSON)
def test_readiness_checks_accept_values_of_every_shape(conditions, mode, items):
    paths, left, right = fork(mode)
    odd = left.model_copy(update={"branch_conditions": tuple(conditions)})
    loop = hold(EACH, "loop", list=items)
    call = act("call", flow=items).model_copy(update={"app_key": "patchbay", "key": "callFlow"})

    steps = (paths, odd, right, loop, act("in", "loop"), call)
    found = blockers(*steps)

    assert {step for step, _, _ in found} <= {step.id for step in steps}
    assert ("call" in {step for step, _, _ in found}) is bool(items)
    assert all(reason for _, _, reason in found)


def test_paths_and_loops_are_tested_or_their_test_is_skipped():
    paths, left, right = fork()
    untested = paths.model_copy(update={"status": StepStatus.INCOMPLETE})

    assert blockers(untested, left, right) == [("paths", None, "Test this step, or skip the test.")]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("", "Choose the list"),
        (None, "Choose the list"),
        ("hello", "needs a list, but got"),
        ('{"a": 1}', "an object"),
        ("[" + "0," * 10_000 + "0]", "10,001 items"),
    ],
)
def test_a_loop_needs_a_list(given, words):
    found = blockers(hold(EACH, "loop", list=given), act("a", "loop"))

    assert [(step, field) for step, field, _ in found] == [("loop", "list")]
    assert words in found[0][2]


@pytest.mark.parametrize("given", ["[1, 2]", [1, 2], ref("t", "items"), f"[1, {ref('t')}]"])
def test_a_list_may_be_written_or_referred_to(given):
    assert blockers(hold(EACH, "loop", list=given), act("a", "loop")) == []


def test_a_loop_without_steps_does_nothing():
    found = blockers(hold(EACH, "loop", list="[1]"))

    assert [(step, field) for step, field, _ in found] == [("loop", "steps")]


def test_only_one_path_is_taken_so_it_cannot_use_values_of_another():
    found = blockers(*fork(left=[act("l", "left")], right=[act("r", "right", text=ref("l"))]))

    assert [(step, field) for step, field, _ in found] == [("r", "text")]
    assert "in another branch" in found[0][2]
    assert blockers(*fork("all", left=[act("l", "left")], right=[act("r", "right", text=ref("l"))])) == []


def test_steps_deep_inside_other_paths_are_as_far_away():
    loop, deep = hold(EACH, "loop", "left", list="[1]"), act("deep", "loop")
    other = hold(EACH, "other", "right", list=ref("deep", "list")), act("inner", "other", text=ref("loop"))

    found = blockers(*fork(left=[loop, deep], right=other))

    assert [step for step, _, _ in found] == ["other", "inner"]


def test_conditions_cannot_use_what_runs_after_the_choice():
    paths, left, right = fork()
    asks = right.model_copy(update={"branch_conditions": when(ref("l"))})

    found = blockers(paths, left, act("l", "left"), asks)

    assert [(step, field) for step, field, _ in found] == [("right", "branchConditions")]
    assert "after the branch was chosen" in found[0][2]
    itself = left.model_copy(update={"branch_conditions": when(ref("paths", "names.0"))})
    assert [step for step, _, _ in blockers(paths, itself, right)] == ["left"]


def test_a_path_has_no_value():
    found = blockers(*fork(), act("a", text=ref("left")))

    assert "branches have no output" in found[0][2]


def test_a_step_in_a_loop_cannot_use_what_runs_later_in_it():
    found = blockers(hold(EACH, "loop", list="[1]"), act("a", "loop", text=ref("b")), act("b", "loop"))

    assert "step 4, which runs later" in found[0][2]


def test_an_invalid_tree_is_reported():
    found = blockers(act("a", "gone"))

    assert (None, None, "Step 2 is inside a step that doesn't exist.") in found


def test_a_flow_that_cannot_be_called_is_reported():
    call = act("call").model_copy(update={"app_key": "patchbay", "key": "callFlow"})
    calls = {name: call.model_copy(update={"parameters": {"flow": name}}) for name in ("other", "f")}

    assert blockers(calls["other"]) == [("call", "flow", NOT_CALLABLE)]
    assert blockers(calls["other"], callable_flows={"other"}) == []
    odd = call.model_copy(update={"parameters": {"flow": ["other"]}})
    assert blockers(odd, callable_flows={"other"}) == [("call", "flow", NOT_CALLABLE)]
    assert blockers(calls["f"]) == [("call", "flow", NOT_CALLABLE)]
    called = START.model_copy(update={"app_key": "patchbay", "key": "called"})
    assert blockers(calls["f"], start=called) == []
