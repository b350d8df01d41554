"""Limits on calls as people write them: `60/60` is sixty calls in any sixty seconds."""

import re

from patchbay.cli import output
from patchbay.domain.engine import RateLimit

_LIMIT = re.compile(r"(\d+)/(\d+)s?")


def app_limit(text: str) -> tuple[str, RateLimit | None]:
    """`KEY=CALLS/SECONDS` or `KEY=none`."""
    key, _, limit = text.partition("=")
    return key, rate_limit(limit)


def rate_limit(text: str) -> RateLimit | None:
    """`CALLS/SECONDS`, or `none`."""
    if text == "none":
        return None
    try:
        found = _LIMIT.fullmatch(text)
        return RateLimit(calls=int(found[1]), seconds=int(found[2])) if found else _invalid_limit(text)
    except ValueError:
        return _invalid_limit(text)


def _invalid_limit(text: str) -> RateLimit:
    raise output.WrongUsage(
        "limit", f"“{text}” is no limit.", "Use CALLS/SECONDS such as 60/60, a day at most, or none."
    )
