"""Flows as files: what may come in, in clear words, and what goes out."""

import json

import pytest
from tests.support.fake_backend import FakeBackend
from tests.support.fake_tree_flow import tree_flow
from tests.support.fake_workspace import apps

from patchbay.desktop.flows.view_models.import_export import (
    FlowFiles,
    exports_to_json,
    file_name,
    plan_import,
)
from patchbay.domain.base import FlowId
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.flows import FlowExport

FLOW = FlowId("flow-issues")


@pytest.fixture
def export() -> FlowExport:
    backend = FakeBackend(executions=0)
    return backend._export(backend.flows[FLOW])


def test_one_flow_is_previewed_with_its_steps(export):
    plan = plan_import(exports_to_json((export,)), "issues.json", apps(), {})

    assert plan.importable == (export,)
    assert [step.app_name for step in plan.flows[0].steps] == [
        "GitHub",
        "Filter",
        "DeepL",
        "Todoist",
        "Slack",
    ]
    assert plan.flows[0].notes == (
        "After the import, choose a connection for GitHub, DeepL, Todoist, Slack.",
    )


def test_steps_that_hold_others_are_previewed_by_their_kind():
    plan = plan_import(exports_to_json((FakeBackend._export(tree_flow()),)), "tree.json", apps(), {})

    shown = {step.title: step.app_name for step in plan.flows[0].steps if step.app_key is None}
    assert shown == dict.fromkeys(
        ["Branches", "Urgent", "With labels", "For each item", "Default branch"], "Contains other steps"
    )


def test_a_list_holds_several_flows_even_with_the_same_id(export):
    plan = plan_import(exports_to_json((export, export)), "flows.json", apps(), {})

    assert len(plan.importable) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "isn't valid JSON"),
        ("[]", "contains no flows"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(text, words):
    assert words in plan_import(text, "x.json", {}, {}).error


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"name": "No steps"}, "it has no steps"),
        ({"id": "a", "name": "Empty", "steps": []}, "The flow has no steps."),
        (
            {"id": "a", "name": "A", "steps": [{"id": "1", "type": "action", "position": 1}]},
            "The first step must be a trigger.",
        ),
        ({"id": "a", "name": "A", "steps": [{"id": "1", "position": 1}]}, "type"),
    ],
)
def test_a_flow_that_cannot_be_imported_says_why(content, words):
    flow = plan_import(json.dumps(content), "x.json", {}, {}).flows[0]

    assert flow.export is None
    assert words in flow.error


def test_a_missing_app_is_reported_but_does_not_block_the_import(export):
    known = {key: app for key, app in apps().items() if key != "deepl"}

    flow = plan_import(exports_to_json((export,)), "x.json", known, {}).flows[0]

    assert flow.export is not None
    assert flow.steps[2].problem == "The app “deepl” isn't installed"


def test_a_signed_webhook_is_pointed_out():
    steps = [
        {
            "id": "a",
            "type": "trigger",
            "position": 1,
            "appKey": "webhook",
            "key": "catchRawWebhook",
            "webhookPath": "/webhooks/flows/x",
            "connectionRequired": True,
        },
        {"id": "b", "type": "action", "position": 2},
    ]
    plan = plan_import(json.dumps({"id": "x", "name": "Signed", "steps": steps}), "flow.json", {}, {})

    words = "Its webhook only accepts signed requests. After the import, choose a signing secret."
    assert words in plan.flows[0].notes


def test_a_secret_typed_into_a_step_is_pointed_out(export):
    raw = json.loads(exports_to_json((export,)))
    raw["steps"][4]["parameters"]["apiToken"] = "xoxb-123456789"

    flow = plan_import(json.dumps(raw), "x.json", apps(), {}).flows[0]

    assert "The file may contain a secret in apiToken." in flow.notes


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("New GitHub issue → Todoist task", "new-github-issue-to-todoist-task.json"),
        ("../../etc/passwd", "etc-passwd.json"),
        ("…", "flow.json"),
        ("Über Größe", "über-größe.json"),
    ],
)
def test_file_names_are_safe(name, expected):
    assert file_name(name) == expected


def test_what_is_exported_can_be_imported(qtbot, around, flows, tmp_path, notices):
    files = FlowFiles(around, flows, flows)
    path = tmp_path / "two.json"

    files.export((FLOW, FlowId("flow-uptime")), path)
    qtbot.waitUntil(lambda: len(notices) == 1)
    with qtbot.waitSignal(files.planned) as planned:
        files.read(path)
    with qtbot.waitSignal(files.imported) as imported:
        files.import_exports(planned.args[0].importable)

    names = [flow.name for flow in imported.args[0]]
    assert names == ["New GitHub issue → Todoist task", "Uptime alert → Slack and phone"]
    assert "connection" not in path.read_text(encoding="utf-8").lower()


def test_a_folder_that_cannot_be_written_to_says_so(qtbot, around, flows, tmp_path, notices):
    files = FlowFiles(around, flows, flows)

    files.export((FLOW,), tmp_path / "missing" / "x.json")

    qtbot.waitUntil(lambda: len(notices) == 1)
    assert notices[0].severity == "error"


def test_a_file_that_is_not_text_says_so(qtbot, around, flows, tmp_path):
    path = tmp_path / "picture.json"
    path.write_bytes(b"\x89PNG\xff\xfe")

    files = FlowFiles(around, flows, flows)

    with qtbot.waitSignal(files.planned) as planned:
        files.read(path)

    assert "isn't a text file" in planned.args[0].error


def test_what_waits_for_an_export_happens_only_when_all_of_it_is_in_the_file(
    qtbot, around, flows, tmp_path, notices
):
    files, deleted = FlowFiles(around, flows), []
    files.export((FLOW,), tmp_path / "missing" / "x.json", lambda: deleted.append("lost"))
    qtbot.waitUntil(lambda: len(notices) == 1)

    files.export((FLOW,), tmp_path / "x.json", lambda: deleted.append("kept"))
    qtbot.waitUntil(lambda: len(notices) == 2)

    assert deleted == ["kept"]
    assert (tmp_path / "x.json").exists()


def test_steps_are_called_after_their_events(qtbot, around, flows, tmp_path, export):
    path = tmp_path / "issues.json"
    path.write_text(exports_to_json((export,)), encoding="utf-8")
    files = FlowFiles(around, flows, flows)

    with qtbot.waitSignal(files.planned) as planned:
        files.read(path)

    shown = [step.title for step in planned.args[0].flows[0].steps]
    assert shown[0] == "New issues"
    assert not {step.key for step in export.steps if step.key}.intersection(shown)


def test_the_name_of_a_header_is_no_secret(export):
    raw = json.loads(exports_to_json((export,)))
    raw["steps"][4]["parameters"]["headers"] = [{"key": "Content-Type", "value": "application/json"}]

    assert "secret" not in " ".join(plan_import(json.dumps(raw), "x.json", apps(), {}).flows[0].notes)


def test_a_file_nested_too_deeply_says_so():
    assert "nested too deeply" in plan_import("[" * 200_000, "x.json", {}, {}).error


def test_what_was_imported_before_says_so(qtbot, around, flows, tmp_path, export, backend):
    path = tmp_path / "issues.json"
    path.write_text(exports_to_json((export,)), encoding="utf-8")
    backend.flows["flow-issues"] = backend.flows["flow-issues"].model_copy(
        update={"imported_from": export.fingerprint, "name": "Renamed since"}
    )
    files = FlowFiles(around, flows, flows)

    with qtbot.waitSignal(files.planned) as planned:
        files.read(path)

    assert planned.args[0].flows[0].existing == "Renamed since"


def test_nothing_is_imported_when_one_flow_is_refused(
    qtbot, around, flows, export, backend, notices, monkeypatch
):
    imported = backend.import_flow

    async def refuse_the_second(flow):
        if flow.name == "Refused":
            raise ValidationFailed({"flow": ["no"]}, happened="This flow is too large.")
        return await imported(flow)

    monkeypatch.setattr(backend, "import_flow", refuse_the_second)
    before = set(backend.flows)
    files = FlowFiles(around, flows, flows)

    files.import_exports((export, export.model_copy(update={"name": "Refused"})))
    qtbot.waitUntil(lambda: len(notices) == 1)

    assert "1 of 2 flows can't be imported" in notices[0].text
    assert set(backend.flows) == before
