"""How each published flow is to be run, read anew whenever one changes."""

from collections.abc import Collection, Iterable

from patchbay.domain.base import FlowId, UserId
from patchbay.domain.flows import FlowSettings
from patchbay.domain.runs import ActiveTrigger

_DEFAULTS = FlowSettings()


class PublishedFlowSettings:
    """The settings of published flows. Flows that are not published run under the defaults."""

    def __init__(self) -> None:
        self._settings: dict[FlowId, FlowSettings] = {}
        self._owners: dict[FlowId, UserId | None] = {}
        self.paused: Collection[FlowId] = frozenset()
        """Flows that are held: nothing of them is begun."""

    def update(self, active: Iterable[ActiveTrigger]) -> None:
        """From now on these hold."""
        flows = tuple(active)
        self._settings = {one.version.flow_id: one.settings for one in flows}
        self._owners = {one.version.flow_id: one.user_id for one in flows}
        self.paused = frozenset(one.version.flow_id for one in flows if one.paused)

    def of(self, flow_id: FlowId) -> FlowSettings:
        return self._settings.get(flow_id, _DEFAULTS)

    def owner_of(self, flow_id: FlowId) -> str:
        """Whose flow it is; the flow's own ID where it isn't published."""
        return self._owners.get(flow_id, flow_id) or ""
