"""Control signals: how app code tells the engine to do something other than go on.

They are no errors and never reach a person. Apps raise them through the context, not by hand:

`ExitRun`, by `ctx.execution.exit()`: store the step and the execution as filtered; no further step runs.

`Park`, by `ctx.park(until)`: store the step as success with `ctx.action_output`, and go on with the next
step at `until`. Tests and synchronous webhook runs go on at once; after the last step there is nothing to
wait for.

`StopTrigger`, by `ctx.push_trigger_item()`: the trigger ends normally, all items that count were pushed
(`context.collect_items` handles it).
"""

from patchbay.domain.base import EpochMs


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


class StopTrigger(Signal):
    """An item that is already known was reached, or enough items were collected."""
