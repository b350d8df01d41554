"""The query of the executions list, the time span of its histogram, and times and durations as text."""

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from patchbay.desktop.core.language import date_text, day_text, number_text, time_text, tr, weekday_text
from patchbay.domain.base import AppKey, EpochMs, ExecutionId, FlowId, FolderId
from patchbay.domain.clock import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, local_datetime, midnight
from patchbay.domain.executions import ExecutionFilter, ExecutionState, ExecutionStatus


class QuickRange(StrEnum):
    """The ranges of the Started chip that are relative to now."""

    HOUR = "last hour"
    TODAY = "today"
    WEEK = "last 7 days"
    MONTH = "last 30 days"

    @property
    def label(self) -> str:
        """Its name in the language of the window."""
        return _RANGE_LABELS[self]


_RANGE_LABELS = {
    QuickRange.HOUR: tr("last hour"),
    QuickRange.TODAY: tr("today"),
    QuickRange.WEEK: tr("last 7 days"),
    QuickRange.MONTH: tr("last 30 days"),
}


@dataclass(frozen=True)
class StartedRange:
    """When executions started: a quick range, relative to now, or fixed bounds (None: open)."""

    quick: QuickRange | None = None
    start: EpochMs | None = None
    end: EpochMs | None = None

    def bounds(self, now: EpochMs) -> tuple[EpochMs | None, EpochMs | None]:
        """The bounds at this time, inclusive."""
        if self.quick is None:
            return self.start, self.end
        if self.quick is QuickRange.TODAY:
            return midnight(now), None
        return now - {QuickRange.HOUR: HOUR_MS, QuickRange.WEEK: 7 * DAY_MS, QuickRange.MONTH: 30 * DAY_MS}[
            self.quick
        ], None

    def text(self, now: EpochMs) -> str:
        """The text of the chip: "last hour", "today 08:00 – now", "Thu 19, 22:00 – 23:30"."""
        if self.quick is not None:
            return self.quick.label
        if self.start is None:
            return tr("until {time}", time=moment(self.end or now, now))
        if self.end is None or self.end >= now:
            return tr("{start} – now", start=moment(self.start, now))
        same_day = midnight(self.start) == midnight(self.end)
        return f"{moment(self.start, now)} – {clock(self.end) if same_day else moment(self.end, now)}"


@dataclass(frozen=True)
class ExecutionQuery:
    """The filter of the list as the window shows it. The last four fields are set by links, not by chips."""

    text: str = ""
    data: str = ""
    """Text to search for in the input and output of steps; not part of `to_filter`."""
    states: tuple[ExecutionState, ...] = ()
    flow_id: FlowId | None = None
    started: StartedRange | None = None
    app_key: AppKey | None = None
    test_run: bool | None = None
    folder_id: FolderId | None = None
    note: str | None = None
    origin_id: ExecutionId | None = None
    retried: bool | None = None

    @property
    def active(self) -> bool:
        """Whether any filter is set."""
        return self != ExecutionQuery()

    def to_filter(self, now: EpochMs) -> ExecutionFilter:
        """The filter for the backend, with relative times counted from `now`."""
        start, end = self.started.bounds(now) if self.started else (None, None)
        return ExecutionFilter(
            name=self.text or None,
            states=self.states,
            flow_id=self.flow_id,
            started_after=start,
            ended_before=end,
            app_key=self.app_key,
            test_run=self.test_run,
            folder_id=self.folder_id,
            note=self.note,
            origin_id=self.origin_id,
            retried=self.retried,
        )

    @classmethod
    def from_filter(cls, where: ExecutionFilter) -> "ExecutionQuery":
        """The query for a link to the list."""
        states = where.states
        if where.status is not None and not states:
            success = (ExecutionState.SUCCESS, ExecutionState.FILTERED)
            states = (ExecutionState.FAILURE,) if where.status is ExecutionStatus.FAILURE else success
        timed = where.started_after is not None or where.ended_before is not None
        return cls(
            text=where.name or "",
            states=states,
            flow_id=where.flow_id,
            app_key=where.app_key,
            started=StartedRange(start=where.started_after, end=where.ended_before) if timed else None,
            test_run=where.test_run,
            folder_id=where.folder_id,
            note=where.note,
            origin_id=where.origin_id,
            retried=where.retried,
        )

    @property
    def only_failures(self) -> bool:
        """Whether the list shows only failures."""
        return self.states == (ExecutionState.FAILURE,)

    def without_time(self) -> "ExecutionQuery":
        """The same query for any time."""
        return replace(self, started=None)


@dataclass(frozen=True)
class Span:
    """The time that the histogram shows: `bars` equal parts from `start` to `end`."""

    start: EpochMs
    end: EpochMs
    bars: int
    label: str

    @property
    def bar_ms(self) -> int:
        """The width of one bar in milliseconds."""
        return (self.end - self.start) // self.bars

    def covers(self, started: StartedRange, now: EpochMs) -> bool:
        """Whether a range lies within this span."""
        start, end = started.bounds(now)
        return start is not None and start >= self.start and (end is None or end <= max(self.end, now))


_SPANS = (
    (6 * HOUR_MS, 10 * MINUTE_MS, tr("Last 6 hours, per 10 minutes")),
    (DAY_MS, 30 * MINUTE_MS, tr("Last 24 hours, per 30 minutes")),
    (7 * DAY_MS, 4 * HOUR_MS, tr("Last 7 days, per 4 hours")),
    (14 * DAY_MS, 6 * HOUR_MS, tr("Last 14 days, per 6 hours")),
    (60 * DAY_MS, DAY_MS, tr("Last 60 days, per day")),
    (365 * DAY_MS, 7 * DAY_MS, tr("Last year, per week")),
)
_SPAN_FOR_RANGE = {QuickRange.HOUR: 0, QuickRange.TODAY: 1, QuickRange.WEEK: 3, QuickRange.MONTH: 4}


def span_for(started: StartedRange | None, now: EpochMs, shown: Span | None = None) -> Span:
    """The span of the histogram: the range with some time before it, or the last day.

    If the range lies within the span already shown, that one stays, so that brushing never moves it.
    """
    if started is None:
        return _span(1, now)
    if started.quick is not None:
        return _span(_SPAN_FOR_RANGE[started.quick], now)
    if shown is not None and shown.covers(started, now):
        return shown
    start, _ = started.bounds(now)
    distance = now - start if start is not None else 0
    return _span(next((at for at, (length, *_) in enumerate(_SPANS) if length >= distance), 5), now)


def _span(which: int, now: EpochMs) -> Span:
    length, bar, label = _SPANS[which]
    day = midnight(now)
    end = day + -(-(now + 1 - day) // bar) * bar
    return Span(end - length, end, length // bar, label)


def clock(ms: EpochMs) -> str:
    """The time of day, such as “14:05”."""
    return time_text(local_datetime(ms))


def moment(ms: EpochMs, now: EpochMs) -> str:
    """Day and time, with the day as short as is clear: "today 08:00", "Thu 19, 22:14"."""
    at, today = local_datetime(ms), local_datetime(now)
    if at.date() == today.date():
        return tr("today {time}", time=time_text(at))
    if today.date() - at.date() < timedelta(days=28):
        return f"{weekday_text(at)} {day_text(at)}, {time_text(at)}"
    return f"{date_text(at, year=at.year != today.year)}, {time_text(at)}"


def full_moment(ms: EpochMs) -> str:
    """ "Fri 20 Nov 2026, 14:38:06"."""
    at = local_datetime(ms)
    return f"{weekday_text(at)} {date_text(at, year=True)}, {time_text(at, seconds=True)}"


def duration(ms: int | None, *, parts: int = 1, exact: bool = False) -> str:
    """A duration: 4 s, 3 min, 5 h, 12 d; in two parts 3 min 5 s, 2 h 5 min, 3 d 4 h; – if unknown.

    A second part that is 0 is left out. If `exact`, it isn't, and short durations are 416 ms or 1.9 s.
    """
    if ms is None:
        return "–"
    ms = max(0, ms)
    if exact and ms < SECOND_MS:
        return tr("{n} ms", n=ms)
    if ms < MINUTE_MS:
        return tr("{n} s", n=number_text(ms // 100 / 10, 1) if exact else ms // SECOND_MS)

    def has_second_part(rest: int) -> bool:
        return parts > 1 and (exact or rest > 0)

    if ms < HOUR_MS:
        minutes, seconds = divmod(ms // SECOND_MS, 60)
        if has_second_part(seconds):
            return tr("{m} min {s} s", m=minutes, s=seconds)
        return tr("{n} min", n=minutes)
    if ms < DAY_MS:
        hours, minutes = divmod(ms // MINUTE_MS, 60)
        return tr("{h} h {m} min", h=hours, m=minutes) if has_second_part(minutes) else tr("{n} h", n=hours)
    days, hours = divmod(ms // HOUR_MS, 24)
    if days < 100 and has_second_part(hours):
        return tr("{d} d {h} h", d=days, h=hours)
    return tr("{n} d", "days", n=number_text(days))


def age(ms: EpochMs | None, now: EpochMs) -> str:
    """Format an age: now, 2 min, 1 h, 3 d."""
    if ms is None:
        return ""
    passed = max(0, now - ms)
    return tr("now") if passed < 45 * SECOND_MS else duration(max(MINUTE_MS, passed))


def ago(ms: EpochMs, now: EpochMs) -> str:
    """How long ago a time was: now, 2 min ago, 3 d ago."""
    passed = max(0, now - ms)
    return tr("now") if passed < 45 * SECOND_MS else tr("{duration} ago", duration=age(ms, now))
