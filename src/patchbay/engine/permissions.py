"""Decides whether a version of a flow may run. The only place that issues permits.

Two things need an admin: programs, and connections of other people.

A step that runs a program acts as the user Patchbay runs as, unless programs are isolated. So a version with
such steps runs when programs are isolated here, when whoever starts it has full rights, or when somebody with
full rights published it. The decision is made on the very version that is then run, which never changes.

A flow of somebody who is no admin uses that person's own connections. An admin lends it another one by
publishing a version that holds it: that version may use it, a later one of somebody else may not. So whoever
was an admin once, or was given a connection in a draft, can't send its credentials elsewhere.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from patchbay.domain.base import ConnectionId, FlowId
from patchbay.domain.engine import Isolation
from patchbay.domain.engine_store import EngineStore, Permit
from patchbay.domain.errors import Forbidden
from patchbay.engine.plan import Plan, PlannedStep


class Permissions:
    """Issues permits. `isolation` returns how programs are isolated on this computer."""

    def __init__(self, isolation: Callable[[], Isolation], store: EngineStore) -> None:
        self._isolation = isolation
        self._store = store

    async def require(self, plan: Plan, *, full_rights: bool) -> Permit:
        """The permit for somebody who starts this plan by hand. Raises `Forbidden`."""
        permit = await self.review(plan, full_rights=full_rights)
        if permit.refusal is not None:
            raise permit.refusal
        return permit

    async def review(self, plan: Plan, *, full_rights: bool) -> Permit:
        """The permit for steps that are about to run, of which nobody but the store knows whose they are."""
        permit = self.decide(plan, full_rights=full_rights)
        if permit.refusal is None and not (plan.version.is_draft and full_rights):
            refusal = await self._foreign_connection_refusal(plan)
            return replace(permit, refusal=refusal)
        return permit

    def require_programs(self, plan: Plan, *, full_rights: bool) -> None:
        """Raises `Forbidden` when whoever publishes this plan may not have its programs run."""
        if (refusal := self.decide(plan, full_rights=full_rights).refusal) is not None:
            raise refusal

    def decide(self, plan: Plan, *, full_rights: bool = False) -> Permit:
        """The permit for a start that is only stored; what runs it asks for a `review` first."""
        return Permit(
            version=plan.version,
            full_rights=full_rights,
            refusal=None if full_rights or plan.version.approved else self._refusal(plan),
        )

    async def _foreign_connection_refusal(self, plan: Plan) -> Forbidden | None:
        if plan.version.approved:
            return None
        foreign = await foreign_connections(self._store, plan.flow_id, plan.steps)
        used = (step for step in plan.steps if step.step.connection_id in foreign)
        return next((foreign_connection_error(step.index + 1, step.label) for step in used), None)

    def _refusal(self, plan: Plan) -> Forbidden | None:
        programs = [step for step in plan.steps if step.runs_programs]
        if not programs or self._isolation().isolates_programs:
            return None
        return _admin_approval_error(programs[0])


def require_permit(permit: Permit | None, planned: PlannedStep) -> None:
    """Raises `Forbidden` when the permit doesn't cover this step. Asked last, right before the step runs."""
    if not planned.runs_programs:
        return
    if permit is None or not any(step is planned.step for step in permit.version.steps):
        raise _admin_approval_error(planned)
    if permit.refusal is not None:
        raise permit.refusal


async def foreign_connections(
    store: EngineStore, flow_id: FlowId, steps: Iterable[PlannedStep]
) -> frozenset[ConnectionId]:
    """The connections of these steps that only an admin can lend to this flow."""
    used = {step.step.connection_id for step in steps if step.step.connection_id is not None}
    return await store.foreign_connections(flow_id, used) if used else frozenset()


def foreign_connection_error(number: int, label: str) -> Forbidden:
    """The refusal of a step with a connection of somebody else."""
    return Forbidden(
        f"Step {number} ({label}) uses a connection of somebody else, which only an admin can lend.",
        meaning="The flow belongs to somebody who is no admin, and no admin published these steps. "
        "Nothing was sent with the connection.",
        todo="Choose a connection of your own in this step, or ask an admin to publish the flow.",
    )


def _admin_approval_error(planned: PlannedStep) -> Forbidden:
    return Forbidden(
        f"Step {planned.index + 1} ({planned.label}) runs a program, which needs an admin's approval here.",
        meaning="Programs aren't isolated on this computer, so they could read and change everything that "
        "Patchbay can. No step was run.",
        todo="Ask an admin to test and publish this flow. What an admin publishes may run.",
    )
