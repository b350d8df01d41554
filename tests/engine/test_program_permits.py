"""A step that runs an installed program needs two consents: for the program, and for the flow."""

import pytest
from tests.engine.test_desktop_permits import ISOLATED
from tests.support.app_calls import built_in

from patchbay.domain.base import AppKey, FlowId, Json, StepId
from patchbay.domain.errors import Forbidden
from patchbay.domain.flows import FlowVersion, Step, StepType
from patchbay.engine.plan import Plan, Plans
from patchbay.engine.run_permits import PermitIssuer, require_permit
from patchbay.integration.allowed_programs import ProgramAccess
from patchbay.integration.local_files import FileAccess, LocalFiles

CONVERT = "/usr/bin/convert"


def plan(program: Json, *, approved: bool = False, folder: str = "/srv/files") -> Plan:
    flow_id = FlowId("1")
    trigger = Step(
        id=StepId("1"),
        type=StepType.TRIGGER,
        app_key=AppKey("webhook"),
        key="catchRawWebhook",
        position=1,
    )
    action = Step(
        id=StepId("2"),
        type=StepType.ACTION,
        app_key=AppKey("programs"),
        key="runProgram",
        parameters={"program": program, "folder": folder},
        position=2,
    )
    version = FlowVersion(
        flow_id=flow_id, number=1, name="A flow", steps=(trigger, action), approved=approved
    )
    return Plans(built_in()).fresh(version)


def issuer(*programs: str) -> PermitIssuer:
    files = FileAccess(LocalFiles(lambda: ("/srv/files",)))
    return PermitIssuer(lambda: ISOLATED, None, files, ProgramAccess(lambda: programs, files))


@pytest.mark.parametrize("program", ["/usr/bin/other", "convert", "{{step.1.program}}", "", None, [CONVERT]])
@pytest.mark.parametrize("approved", [True, False])
async def test_not_even_an_admin_runs_a_program_that_is_not_allowed(program, approved):
    permits, checked = issuer(CONVERT), plan(program, approved=approved)

    permit = await permits.permit_to_run(checked, full_rights=True)
    with pytest.raises(Forbidden):
        permits.require_publishable(checked, full_rights=True)

    assert permit.rejection is not None
    with pytest.raises(Forbidden):
        require_permit(permit, checked.steps[1])


def test_an_allowed_program_needs_approval_even_if_programs_are_isolated():
    permits, checked = issuer(CONVERT), plan(CONVERT)

    permit = permits.permit_to_store(checked)
    with pytest.raises(Forbidden, match="needs an admin's approval"):
        permits.require_publishable(checked, full_rights=False)

    assert permit.rejection is not None
    for one in (None, permit, permits.permit_to_store(plan(CONVERT, approved=True))):
        with pytest.raises(Forbidden):
            require_permit(one, checked.steps[1])


@pytest.mark.parametrize(("approved", "full_rights"), [(True, False), (False, True)])
async def test_with_both_consents_it_runs(approved, full_rights):
    permits, checked = issuer(CONVERT), plan(CONVERT, approved=approved)

    permit = await permits.permit_to_run(checked, full_rights=full_rights)

    assert permit.rejection is None
    require_permit(permit, checked.steps[1])


def test_a_program_that_is_no_longer_allowed_is_not_run_again():
    programs = [CONVERT]
    files = FileAccess(LocalFiles(lambda: ("/srv/files",)))
    permits = PermitIssuer(lambda: ISOLATED, None, files, ProgramAccess(lambda: programs, files))
    checked = plan(CONVERT, approved=True)
    assert permits.permit_to_store(checked).rejection is None

    programs.clear()

    assert permits.permit_to_store(checked).rejection is not None


def test_without_a_working_folder_no_folder_has_to_be_allowed():
    files = FileAccess(LocalFiles(tuple))
    permits = PermitIssuer(lambda: ISOLATED, None, files, ProgramAccess(lambda: (CONVERT,), files))

    assert permits.permit_to_store(plan(CONVERT, approved=True, folder="")).rejection is None
    assert permits.permit_to_store(plan(CONVERT, approved=True)).rejection is not None
