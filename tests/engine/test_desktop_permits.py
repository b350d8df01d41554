"""Whether a version may use the desktop is decided where its runs begin: admins start or approve it."""

from dataclasses import replace

import pytest
from tests.support.app_calls import built_in

from patchbay.domain.base import AppKey, FlowId, StepId
from patchbay.domain.engine import Isolation, IsolationKind
from patchbay.domain.errors import Forbidden
from patchbay.domain.flows import FlowVersion, Step, StepType
from patchbay.engine.plan import Plan, Plans
from patchbay.engine.run_permits import PermitIssuer, require_approval, require_permit
from patchbay.integration.local_files import FileAccess, LocalFiles

ISOLATED = Isolation(kind=IsolationKind.BUBBLEWRAP, detail="")


def plan(
    key: str,
    parameters: dict | None = None,
    *,
    approved: bool = False,
    trigger: tuple[str, str] = ("webhook", "catchRawWebhook"),
) -> Plan:
    flow_id = FlowId("1")
    steps = [
        Step(
            id=StepId("1"),
            type=StepType.TRIGGER,
            app_key=AppKey(trigger[0]),
            key=trigger[1],
            position=1,
        ),
        Step(
            id=StepId("2"),
            type=StepType.ACTION,
            app_key=AppKey("desktop" if key else "delay"),
            key=key or "delayFor",
            parameters=parameters or {},
            position=2,
        ),
    ]
    version = FlowVersion(flow_id=flow_id, number=1, name="A flow", steps=tuple(steps), approved=approved)
    return Plans(built_in()).fresh(version)


@pytest.fixture
def permits() -> PermitIssuer:
    return PermitIssuer(lambda: ISOLATED, None, FileAccess(LocalFiles(lambda: ("/srv/files",))))


@pytest.mark.parametrize("action", built_in().get(AppKey("desktop")).actions, ids=lambda one: one.key)
def test_no_step_of_the_desktop_runs_for_an_editor_even_if_programs_are_isolated(permits, action):
    parameters = {"path": "/srv/files/a.pdf"} if action.file_arguments else {}
    checked = plan(action.key, parameters)

    permit = permits.permit_to_store(checked)
    with pytest.raises(Forbidden, match="uses the desktop"):
        permits.require_publishable(checked, full_rights=False)

    assert permit.rejection is not None
    with pytest.raises(Forbidden):
        require_permit(permit, checked.steps[1])


@pytest.mark.parametrize(("approved", "full_rights"), [(True, False), (False, True)])
async def test_an_admin_starts_or_approves_it(permits, approved, full_rights):
    checked = plan("askMe", approved=approved)

    permit = await permits.permit_to_run(checked, full_rights=full_rights)

    assert permit.rejection is None
    require_permit(permit, checked.steps[1])


def test_a_step_does_not_run_without_a_permit_for_its_version(permits):
    checked = plan("askMe", approved=True)
    other = permits.permit_to_store(plan("askMe", {"title": "Another"}, approved=True))

    for permit in (None, replace(other, full_rights=True)):
        with pytest.raises(Forbidden, match="uses the desktop"):
            require_permit(permit, checked.steps[1])


def test_a_step_that_waits_for_a_person_has_the_time_for_it():
    waiting = plan("askMe", {"minutes": "30"}).steps[1]
    others = plan("readClipboard").steps[1]

    assert waiting.timeout_seconds > 30 * 60 > others.timeout_seconds


@pytest.mark.parametrize("entered", [None, "", "x", "9" * 30, [1]])
def test_a_time_limit_that_cannot_be_read_is_bounded(entered):
    assert 0 < plan("askMe", {"minutes": entered}).steps[1].timeout_seconds < 24 * 3600


@pytest.mark.parametrize("trigger", built_in().get(AppKey("desktop")).triggers, ids=lambda one: one.key)
def test_no_trigger_of_the_desktop_is_published_or_polled_for_an_editor(permits, trigger):
    checked = plan("", trigger=("desktop", trigger.key))

    with pytest.raises(Forbidden, match="uses the desktop"):
        permits.require_publishable(checked, full_rights=False)
    with pytest.raises(Forbidden, match="uses the desktop"):
        require_approval(checked.start, approved=False)

    permits.require_publishable(checked, full_rights=True)
    require_approval(checked.start, approved=True)
