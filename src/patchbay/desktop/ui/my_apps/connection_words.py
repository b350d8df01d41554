"""What the page of an app says about a connection, in words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from patchbay.desktop.state.call_limits import limit_words
from patchbay.desktop.state.my_apps_rows import secrets_word
from patchbay.desktop.ui.kit.text import clock_time, count, when
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import EpochMs
from patchbay.domain.connections import Connection, ConnectionHealth
from patchbay.domain.fields import is_visible
from patchbay.domain.flows import Flow

MAX_NAMED_FLOWS = 3
_FILE_AND_LINE = re.compile(r"\s*\(([^()\s]+\.py), line (\d+)\)$")


def sign_in_text(app: AppInfo, connection: Connection) -> str:
    """How this connection signs in, in a few words."""
    if app.auth is None:
        return "–"
    chosen = connection.formatted_data
    if app.auth.needs_browser(chosen):
        return "Browser sign-in (OAuth)"
    secrets = [field.label for field in app.auth.fields if field.is_secret and is_visible(field, chosen)]
    return " and ".join(secrets) or "Without a secret"


def used_by_text(connection: Connection, flows: Sequence[Flow] | None) -> str:
    """Names of the flows; how many, until they are known."""
    if not flows:
        number = connection.flow_count if flows is None else 0
        return count(number, "flow") if number else "No flow"
    names = ", ".join(flow.name for flow in flows[:MAX_NAMED_FLOWS])
    return names + (f" and {len(flows) - MAX_NAMED_FLOWS} more" if len(flows) > MAX_NAMED_FLOWS else "")


def last_test_text(connection: Connection, now: EpochMs) -> str:
    """When it was tested last, and what the app said."""
    tested_at = connection.tested_at
    if tested_at is None:
        return "Never"
    moment = when(tested_at, now)
    today = "Today " if moment == clock_time(tested_at) else ""
    is_rejected = connection.health is ConnectionHealth.NEEDS_ATTENTION and not secrets_word(connection)
    return today + moment + (", refused" if is_rejected else ", accepted")


def limit_text(connection: Connection) -> str:
    """Its own limit of calls: "At most 5 a second"; empty without one."""
    limit = connection.rate_limit
    return limit_words(limit).capitalize() if limit else ""


@dataclass(frozen=True)
class AppLoadError:
    """Why an app could not be loaded: the sentence, and file and line where they are known."""

    reason: str
    file: str = ""
    line: str = ""


def parse_load_error(broken: str) -> AppLoadError:
    """Take the place out of the reason."""
    found = _FILE_AND_LINE.search(broken)
    if found is None:
        return AppLoadError(broken)
    return AppLoadError(broken[: found.start()].rstrip(), found[1], found[2])
