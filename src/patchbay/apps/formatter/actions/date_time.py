"""The action “Date / Time”."""

from ..transform_action import transform_action
from ..transforms.date_time import DATE_TIME

date_time = transform_action(
    "date-time",
    "Date / Time",
    "Formats dates and returns the current time.",
    DATE_TIME,
    (
        "change",
        "calendar",
        "time zone",
        "add days",
        "weekday",
        "tomorrow",
        "now",
    ),
)
