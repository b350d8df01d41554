"""Control signals: how app code tells the engine to do something other than go on.

They are no errors and never reach a person. Apps raise them through the context, not by hand:

`ExitRun`, by `ctx.execution.exit()`: store the step and the execution as filtered; no further step runs.

`Park`, by `ctx.park(until)`: store the step as success with `ctx.action_output`, and go on with the next
step at `until`. Tests and synchronous webhook runs go on at once; after the last step there is nothing to
wait for.

`CallFlow`, by `ctx.call_flow(flow_id, item)`: start that flow with the item as its trigger's output, in the
same commit. With `wait` the step succeeds with the answer when the called run has ended; without, at once.

`StopTrigger`, by `ctx.push_trigger_item()`: the trigger ends normally, all items that count were pushed
(`context.collect_items` handles it).
"""

from patchbay.domain.base import EpochMs, FlowId, Json


class Signal(Exception):
    """What every control signal is, for code that must let all of them pass."""


class ExitRun(Signal):
    """This run ends here, on purpose. `reason` says why in words, for the execution's note."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason


class Park(Signal):
    """The step is done; the next one starts at `until` (milliseconds since the epoch)."""

    def __init__(self, until: EpochMs) -> None:
        super().__init__(f"parked until {until}")
        self.until = until


class CallFlow(Signal):
    """Another flow is to be started with this item; its answer is waited for, or not."""

    def __init__(self, flow_id: FlowId, item: Json, *, wait: bool) -> None:
        super().__init__(f"calls {flow_id}")
        self.flow_id, self.item, self.wait = flow_id, item, wait


class StopTrigger(Signal):
    """An item that is already known was reached, or enough items were collected."""
