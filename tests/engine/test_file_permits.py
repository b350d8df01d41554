"""Whether a version may use files of this computer is decided where its runs begin, for everybody alike."""

from dataclasses import replace

import pytest
from tests.support.app_calls import built_in

from patchbay.domain.base import AppKey, FlowId, StepId
from patchbay.domain.engine import NOT_ISOLATED
from patchbay.domain.errors import Forbidden
from patchbay.domain.flows import FlowVersion, Step, StepType
from patchbay.engine.plan import Plan, Plans
from patchbay.engine.run_permits import PermitIssuer, require_permit
from patchbay.integration.local_files import FileAccess, LocalFiles

INSIDE = {"path": "/srv/files/a.txt"}


def plan(parameters: dict, *, approved: bool = True) -> Plan:
    flow_id = FlowId("1")
    steps = [
        Step(
            id=StepId("1"),
            type=StepType.TRIGGER,
            app_key=AppKey("webhook"),
            key="catchRawWebhook",
            position=1,
        ),
        Step(
            id=StepId("2"),
            type=StepType.ACTION,
            app_key=AppKey("files"),
            key="readFile",
            parameters=parameters,
            position=2,
        ),
    ]
    version = FlowVersion(flow_id=flow_id, number=1, name="A flow", steps=tuple(steps), approved=approved)
    return Plans(built_in()).fresh(version)


def issuer(*folders: str) -> PermitIssuer:
    return PermitIssuer(lambda: NOT_ISOLATED, None, FileAccess(LocalFiles(lambda: folders)))


@pytest.mark.parametrize(
    ("folders", "parameters", "said"),
    [
        ((), INSIDE, "no folder is allowed"),
        ((), {"path": "{{step.1.path}}"}, "no folder is allowed"),
        (("/srv/files",), {"path": "/etc/passwd"}, "can't use “/etc/passwd”"),
        (("/srv/files",), {"path": "/srv/files/../a"}, "can't contain"),
    ],
)
@pytest.mark.parametrize("approved", [True, False])
async def test_not_even_an_admin_starts_a_flow_with_files_outside_of_the_allowed_folders(
    folders, parameters, said, approved
):
    permits, checked = issuer(*folders), plan(parameters, approved=approved)

    permit = await permits.permit_to_run(checked, full_rights=True)
    with pytest.raises(Forbidden, match=said) as caught:
        permits.require_publishable(checked, full_rights=True)

    assert permit.rejection is not None
    assert "Settings → Engine" in caught.value.todo or "full path" in caught.value.todo
    with pytest.raises(Forbidden):
        require_permit(permit, checked.steps[1])


@pytest.mark.parametrize("parameters", [INSIDE, {"path": "{{step.1.path}}"}, {}])
def test_files_in_an_allowed_folder_need_no_further_approval(parameters):
    permits, checked = issuer("/srv/files"), plan(parameters, approved=False)

    permit = permits.permit_to_store(checked)

    assert permit.rejection is None
    require_permit(permit, checked.steps[1])


def test_a_step_that_uses_files_does_not_run_without_a_permit_for_its_version():
    permits, checked = issuer("/srv/files"), plan(INSIDE)
    other = permits.permit_to_store(plan({"path": "/srv/files/b.txt"}))

    for permit in (None, replace(other, full_rights=True)):
        with pytest.raises(Forbidden):
            require_permit(permit, checked.steps[1])


def test_every_event_that_opens_files_declares_its_paths():
    for key in ("files", "tables", "sqlite"):
        app = built_in().get(AppKey(key))
        for event in (*app.triggers, *app.actions):
            assert event.file_arguments
            assert {*event.file_arguments} <= {argument.key for argument in event.arguments}
