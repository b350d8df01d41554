"""How published flows are run: their settings, holding them, and letting them go on."""

from patchbay.domain.audit import AuditAction
from patchbay.domain.base import FlowId
from patchbay.domain.errors import Conflict, ValidationFailed
from patchbay.domain.flows import PAUSED_BY_USER, Flow, FlowSettings
from patchbay.domain.time_zones import find_time_zone
from patchbay.service.flows import FlowOperations
from patchbay.storage.repositories import flows
from patchbay.storage.repositories.rows import Tx


class FlowSettingsOperations(FlowOperations):
    """What takes effect at once, without publishing."""

    async def change_flow_settings(self, flow_id: FlowId, settings: FlowSettings) -> Flow:
        """Raises `ValidationFailed` for a time zone that does not exist."""
        if settings.time_zone is not None:
            _require_time_zone(settings.time_zone)
        now = self._clock()

        def work(tx: Tx) -> Flow:
            flows.get(tx, flow_id)
            flows.change(tx, flow_id, now, settings=settings.model_dump_json())
            return flows.get(tx, flow_id)

        return self._notify_engine(await self._commit_flow(work, AuditAction.UPDATED))

    async def pause_flow(self, flow_id: FlowId) -> Flow:
        """Hold a published flow. One that is paused stays so, with the reason it has."""
        now = self._clock()

        def work(tx: Tx) -> Flow:
            flow = flows.get(tx, flow_id)
            if not flow.active:
                raise Conflict(
                    "This flow is not published, so there is nothing to pause.",
                    meaning="Drafts do not run by themselves.",
                )
            if flow.paused_at is None:
                flows.change(tx, flow_id, now, paused_at=now, paused_reason=PAUSED_BY_USER)
            return flows.get(tx, flow_id)

        return self._notify_engine(await self._commit_flow(work, AuditAction.PAUSED))

    async def resume_flow(self, flow_id: FlowId) -> Flow:
        """Go on, with what was kept meanwhile; failures in a row are counted anew."""
        now = self._clock()

        def work(tx: Tx) -> Flow:
            if flows.get(tx, flow_id).paused_at is not None:
                flows.change(tx, flow_id, now, **flows.RESUMED, streak_from=now)
            return flows.get(tx, flow_id)

        return self._notify_engine(await self._commit_flow(work, AuditAction.RESUMED))

    def _notify_engine(self, flow: Flow) -> Flow:
        if flow.active:
            self._engine.triggers_changed()
        return flow


def _require_time_zone(name: str) -> None:
    if find_time_zone(name) is None:
        raise ValidationFailed(
            {"timeZone": [f"There is no time zone “{name[:60]}”."]},
            todo="Write it as in Europe/Vienna, or UTC.",
        )
