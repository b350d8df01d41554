"""Limits of calls in words, and what a person typed as one. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey
from patchbay.domain.engine import RateLimit

SPANS = ((1, "1 second"), (60, "1 minute"), (3_600, "1 hour"), (86_400, "1 day"))
MOST_CALLS, MOST_SECONDS = 100_000, 86_400
_EACH = {1: "a second", 60: "a minute", 3_600: "an hour", 86_400: "a day"}


@dataclass(frozen=True)
class AppLimit:
    """What holds for one app. `asked`: what the app itself asks for; `chosen`: the settings say `limit`."""

    key: AppKey
    name: str
    limit: RateLimit
    asked: RateLimit | None = None
    chosen: bool = True

    @property
    def words(self) -> str:
        """ "at most 5 a second", and what the app asks for."""
        words = limit_words(self.limit)
        if not self.chosen:
            return f"{words}, the app’s default"
        return f"{words} (app default: {limit_words(self.asked)})" if self.asked else words


def limit_words(limit: RateLimit) -> str:
    """ "at most 5 a second", "at most 100 in 30 seconds"."""
    return f"max. {limit.calls:,} {_span(limit)}"


def calls_words(limit: RateLimit) -> str:
    """ "at most 5 calls a second", for where it is not said before what is counted."""
    return f"max. {limit.calls:,} {'request' if limit.calls == 1 else 'requests'} {_span(limit)}"


def app_limits(apps: Iterable[AppInfo], chosen: Mapping[AppKey, RateLimit]) -> tuple[AppLimit, ...]:
    """Every limit that holds for an app, by the names of the apps; also of one that is gone."""
    known = {app.key: app for app in apps}
    limits = [
        AppLimit(key, known[key].name if key in known else key, limit, _asked(known.get(key)))
        for key, limit in chosen.items()
    ]
    limits += [
        AppLimit(app.key, app.name, app.rate_limit, app.rate_limit, chosen=False)
        for app in known.values() if app.rate_limit is not None and app.key not in chosen
    ]  # fmt: skip
    return tuple(sorted(limits, key=lambda item: item.name.casefold()))


def limit_of(app: AppInfo | None, chosen: Mapping[AppKey, RateLimit]) -> RateLimit | None:
    """The limit that holds for all connections of an app together."""
    return None if app is None else chosen.get(app.key) or app.rate_limit


def read_calls(text: str) -> tuple[int | None, str]:
    """The number of calls that was typed, or what is wrong with it in words."""
    return _read(text, MOST_CALLS, "Enter the number of requests: 1 to 100,000.")


def read_seconds(text: str) -> tuple[int | None, str]:
    """The number of seconds that was typed, or what is wrong with it in words."""
    return _read(text, MOST_SECONDS, "Enter the number of seconds: 1 to 86,400 (one day).")


def _read(text: str, most: int, wrong: str) -> tuple[int | None, str]:
    typed = text.strip().replace(",", "").replace(" ", "")
    number = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) <= len(str(most)) else 0
    return (number, "") if 1 <= number <= most else (None, wrong)


def _span(limit: RateLimit) -> str:
    return _EACH.get(limit.seconds) or f"in {limit.seconds:,} seconds"


def _asked(app: AppInfo | None) -> RateLimit | None:
    return app.rate_limit if app is not None else None
