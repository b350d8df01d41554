"""Rate limits as text, and parsing of entered ones."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from patchbay.desktop.core.language import formats, number_text, tr, tr_count
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey
from patchbay.domain.engine import RateLimit

SPANS = (
    (1, tr("second", "requests per")),
    (60, tr("minute", "requests per")),
    (3_600, tr("hour", "requests per")),
    (86_400, tr("day", "requests per")),
)
MAX_CALLS, MAX_SECONDS = 100_000, 86_400


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
            return tr("{limit}, the app's default", limit=text)
        if not self.app_default:
            return text
        return tr("{limit} (app default: {default})", limit=text, default=rate_limit_text(self.app_default))


def rate_limit_text(limit: RateLimit) -> str:
    """The limit as text: "max. 5 a second", "max. 100 in 30 seconds"."""
    calls = number_text(limit.calls)
    match limit.seconds:
        case 1:
            return tr("max. {calls} a second", calls=calls)
        case 60:
            return tr("max. {calls} a minute", calls=calls)
        case 3_600:
            return tr("max. {calls} an hour", calls=calls)
        case 86_400:
            return tr("max. {calls} a day", calls=calls)
    return tr_count(limit.seconds, "max. {calls} in {n} second", "max. {calls} in {n} seconds", calls=calls)


def call_limit_text(limit: RateLimit) -> str:
    """The limit as text with its unit: "max. 5 requests a second"."""
    calls = limit.calls
    match limit.seconds:
        case 1:
            return tr_count(calls, "max. {n} request a second", "max. {n} requests a second")
        case 60:
            return tr_count(calls, "max. {n} request a minute", "max. {n} requests a minute")
        case 3_600:
            return tr_count(calls, "max. {n} request an hour", "max. {n} requests an hour")
        case 86_400:
            return tr_count(calls, "max. {n} request a day", "max. {n} requests a day")
    return tr_count(
        calls,
        "max. {n} request in {seconds} seconds",
        "max. {n} requests in {seconds} seconds",
        seconds=number_text(limit.seconds),
    )


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
    error = tr("Enter the number of requests: 1 to {maximum}.", maximum=number_text(MAX_CALLS))
    return _parse_count(text, MAX_CALLS, error)


def parse_seconds(text: str) -> tuple[int | None, str]:
    """Parse the number of seconds; returns the number or an error message."""
    error = tr("Enter the number of seconds: 1 to {maximum} (1 day).", maximum=number_text(MAX_SECONDS))
    return _parse_count(text, MAX_SECONDS, error)


def _parse_count(text: str, maximum: int, error: str) -> tuple[int | None, str]:
    separators = re.escape(formats().groupSeparator())
    digits = re.sub(rf"[{separators}\s]", "", text)
    number = (
        int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= len(str(maximum)) else 0
    )
    return (number, "") if 1 <= number <= maximum else (None, error)
