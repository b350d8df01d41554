"""Sentences about schedules, such as “Every weekday at 09:00 and 17:30”. Pure functions."""

from collections.abc import Iterable, Sequence
from datetime import date, time
from itertools import groupby, pairwise

from patchbay.domain.clock import MONTH_NAMES, WEEKDAY_NAMES
from patchbay.engine.cron import CronLine, parse_schedule

_MAX_LISTED_TIMES = 6
_ALL_HOURS, _ALL_MINUTES = 24, 60
_BUSINESS_DAYS = frozenset(range(1, 6))
_ORDINAL_WORDS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last"}


def describe_schedule(cron: str) -> str:
    """The sentence for a schedule of one or more cron lines. Raises `ValueError` for an invalid one."""
    parts = []
    for (days, repeats), group in groupby(parse_schedule(cron), lambda line: (_days(line), _repeats(line))):
        lines = list(group)
        if repeats:
            parts += [_sentence(_repetition(line), days) for line in lines]
        else:
            times = sorted({at for line in lines for at in line.times})
            parts.append(_sentence(_times(times, is_product=len(lines) == 1), days))
    sentence = "; ".join(dict.fromkeys(parts))
    return sentence[0].upper() + sentence[1:]


def _sentence(times: str, days: str) -> str:
    if times.startswith("at "):
        return f"{days} {times}"
    return times if days == "every day" else f"{times}, {days}"


def join(words: Iterable[str]) -> str:
    """Join with commas and “and”: “a”, “a and b”, “a, b, and c”."""
    *first, last = words
    if not first:
        return last
    return f"{', '.join(first)}{',' if len(first) > 1 else ''} and {last}"


# Times


def _repeats(line: CronLine) -> bool:
    """Whether the line starts in each hour, so that it isn't described by times of day."""
    return line.every_hour and len({at.hour for at in line.times}) == _ALL_HOURS


def _repetition(line: CronLine) -> str:
    minutes = sorted({at.minute for at in line.times})
    step = _step(minutes)
    if len(minutes) == _ALL_MINUTES:
        return "every minute"
    if step and minutes[0] == 0 and step * len(minutes) == _ALL_MINUTES:
        return f"every {step} minutes"
    if minutes == [0]:
        return "every hour"
    return f"every hour at {join(f':{minute:02}' for minute in minutes)}"


def _step(numbers: Sequence[int]) -> int:
    """The distance between the numbers if it is always the same; else 0."""
    steps = {after - before for before, after in pairwise(numbers)}
    return steps.pop() if len(steps) == 1 else 0


def _times(times: Sequence[time], *, is_product: bool) -> str:
    """`is_product`: each of the hours has the same minutes."""
    if len(times) <= _MAX_LISTED_TIMES:
        return f"at {join(map(_clock, times))}"
    hours, minutes = sorted({at.hour for at in times}), sorted({at.minute for at in times})
    span = f"from {_clock(times[0])} to {_clock(times[-1])}"
    hour_step, minute_step = _step(hours), _step(minutes)
    if is_product and len(minutes) == 1 and hour_step:
        return f"every {_count(hour_step, 'hour')} {span}"
    fills_hours = minutes[0] == 0 and minute_step * len(minutes) == _ALL_MINUTES
    if is_product and fills_hours and (hour_step == 1 or len(hours) == 1):
        return f"every {_count(minute_step, 'minute')} {span}"
    return (
        f"at {', '.join(map(_clock, times[:3]))}, and {len(times) - 3} other times until {_clock(times[-1])}"
    )


def _clock(at: time) -> str:
    return f"{at:%H:%M}"


def _count(number: int, unit: str) -> str:
    return unit if number == 1 else f"{number} {unit}s"


# Days


def _days(line: CronLine) -> str:
    """The days of a line: “every weekday”, “on the 1st and 15th of the month”."""
    parts = [_every_n_days(start, step) for start, step in line.rules.every]
    if numbers := _numbers(line):
        parts.append(f"on the {numbers} of the month")
    if line.weekdays is not None:
        parts += _weekdays(line)
    elif not line.names_days:
        parts.append("every day")
    months = (
        "" if line.months is None else f" in {join(MONTH_NAMES[month - 1] for month in sorted(line.months))}"
    )
    return join(parts) + months


def _every_n_days(start: date, step: int) -> str:
    return f"every {_count(step, 'day')} from {start.day} {MONTH_NAMES[start.month - 1]} {start.year}"


def _numbers(line: CronLine) -> str:
    """The days of the month: “1st, 15th, and last day”; empty if it names none."""
    words = [*map(_ordinal, sorted(line.days or ()))]
    words += [
        "first weekday" if day == 1 else f"weekday nearest to the {_ordinal(day)}"
        for day in sorted(line.rules.nearest)
    ]
    words += ["last day"] if line.last_day else []
    words += ["last weekday"] if line.rules.last_weekday else []
    return join(words) if words else ""


def _weekdays(line: CronLine) -> list[str]:
    """The days of the week, and the ones that are meant of those in a month."""
    weekdays = line.weekdays or frozenset()
    every = sorted(weekdays - line.which.keys(), key=lambda day: day or 7)
    if frozenset(every) == _BUSINESS_DAYS:
        parts = ["every weekday"]
    else:
        parts = [f"every {join(map(_weekday, every))}"] if every else []
    chosen = [
        f"{_occurrences(line.which[day])} {_weekday(day)}"
        for day in sorted(line.which, key=lambda day: day or 7)
    ]
    return [*parts, f"on the {join(chosen)} of the month"] if chosen else parts


def _occurrences(numbers: Iterable[int]) -> str:
    """“first and last”: -1 is the last."""
    return join(_ORDINAL_WORDS[number] for number in sorted(numbers, key=lambda one: one % 7))


def _weekday(day: int) -> str:
    """The name of a weekday; Sunday is 0."""
    return WEEKDAY_NAMES[(day - 1) % 7]


def _ordinal(number: int) -> str:
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
