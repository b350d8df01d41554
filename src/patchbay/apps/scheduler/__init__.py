"""Scheduler: flows that start at fixed times."""

from patchbay.integration import App

from .triggers.every_day import every_day
from .triggers.every_hour import every_hour
from .triggers.every_month import every_month
from .triggers.every_n_minutes import every_n_minutes
from .triggers.every_week import every_week

app = App(
    name="Scheduler",
    key="scheduler",
    primary_color="#0059F7",
    description="Start a flow at set times.",
    category="Built in",
    triggers=[every_n_minutes, every_hour, every_day, every_week, every_month],
)
