"""WebDAV over `ctx.http`: requests with XML bodies, and their answers with several statuses.

Read with defusedxml: the standard parser expands entities, so that a small answer could fill the memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from patchbay.domain.errors import ValidationFailed
from patchbay.integration import Context, Response
from patchbay.integration.addresses import same_origin

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

DAV = "{DAV:}"
CALDAV = "{urn:ietf:params:xml:ns:caldav}"
_NAMESPACES = 'xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'
_MULTI_STATUS = 207


@dataclass(frozen=True)
class Entry:
    """One resource of an answer with the properties it has. `url` is absolute."""

    url: str
    properties: dict[str, Element] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """The text of a property; empty when it is missing."""
        found = self.properties.get(name)
        return "" if found is None else (found.text or "").strip()

    def link(self, name: str) -> str:
        """The absolute address in a property that holds one; empty when it is missing."""
        found = self.properties.get(name)
        href = None if found is None else found.findtext(f"{DAV}href")
        return urljoin(self.url, href.strip()) if href and href.strip() else ""


async def propfind(ctx: Context, url: str, properties: str, *, depth: int = 0) -> list[Entry]:
    """The named properties of a resource and, with depth 1, of what it holds.

    The address is one that the server named, or made from that of the connection.
    """
    if not (_is_known(ctx, url) or _is_sister(ctx, url)):
        raise _elsewhere()
    body = f"<propfind {_NAMESPACES}><prop>{properties}</prop></propfind>"
    return await _ask(ctx, "PROPFIND", url, body, depth)


async def report(ctx: Context, url: str, kind: str, content: str) -> list[Entry]:
    """A search in a calendar: `kind` is the name of the report, `content` what stands in it."""
    body = f"<{kind} {_NAMESPACES}>{content}</{kind}>"
    return await _ask(ctx, "REPORT", checked_address(ctx, url), body, 1)


def checked_address(ctx: Context, url: str) -> str:
    """The full address of a calendar that a step names. The password goes to no other server than its own."""
    full = urljoin(f"{ctx.http.base_url}/", url.strip())
    if not _is_known(ctx, full):
        raise _elsewhere()
    return full


def _is_known(ctx: Context, url: str) -> bool:
    known = (ctx.http.base_url, str(ctx.auth.data.get("calendarHome") or ctx.http.base_url))
    return any(same_origin(one, url) for one in known)


def _is_sister(ctx: Context, url: str) -> bool:
    """Large providers keep calendars on hosts named after the one asked first: p01-caldav.… for caldav.…

    A shared parent domain is not enough: under co.uk or a dynamic DNS name it belongs to strangers too.
    """
    wanted, known = urlsplit(url), urlsplit(ctx.http.base_url).hostname or ""
    named_after = f"{wanted.hostname}".endswith((f"-{known}", f".{known}"))
    return wanted.scheme == "https" and known.count(".") >= 2 and named_after


def _elsewhere() -> ValidationFailed:
    return ValidationFailed(
        {"calendar": ["This calendar is not on the server of the connection."]},
        meaning="The password of the connection goes nowhere else.",
        todo="Choose a calendar from the list, or connect to the other server.",
    )


async def _ask(ctx: Context, method: str, url: str, body: str, depth: int) -> list[Entry]:
    answer = await ctx.http.request(
        method,
        url,
        content=f'<?xml version="1.0" encoding="utf-8"?>{body}',
        headers={"Content-Type": "application/xml; charset=utf-8", "Depth": str(depth)},
        also_to=url,
    )
    if answer.status != _MULTI_STATUS:
        raise _not_caldav(answer)
    return [_entry(answer.url, item) for item in _parsed(answer).iter(f"{DAV}response")]


def _not_caldav(answer: Response) -> ValidationFailed:
    """Also a page of words comes with a good status, so that nothing was refused."""
    what = f"{urlsplit(answer.url).hostname} answers, but it does not speak CalDAV at this address."
    todo = "Check the address: providers name it in their help, often with “dav” in it."
    return ValidationFailed({"serverUrl": [what]}, happened=what, todo=todo)


def _parsed(answer: Response) -> Element:
    # Imported here: apps are loaded at every start of the program, and most people have no calendar.
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        return fromstring(answer.content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, LookupError, ValueError):
        raise _not_caldav(answer) from None


def _entry(base: str, response: Element) -> Entry:
    found: dict[str, Element] = {}
    for part in response.findall(f"{DAV}propstat"):
        if " 200" in (part.findtext(f"{DAV}status") or " 200"):
            found |= {item.tag: item for item in part.findall(f"{DAV}prop/*")}
    return Entry(urljoin(base, (response.findtext(f"{DAV}href") or "").strip()), found)
