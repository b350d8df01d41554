"""Discovers a user's calendars from a server's URL. RFC 6764, section 6, without DNS."""

from dataclasses import dataclass
from urllib.parse import urljoin

from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration import Context

from .dav import CALDAV, DAV, Entry, propfind

_WELL_KNOWN = "/.well-known/caldav"
_NOT_HERE_STATUSES = (400, 403, 404, 405, 410, 501)
"""Statuses for a wrong URL, as opposed to a wrong password."""


@dataclass(frozen=True)
class Account:
    """The signed-in user and the URL of their calendars."""

    name: str
    home: str


async def discover_account(ctx: Context) -> Account:
    """Fetch the user, then the URL of the user's calendars. Raises the server's errors."""
    principal = await _principal(ctx)
    entries = await propfind(ctx, principal, "<displayname/><C:calendar-home-set/>")
    entry = next(iter(entries), None)
    home = entry.link(f"{CALDAV}calendar-home-set") if entry else ""
    if entry is None or not home:
        raise _no_calendars_error()
    return Account(entry.text(f"{DAV}displayname"), home)


async def calendars(ctx: Context) -> list[Entry]:
    """The calendars of the account that can hold events."""
    home = str(ctx.auth.data.get("calendarHome") or "") or (await discover_account(ctx)).home
    wanted = "<resourcetype/><displayname/><C:supported-calendar-component-set/>"
    found = await propfind(ctx, home, wanted, depth=1)
    return [entry for entry in found if _supports_events(entry)]


async def _principal(ctx: Context) -> str:
    base = ctx.http.base_url
    try:
        if principal := await _principal_at(ctx, base):
            return principal
    except ThirdPartyError as error:
        if error.status not in _NOT_HERE_STATUSES:
            raise
    except ValidationFailed:  # a web page
        pass
    if principal := await _principal_at(ctx, urljoin(base, _WELL_KNOWN)):
        return principal
    raise _no_calendars_error()


async def _principal_at(ctx: Context, url: str) -> str:
    entries = await propfind(ctx, url, "<current-user-principal/>")
    return next((link for entry in entries if (link := entry.link(f"{DAV}current-user-principal"))), "")


def _supports_events(entry: Entry) -> bool:
    kind = entry.properties.get(f"{DAV}resourcetype")
    if kind is None or not any(tag == f"{CALDAV}calendar" for tag, _ in kind["children"]):
        return False
    holds = entry.properties.get(f"{CALDAV}supported-calendar-component-set")
    return holds is None or any(name == "VEVENT" for _, name in holds["children"])


def _no_calendars_error() -> ValidationFailed:
    return ValidationFailed(
        {"serverUrl": ["The server responded, but listed no calendars for this user."]},
        todo="Check the address and user name. Providers list the CalDAV address in their help pages.",
    )
