"""Permits: decides whether a version of a flow may run. The only place that issues permits.

Decides when programs and other people's connections need an admin's approval:

Unless programs are isolated, a step that runs one acts as the system user that runs Patchbay. So a version
with such steps only runs if programs are isolated, or if an admin starts it or has published it. The decision
is made for exactly the version that is then run, which never changes.

A step that uses the desktop acts for the person who has the window open, or asks that person. So a version
with such steps only runs if an admin starts it or has published it, however programs are isolated.

A step that runs an installed program acts as the system user, too, and isn't isolated. So it needs both: an
admin allows the program in the settings, and an admin starts the version or has published it.

A flow whose owner isn't an admin can only use its owner's connections. An admin can lend it another one by
publishing a version that uses it. Only that version may use it, not a later one that someone else publishes,
so that former admins, and people who find a connection in a draft, can't send its credentials elsewhere.

A step that uses files of this computer only runs if they are below a folder that an admin allows in the
settings. That holds for all users: an admin who starts another person's flow lends it no other files. This is
decided by the paths as they are written; `ctx.files` checks at each access where they lead.

An approval also lets the steps reach internal addresses (`ContextFactory._policy`).

An approval ends when another version is published, or none: a person who isn't an admin then starts the
version as if no admin had approved it, such as by replaying an execution. This is decided when the execution
is created, and again when it is first claimed (`storage/run_transactions.py`), since it may have been queued
for long, such as while its flow was paused. It is stored with the execution, so runs that have been started
continue.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from patchbay.domain.base import ConnectionId, FlowId
from patchbay.domain.engine import Isolation
from patchbay.domain.engine_store import EngineStore, Permit
from patchbay.domain.errors import Forbidden
from patchbay.domain.flows import FlowVersion
from patchbay.engine.plan import Plan, PlannedStep, used_connections
from patchbay.integration.allowed_programs import ProgramAccess
from patchbay.integration.local_files import FileAccess


class PermitIssuer:
    """Issues permits. `isolation` returns how programs are isolated on this computer."""

    def __init__(
        self,
        isolation: Callable[[], Isolation],
        store: EngineStore,
        files: FileAccess,
        programs: ProgramAccess | None = None,
    ) -> None:
        self._isolation = isolation
        self._programs = programs or ProgramAccess(tuple, files)
        self._files = files
        self._store = store

    async def permit_for_person(self, plan: Plan, *, full_rights: bool) -> Permit:
        """The permit for a person who starts this plan manually. Raises `Forbidden` if it may not run.

        Without full rights, the approval of a version counts only while that version is published.
        """
        version = plan.version
        is_outdated = not full_rights and not version.is_draft and not await self._is_published(version)
        has_ended = is_outdated and version.approved
        permit = await self.permit_to_run(plan, full_rights=full_rights, approval_ended=has_ended)
        if permit.rejection is None:
            return permit
        if is_outdated and isinstance(permit.rejection, _ApprovalMissing):
            raise _outdated_version_error(permit.rejection, has_ended=False)
        raise permit.rejection

    async def _is_published(self, version: FlowVersion) -> bool:
        published = await self._store.version(version.flow_id)
        return published is not None and published.number == version.number

    async def permit_to_run(self, plan: Plan, *, full_rights: bool, approval_ended: bool = False) -> Permit:
        """The permit for steps that are about to run. Also checks in the store who owns their connections."""
        permit = await self._permit(plan, full_rights=full_rights, approval_ended=approval_ended)
        if approval_ended and isinstance(permit.rejection, _ApprovalMissing):
            return replace(permit, rejection=_outdated_version_error(permit.rejection, has_ended=True))
        return permit

    async def _permit(self, plan: Plan, *, full_rights: bool, approval_ended: bool) -> Permit:
        if approval_ended:
            plan = replace(plan, version=plan.version.model_copy(update={"approved": False}))
        permit = replace(self._decide(plan, full_rights=full_rights), approval_ended=approval_ended)
        exempt = plan.version.approved or (plan.version.is_draft and full_rights)
        if permit.rejection is not None or exempt or not plan.connection_ids:
            return permit
        foreign = await self._store.foreign_connections(plan.flow_id, plan.connection_ids)
        used = (step for step in plan.steps if step.step.connection_id in foreign)
        rejection = next((foreign_connection_error(step.index + 1, step.label) for step in used), None)
        return replace(permit, rejection=rejection)

    def permit_to_store(self, plan: Plan) -> Permit:
        """The permit for an execution that starts automatically, only to store it.

        `permit_to_run` decides again before it runs, and only it checks who owns the connections.
        """
        return self._decide(plan, full_rights=False)

    def require_publishable(self, plan: Plan, *, full_rights: bool) -> None:
        """Raise `Forbidden` if this plan may not be published: its programs, files, or desktop steps."""
        if (rejection := self._decide(plan, full_rights=full_rights).rejection) is not None:
            raise rejection

    def _decide(self, plan: Plan, *, full_rights: bool) -> Permit:
        """The permit by all rules except that for connections, which needs the store."""
        rejection = self._find_file_rejection(plan) or self._find_program_rejection(plan)
        is_approved = full_rights or plan.version.approved
        if rejection is None and not is_approved:
            rejection = self._find_approval_rejection(plan)
        return Permit(version=plan.version, full_rights=full_rights, rejection=rejection)

    def _find_approval_rejection(self, plan: Plan) -> Forbidden | None:
        step = next((step for step in plan.steps if step.uses_desktop), None)
        step = step or next((step for step in plan.steps if step.program_argument), None)
        if step is None and plan.programs and not self._isolation().isolates_programs:
            step = plan.programs[0]
        return None if step is None else _approval_error(step, run_again=not plan.version.is_draft)

    def _find_program_rejection(self, plan: Plan) -> Forbidden | None:
        for step in plan.steps:
            if step.program_argument:
                entered = step.step.parameters.get(step.program_argument)
                label = f"Step {step.index + 1} ({step.label})"
                if (rejection := self._programs.find_rejection(label, entered)) is not None:
                    return rejection
        return None

    def _find_file_rejection(self, plan: Plan) -> Forbidden | None:
        for step in plan.steps:
            if step.file_arguments:
                entered = [step.step.parameters.get(key) for key in step.file_arguments]
                if step.program_argument and not any(entered):
                    continue  # its folder is optional
                rejection = self._files.find_rejection(f"Step {step.index + 1} ({step.label})", entered)
                if rejection is not None:
                    return rejection
        return None


def require_permit(permit: Permit | None, planned: PlannedStep) -> None:
    """Raise `Forbidden` if the permit doesn't cover this step. The last check, right before the step runs."""
    needs_permit = planned.runs_programs or planned.program_argument or planned.uses_desktop
    if not needs_permit and not planned.file_arguments:
        return
    # Compared by identity, so that a permit for other steps with the same IDs covers nothing. A permit
    # without approval has a copy of the version, but `model_copy` is shallow: its steps are the same objects.
    if permit is None or not any(step is planned.step for step in permit.version.steps):
        if needs_permit:
            raise _approval_error(planned)
        raise Forbidden(f"Step {planned.index + 1} ({planned.label}) wasn't checked, so it can't use files.")
    if permit.rejection is not None:
        raise permit.rejection


def require_approval(planned: PlannedStep, *, approved: bool) -> None:
    """Raise `Forbidden` for a trigger that needs an admin's approval and doesn't have it."""
    if planned.uses_desktop and not approved:
        raise _approval_error(planned)


async def foreign_connections(
    store: EngineStore, flow_id: FlowId, steps: Iterable[PlannedStep]
) -> frozenset[ConnectionId]:
    """The connections of these steps that belong to someone else than the flow's owner."""
    used = used_connections(steps)
    return await store.foreign_connections(flow_id, used) if used else frozenset()


def foreign_connection_error(number: int, label: str) -> Forbidden:
    """The error for a step that uses another person's connection."""
    return _ApprovalMissing(
        f"Step {number} ({label}) uses another person's connection, which needs an admin's approval.",
        meaning="The flow's owner isn't an admin, and no admin has published these steps. "
        "The connection wasn't used.",
        todo="Choose one of your own connections in this step, or ask an admin to publish the flow.",
    )


class _ApprovalMissing(Forbidden):
    """A step that only an admin's approval would allow."""


def _approval_error(planned: PlannedStep, *, run_again: bool = False) -> Forbidden:
    """The error for a step that an admin has to approve: by what it does, and why that matters.

    `run_again`: it also says how to repeat the run of a published version afterwards.
    """
    does, meaning = "runs a program", "The program isn't isolated: it can do everything that Patchbay can."
    if planned.uses_desktop:
        does, meaning = "uses the desktop", "It acts for the person at the computer that runs the flows."
    elif not planned.program_argument:
        meaning = (
            "Programs aren't isolated on this computer, so they could read and change everything that "
            "Patchbay can."
        )
    todo = "Ask an admin to test and publish this flow."
    return _ApprovalMissing(
        f"Step {planned.index + 1} ({planned.label}) {does}, which needs an admin's approval.",
        meaning=f"{meaning} No step was run.",
        # Not “retry”: publishing approves a new version, but a retry runs the version that failed.
        todo=f"{todo} Then run failed executions again on the newest version." if run_again else todo,
    )


def _outdated_version_error(rejection: Forbidden, *, has_ended: bool) -> Forbidden:
    """The error for a version that isn't the published one, and so can't be approved any more."""
    approval = "An admin approved this version, but" if has_ended else "No admin approved this version, and"
    return Forbidden(
        rejection.happened,
        meaning=f"{approval} it isn't the published one any more. No step was run.",
        todo="Run it again on the newest version. If no admin has published that one, ask one to publish the "
        "flow.",
    )
