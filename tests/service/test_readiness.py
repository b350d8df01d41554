import pytest

from patchbay.domain.apps import ActionInfo, AppInfo, TriggerInfo
from patchbay.domain.base import AppKey, ConnectionId, FlowId, StepId
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.fields import Argument, ArgumentType
from patchbay.domain.flows import Flow, Step, StepStatus, StepType
from patchbay.service.readiness import MAX_LISTED_REFERENCES, find_blockers

TITLE = Argument(key="title", label="Title", required=True, variables=True)
DETAIL = Argument(key="detail", label="Detail", required=True, visible_if={"kind": "long"})
METHOD = Argument(key="method", label="Method", variables=False)
CODE = Argument(key="code", label="Code", variables=False, value_type="verbatim")
ROWS = Argument(
    key="rows",
    label="Rows",
    type=ArgumentType.DYNAMIC,
    fields=(
        Argument(key="role", label="Role", variables=False),
        Argument(key="text", label="Text", variables=True),
    ),
)
CONDITIONS = Argument(key="or", label="Continue if", type=ArgumentType.CONDITIONS, required=True)
DESK = AppInfo(
    key=AppKey("desk"),
    name="Desk",
    supports_connections=True,
    triggers=(TriggerInfo(key="new", name="New"),),
    actions=(
        ActionInfo(key="create", name="Create", arguments=(TITLE, DETAIL)),
        ActionInfo(key="public", name="Public", supports_connections=False),
        ActionInfo(key="filter", name="Filter", supports_connections=False, arguments=(CONDITIONS,)),
        ActionInfo(key="call", name="Call", supports_connections=False, arguments=(METHOD, CODE, ROWS)),
    ),
)
TOOLS = AppInfo(
    key=AppKey("tools"),
    name="Tools",
    triggers=(TriggerInfo(key="catch", name="Catch"),),
    actions=(ActionInfo(key="pass", name="Pass on"),),
)
BROKEN = AppInfo(key=AppKey("broken"), name="Broken", broken="syntax error in line 3")
APPS = {app.key: app for app in (DESK, TOOLS, BROKEN)}
ACCOUNT = Connection(
    id=ConnectionId("c1"), app_key=AppKey("desk"), screen_name="Ada", health=ConnectionHealth.VALID
)


def step(position, app_key, key, **values):
    kind = StepType.TRIGGER if position == 1 else StepType.ACTION
    values = {"status": StepStatus.COMPLETED} | values
    return Step(id=StepId(f"s{position}"), type=kind, position=position, app_key=app_key, key=key, **values)


START = step(1, "tools", "catch")
END = step(2, "tools", "pass")


def blockers(*steps, connections=(ACCOUNT,)):
    flow = Flow(id=FlowId("f"), name="Flow", steps=steps)
    found = find_blockers(flow, APPS, {item.id: item for item in connections})
    return [(item.step_id, item.position, item.field, item.reason) for item in found]


def test_a_complete_flow_has_no_blockers():
    create = step(3, "desk", "create", connection_id="c1", parameters={"title": "{{step.s1.body.x}}"})

    assert blockers(START, END, create) == []


def test_a_reference_where_none_is_resolved_is_reported():
    """Imported flows may hold some: elsewhere every text is resolved."""
    found = "{{step.s1.body.x}}"
    call = step(
        3,
        "desk",
        "call",
        parameters={
            "method": found,
            "code": found,
            "rows": [{"role": "user", "text": found}, {"role": found}],
        },
    )

    assert [(item[2], item[3]) for item in blockers(START, END, call)] == [
        ("method", "“Method” can't use a variable. Choose or enter a value."),
        ("role", "“Role” can't use a variable. Choose or enter a value."),
    ]


@pytest.mark.parametrize("steps", [(), (START,)])
def test_fewer_than_two_steps(steps):
    assert (None, None, None, "A flow needs a trigger and at least one action.") in blockers(*steps)


def test_flow_that_does_not_start_with_a_trigger():
    first = step(1, "tools", "pass").model_copy(update={"type": StepType.ACTION})

    assert blockers(first, END)[0][3] == "The flow has no trigger."


@pytest.mark.parametrize(
    ("app_key", "key", "field", "reason"),
    [
        (None, None, "appKey", "Choose an app."),
        ("tools", None, "key", "Choose an event."),
        ("other", "x", "appKey", "The app “other” isn't installed here."),
        ("broken", "x", "appKey", "Broken can't be used: syntax error in line 3"),
        ("tools", "gone", "key", "Tools has no action “gone”. Choose another one. It has: pass."),
    ],
)
def test_step_without_an_app_or_event_that_exists(app_key, key, field, reason):
    assert blockers(START, step(2, app_key, key)) == [("s2", 2, field, reason)]


@pytest.mark.parametrize(
    ("operator", "reason"),
    [
        (
            "greaterThan",
            "“greaterThan” isn't a valid comparison. Use one of equal, not_equal, greater_than, less_than, "
            "greater_than_or_equal, less_than_or_equal, contains, not_contains, starts_with, "
            "not_starts_with, ends_with, not_ends_with, one_of, not_one_of, matches_pattern, "
            "not_matches_pattern, includes, not_includes, date_before, date_after, same_day, in_last, "
            "in_next, older_than, is_true, is_false, is_empty, is_not_empty.",
        ),
        ("", "A condition has no comparison. Choose one."),
    ],
)
def test_a_comparison_that_does_not_exist_prevents_publishing(operator, reason):
    groups = [{"and": [{"key": "7", "operator": operator, "value": "1"}]}]
    only_if = step(2, "desk", "filter", parameters={"or": groups})

    assert blockers(START, only_if) == [("s2", 2, "or", reason)]


def test_a_valid_comparison_does_not_prevent_publishing():
    groups = [{"and": [{"key": "7", "operator": "greater_than", "value": "1"}]}]

    assert blockers(START, step(2, "desk", "filter", parameters={"or": groups})) == []


def test_step_that_needs_a_connection_and_has_none():
    create = step(2, "desk", "create", parameters={"title": "x"})

    assert blockers(START, create) == [("s2", 2, "connectionId", "Choose a connection to Desk.")]


def test_event_that_needs_no_connection():
    assert blockers(START, step(2, "desk", "public")) == []


def test_deleted_connection():
    create = step(2, "desk", "create", connection_id="c1", parameters={"title": "x"})

    assert blockers(START, create, connections=()) == [
        ("s2", 2, "connectionId", "Its Desk connection was deleted. Choose another one.")
    ]


def test_connection_that_needs_attention():
    create = step(2, "desk", "create", connection_id="c1", parameters={"title": "x"})
    broken = ACCOUNT.model_copy(update={"health": ConnectionHealth.NEEDS_ATTENTION})

    assert blockers(START, create, connections=[broken]) == [
        ("s2", 2, "connectionId", "The Desk connection “Ada” needs reconnecting.")
    ]


def test_required_arguments_are_named_and_hidden_ones_are_not_requested():
    short = step(2, "desk", "create", connection_id="c1", parameters={"kind": "short"})
    long = step(2, "desk", "create", connection_id="c1", parameters={"kind": "long"})

    assert blockers(START, short) == [("s2", 2, "title", "“Title” is required.")]
    assert [field for _, _, field, _ in blockers(START, long)] == ["title", "detail"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("{{step.gone.x}}", "It uses a variable of step “gone”, which isn't in this flow."),
        ("{{step.c}}", "“{{step.c}}” isn't a complete variable. Choose the value to insert."),
        ("a {{ step.c }} b", "“{{ step.c }}” isn't a complete variable. Choose the value to insert."),
        ("a {{step.s2.x}}", "It uses a value of this step itself."),
        ({"rows": ["{{step.s3.x}}"]}, "It uses a value of step 3, which runs later."),
    ],
)
def test_references_that_cannot_have_a_value(value, reason):
    second = step(2, "tools", "pass", parameters={"text": value})

    assert blockers(START, second, step(3, "tools", "pass")) == [("s2", 2, "text", reason)]


def test_of_thousands_of_wrong_references_the_first_are_named():
    many = step(
        2, "tools", "pass", parameters={"text": "".join(f"{{{{step.gone{n}.x}}}}" for n in range(5_000))}
    )

    assert len(blockers(START, many)) == MAX_LISTED_REFERENCES


def test_a_step_that_was_neither_tested_nor_skipped():
    untested = step(2, "tools", "pass", status=StepStatus.INCOMPLETE)

    assert blockers(START, untested) == [("s2", 2, None, "Test this step, or skip the test.")]


def test_an_unfinished_step_is_not_also_asked_to_be_tested():
    unfinished = step(2, "tools", None, status=StepStatus.INCOMPLETE)

    assert blockers(START, unfinished) == [("s2", 2, "key", "Choose an event.")]


def test_what_looks_like_a_reference_in_a_program_is_none():
    program = Argument(key="program", label="Program", value_type="verbatim")
    tools = TOOLS.model_copy(
        update={"actions": (ActionInfo(key="pass", name="Pass on", arguments=(program,)),)}
    )
    runs = step(2, "tools", "pass", parameters={"program": "print('{{step.gone.x}}')"})

    assert (
        find_blockers(Flow(id=FlowId("f"), name="Flow", steps=(START, runs)), APPS | {tools.key: tools}, {})
        == []
    )


def test_actions_can_use_values_of_the_run_and_triggers_can_not():
    value = {"title": "{{now}} {{flow.id}} {{execution.id}}"}
    create = step(3, "desk", "create", connection_id="c1", parameters=value)
    early = step(1, "tools", "catch", parameters=value)

    assert blockers(START, END, create) == []
    assert blockers(early, END) == [
        ("s1", 1, "title", "It uses a value of the run, but triggers start before there is a run.")
    ]
