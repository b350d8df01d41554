"""When a schedule starts its flow, for the form of its trigger."""

from patchbay.domain.base import Model


class SchedulePreview(Model):
    """A sentence about a schedule, such as “Every weekday at 09:00 (Europe/Berlin)”, and its next starts.

    `next_starts` are ISO dates in `time_zone` with an offset, at most five.
    """

    sentence: str
    time_zone: str
    next_starts: tuple[str, ...]
