"""Values of earlier steps and what is missing: pure rules of the editor."""

import asyncio

import pytest
from tests.support.fake_backend import FakeBackend

from patchbay.desktop.editor.view_models.blockers import (
    BlockerContext,
    blocker_link,
    find_blockers,
    merge_blockers,
)
from patchbay.desktop.editor.view_models.step_tree import StepTree
from patchbay.desktop.editor.view_models.variables import (
    ValueEntryCache,
    build_catalog,
    sample_text,
    type_name,
)
from patchbay.domain.base import AppKey, ConnectionId, FlowId, JsonObject, StepId
from patchbay.domain.blockers import Blocker
from patchbay.domain.flows import Flow, Step, StepStatus, StepType
from patchbay.domain.variables import Reference


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend(executions=0)


@pytest.fixture
def catalog(backend):
    samples = asyncio.run(backend.step_samples("flow-issues"))
    return build_catalog(StepTree(backend.flows["flow-issues"].steps), StepId("flow-issues-4"), samples, {})


def test_only_earlier_steps_offer_values(catalog):
    assert [group.position for group in catalog.groups] == [1, 2, 3]


def test_values_are_found_at_any_depth_with_their_type_and_sample(catalog):
    found = {entry.label: (entry.type, entry.sample) for entry in catalog.groups[0].entries}

    assert found["user.login"] == ("text", "mkowalski")
    assert found["number"] == ("number", "482")
    assert found["locked"] == ("yes/no", "false")
    assert found["labels"] == ("list", "2 items")
    assert found["labels.0"] == ("text", "bug")


def test_the_headers_of_a_request_come_after_its_data():
    output: JsonObject = {
        "headers": {"host": "a"},
        "query": {"q": "1"},
        "body": {"headers": 1, "name": "Ada"},
    }

    found = ValueEntryCache().entries(StepId("webhook"), output)

    labels = ["query", "query.q", "body", "body.headers", "body.name", "headers", "headers.host"]
    assert [entry.label for entry in found] == labels


def test_search_needs_every_word_and_can_prefer_a_type(catalog):
    found = catalog.search("issues user")
    preferred = catalog.search("", preferred_type="number")

    assert [entry.label for entry in found[0].entries] == ["user", "user.login", "user.id"]
    assert preferred[0].entries[0].type == "number"


def test_a_chip_says_step_and_path_and_knows_when_it_is_broken(catalog):
    good = catalog.describe(Reference(step_id=StepId("flow-issues-1"), path=("user", "login")))
    later = catalog.describe(Reference(step_id=StepId("flow-issues-5"), path=("ok",)))
    gone = catalog.describe(Reference(step_id=StepId("nobody"), path=("x",)))

    assert (good.text, good.broken, good.sample) == ("New issues · user.login", False, "mkowalski")
    assert later.broken
    assert gone.text == "Deleted step · x"


@pytest.mark.parametrize(
    ("key", "segment"), [("a.b", '"a.b"'), ('say "hi"', '"say ""hi"""'), ("a | json", '"a | json"')]
)
def test_every_key_can_be_chosen_as_one_segment(backend, key, segment):
    sample = asyncio.run(backend.step_samples("flow-issues"))[0]
    sample = sample.model_copy(update={"data_out": {key: [{"c": 1}]}})

    catalog = build_catalog(
        StepTree(backend.flows["flow-issues"].steps), StepId("flow-issues-2"), [sample], {}
    )

    entry = catalog.groups[0].entries[-1]
    assert entry.token == f"{{{{step.flow-issues-1.{segment}.0.c}}}}"
    assert catalog.describe(entry.reference).sample == "1"


@pytest.mark.parametrize(("value", "name"), [(None, "empty"), ({}, "group"), ([], "list"), (1.5, "number")])
def test_types_are_named_in_words(value, name):
    assert type_name(value) == name


def test_a_long_sample_is_shortened_on_one_line():
    assert sample_text("a\n" * 200).endswith("…")
    assert "\n" not in sample_text("a\nb")


def test_every_missing_part_is_one_blocker_with_its_field(backend):
    flow = Flow(
        id=FlowId("f"),
        name="F",
        steps=(
            Step(id=StepId("1"), type=StepType.TRIGGER, position=1),
            Step(
                id=StepId("2"), type=StepType.ACTION, position=2, app_key=AppKey("todoist"), key="createTask"
            ),
            Step(
                id=StepId("3"),
                type=StepType.ACTION,
                position=3,
                app_key=AppKey("slack"),
                key="sendMessage",
                connection_id=ConnectionId("con-slack"),
                parameters={"channel": "#ops", "message": "{{step.4.x}}"},
            ),
        ),
    )

    found = find_blockers(flow, BlockerContext(backend.apps, backend.connections))

    assert [(item.position, item.field) for item in found] == [
        (1, "key"),
        (2, "connectionId"),
        (2, "projectId"),
        (2, "content"),
        (3, "message"),
    ]


def test_a_complete_but_untested_step_asks_for_its_test(backend):
    flow = backend.flows["flow-invoice"]

    found = find_blockers(flow, BlockerContext(backend.apps, backend.connections))

    assert [blocker_link(item) for item in found] == ["Test step 1", "Test step 2"]


def test_a_flow_of_one_step_needs_another(backend):
    trigger = backend.flows["flow-uptime"].steps[0].model_copy(update={"status": StepStatus.COMPLETED})

    found = find_blockers(Flow(id=FlowId("f"), name="F", steps=(trigger,)), BlockerContext(backend.apps, {}))

    assert [blocker_link(item) for item in found] == ["Add step"]


def test_what_the_workspace_refused_fills_what_the_window_cannot_know():
    live = (Blocker(step_id=StepId("1"), position=1, field="test", reason="Not tested"),)
    refused = (
        Blocker(step_id=StepId("1"), position=1, reason="Same step"),
        Blocker(step_id=StepId("2"), position=2, reason="Only there"),
    )

    merged = merge_blockers(live, refused)

    assert [item.reason for item in merged] == ["Not tested", "Only there"]
