"""Scheduler: flows that start at fixed times."""

from patchbay.integration import App

from .triggers.at_times import at_times
from .triggers.cron_line import cron_line
from .triggers.every_day import every_day
from .triggers.every_hour import every_hour
from .triggers.every_month import every_month
from .triggers.every_n_days import every_n_days
from .triggers.every_n_hours import every_n_hours
from .triggers.every_n_minutes import every_n_minutes
from .triggers.every_week import every_week
from .triggers.on_day_of_month import on_day_of_month

app = App(
    name="Scheduler",
    key="scheduler",
    primary_color="#0059F7",
    description="Start a flow at set times.",
    category="Built in",
    keywords=("cron", "timer", "time", "interval"),
    triggers=[
        every_n_minutes,
        every_hour,
        every_n_hours,
        every_day,
        at_times,
        every_n_days,
        every_week,
        every_month,
        on_day_of_month,
        cron_line,
    ],
)
