"""Rate limits as text, and parsing of entered ones."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey
from patchbay.domain.engine import RateLimit

SPANS = ((1, "second"), (60, "minute"), (3_600, "hour"), (86_400, "day"))
MAX_CALLS, MAX_SECONDS = 100_000, 86_400
_UNITS = {1: "a second", 60: "a minute", 3_600: "an hour", 86_400: "a day"}


@dataclass(frozen=True)
class AppLimit:
    """The rate limit of an app. `app_default` is declared by the app; `configured` means that `limit` is from
    the settings.
    """

    key: AppKey
    name: str
    limit: RateLimit
    app_default: RateLimit | None = None
    configured: bool = True

    @property
    def text(self) -> str:
        """The limit and the app's own default, as text."""
        text = rate_limit_text(self.limit)
        if not self.configured:
            return f"{text}, the app’s default"
        return f"{text} (app default: {rate_limit_text(self.app_default)})" if self.app_default else text


def rate_limit_text(limit: RateLimit) -> str:
    """The limit as text: "at most 5 a second", "at most 100 in 30 seconds"."""
    return f"max. {limit.calls:,} {_per_text(limit)}"


def call_limit_text(limit: RateLimit) -> str:
    """The limit as text with its unit: "at most 5 calls a second"."""
    return f"max. {limit.calls:,} {'request' if limit.calls == 1 else 'requests'} {_per_text(limit)}"


def app_limits(apps: Iterable[AppInfo], configured: Mapping[AppKey, RateLimit]) -> tuple[AppLimit, ...]:
    """The limit of each app that has one, by app name; also of apps that aren't installed any more."""
    known = {app.key: app for app in apps}
    limits = [
        AppLimit(key, known[key].name, limit, known[key].rate_limit)
        if key in known
        else AppLimit(key, key, limit, None)
        for key, limit in configured.items()
    ]
    limits += [
        AppLimit(app.key, app.name, app.rate_limit, app.rate_limit, configured=False)
        for app in known.values()
        if app.rate_limit is not None and app.key not in configured
    ]
    return tuple(sorted(limits, key=lambda item: item.name.casefold()))


def limit_of(app: AppInfo | None, configured: Mapping[AppKey, RateLimit]) -> RateLimit | None:
    """The limit for all connections of an app together."""
    return None if app is None else configured.get(app.key) or app.rate_limit


def parse_calls(text: str) -> tuple[int | None, str]:
    """Parse the number of calls; returns the number or an error message."""
    return _parse_count(text, MAX_CALLS, "Enter the number of requests: 1 to 100,000.")


def parse_seconds(text: str) -> tuple[int | None, str]:
    """Parse the number of seconds; returns the number or an error message."""
    return _parse_count(text, MAX_SECONDS, "Enter the number of seconds: 1 to 86,400 (1 day).")


def _parse_count(text: str, maximum: int, error: str) -> tuple[int | None, str]:
    digits = text.strip().replace(",", "").replace(" ", "")
    number = (
        int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= len(str(maximum)) else 0
    )
    return (number, "") if 1 <= number <= maximum else (None, error)


def _per_text(limit: RateLimit) -> str:
    return _UNITS.get(limit.seconds) or f"in {limit.seconds:,} seconds"
