"""WebDAV over `ctx.http`: XML requests and multi-status responses."""

from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from patchbay.domain.errors import ValidationFailed
from patchbay.integration import Context, Response
from patchbay.integration.multi_status import Property, read_multi_status
from patchbay.integration.urls import same_origin

DAV = "{DAV:}"
CALDAV = "{urn:ietf:params:xml:ns:caldav}"
_NAMESPACES = 'xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'
_MULTI_STATUS = 207
_INLINE_BYTES = 64 * 1024
"""Responses up to this size are parsed directly; larger ones in a worker process."""


@dataclass(frozen=True)
class Entry:
    """A resource in a response, with its properties. `url` is absolute."""

    url: str
    properties: dict[str, Property] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """The text of a property; empty if it is missing."""
        found = self.properties.get(name)
        return "" if found is None else found["text"]

    def link(self, name: str) -> str:
        """The absolute URL in a property; empty if it is missing."""
        found = self.properties.get(name)
        return _join_url(self.url, found["href"]) if found is not None and found["href"] else ""


async def propfind(ctx: Context, url: str, properties: str, *, depth: int = 0) -> list[Entry]:
    """Fetch properties of a resource and, with depth 1, of the resources in it.

    The URL is one that the server sent, or derived from the connection's.
    """
    if not (_is_known(ctx, url) or _is_same_site(ctx, url)):
        raise _foreign_address_error()
    body = f"<propfind {_NAMESPACES}><prop>{properties}</prop></propfind>"
    return await _send_request(ctx, "PROPFIND", url, body, depth)


async def report(ctx: Context, url: str, kind: str, content: str) -> list[Entry]:
    """Search a calendar: `kind` is the name of the report, `content` its XML."""
    body = f"<{kind} {_NAMESPACES}>{content}</{kind}>"
    return await _send_request(ctx, "REPORT", require_known_address(ctx, url), body, 1)


def require_known_address(ctx: Context, url: str) -> str:
    """The full URL of a step's calendar. Raises for other servers, so the password is never sent there."""
    full = urljoin(f"{ctx.http.base_url}/", url.strip())
    if not _is_known(ctx, full):
        raise _foreign_address_error()
    return full


def _is_known(ctx: Context, url: str) -> bool:
    known = (ctx.http.base_url, str(ctx.auth.data.get("calendarHome") or ctx.http.base_url))
    return any(same_origin(one, url) for one in known)


def _is_same_site(ctx: Context, url: str) -> bool:
    """Whether a host is named after the connection's: large providers use p01-caldav.… for caldav.…

    A shared parent domain isn't enough: hosts under co.uk or a dynamic DNS name may belong to anyone.
    """
    wanted, known = urlsplit(url), urlsplit(ctx.http.base_url).hostname or ""
    named_after = f"{wanted.hostname}".endswith((f"-{known}", f".{known}"))
    return wanted.scheme == "https" and known.count(".") >= 2 and named_after


def _foreign_address_error() -> ValidationFailed:
    return ValidationFailed(
        {"calendar": ["This calendar isn't on the connection's server."]},
        meaning="The connection's password is only sent to that server.",
        todo="Choose a calendar from the list, or connect to the other server.",
    )


async def _send_request(ctx: Context, method: str, url: str, body: str, depth: int) -> list[Entry]:
    response = await ctx.http.request(
        method,
        url,
        content=f'<?xml version="1.0" encoding="utf-8"?>{body}',
        headers={"Content-Type": "application/xml; charset=utf-8", "Depth": str(depth)},
        also_to=url,
    )
    if response.status != _MULTI_STATUS:
        raise _not_caldav_error(response)
    content = response.content
    rows = (
        read_multi_status(content)
        if len(content) <= _INLINE_BYTES
        else await ctx.compute(read_multi_status, content, megabytes=512, output_bytes=64 << 20)
    )
    if rows is None:
        raise _not_caldav_error(response)
    return [Entry(_join_url(response.url, row["href"]), row["properties"]) for row in rows]


def _join_url(base: str, link: str) -> str:
    """The absolute URL of a link; the base URL if the link is invalid."""
    try:
        return urljoin(base, link)
    except ValueError:
        return base


def _not_caldav_error(response: Response) -> ValidationFailed:
    """The error for another response. Web pages have a successful status, so nothing was rejected."""
    what = f"{urlsplit(response.url).hostname} responded, but there is no CalDAV server at this address."
    todo = "Check the address. Providers list it in their help pages; it often contains “dav”."
    return ValidationFailed({"serverUrl": [what]}, happened=what, todo=todo)
