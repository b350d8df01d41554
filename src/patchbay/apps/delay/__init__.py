"""Delay: waits before the next step. Waiting uses no resources and survives restarts."""

from patchbay.integration import App

from .actions.delay_for import delay_for
from .actions.delay_until import delay_until

app = App(
    name="Delay",
    key="delay",
    primary_color="#001F52",
    description="Wait for a duration, or until a date, before the next step.",
    category="Built in",
    keywords=("wait", "sleep", "pause"),
    actions=[delay_for, delay_until],
)
