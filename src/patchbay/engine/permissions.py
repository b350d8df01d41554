"""Decides whether a version of a flow may run. The only place that issues permits.

A step that runs a program acts as the user Patchbay runs as, unless programs are isolated. So a version with
such steps runs when programs are isolated here, when whoever starts it has full rights, or when somebody with
full rights published it. The decision is made on the very version that is then run, which never changes.
"""

from collections.abc import Callable

from patchbay.domain.errors import Forbidden
from patchbay.domain.isolation import Isolation
from patchbay.domain.runs import Permit
from patchbay.engine.plan import Plan, PlannedStep


class Permissions:
    """Issues permits. `isolation` returns how programs are isolated on this computer."""

    def __init__(self, isolation: Callable[[], Isolation]) -> None:
        self._isolation = isolation

    def require(self, plan: Plan, *, full_rights: bool) -> Permit:
        """The permit for somebody who starts this plan by hand. Raises `Forbidden`."""
        permit = self.decide(plan, full_rights=full_rights)
        if permit.refusal is not None:
            raise permit.refusal
        return permit

    def decide(self, plan: Plan, *, full_rights: bool = False) -> Permit:
        """The permit for a start that nobody waits for; its run fails with the refusal, if there is one."""
        return Permit(
            version=plan.version,
            full_rights=full_rights,
            refusal=None if full_rights or plan.version.approved else self._refusal(plan),
        )

    def _refusal(self, plan: Plan) -> Forbidden | None:
        programs = [step for step in plan.steps if step.runs_programs]
        if not programs or self._isolation().isolates_programs:
            return None
        return _needs_an_admin(programs[0])


def require_permit(permit: Permit | None, planned: PlannedStep) -> None:
    """Raises `Forbidden` when the permit doesn't cover this step. Asked last, right before the step runs."""
    if not planned.runs_programs:
        return
    if permit is None or not any(step is planned.step for step in permit.version.steps):
        raise _needs_an_admin(planned)
    if permit.refusal is not None:
        raise permit.refusal


def _needs_an_admin(planned: PlannedStep) -> Forbidden:
    return Forbidden(
        f"Step {planned.index + 1} ({planned.label}) runs a program, which needs an admin's approval here.",
        meaning="Programs aren't isolated on this computer, so they could read and change everything that "
        "Patchbay can. No step was run.",
        todo="Ask an admin to test and publish this flow. What an admin publishes may run.",
    )
