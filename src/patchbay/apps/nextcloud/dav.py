"""Files over WebDAV: paths, and what is in a folder."""

from datetime import UTC
from email.utils import parsedate_to_datetime
from urllib.parse import unquote, urlsplit

from patchbay.domain.base import JsonObject
from patchbay.integration import Context, Response, segment
from patchbay.integration.multi_status import Resource, read_multi_status
from patchbay.integration.third_party_errors import UnexpectedResponse
from patchbay.integration.values import parameter_error, text_of

_DAV, _OC = "{DAV:}", "{http://owncloud.org/ns}"
_PROPERTIES = (
    '<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:" xmlns:oc="http://owncloud.org/ns"><prop>'
    "<resourcetype/><getlastmodified/><getetag/><getcontenttype/><getcontentlength/><oc:fileid/>"
    "</prop></propfind>"
)
_MULTI_STATUS = 207
_MAX_DIGITS = 18
_INLINE_BYTES = 64 * 1024
"""Responses up to this size are parsed directly; larger ones in a worker process."""


def path_parts(entered: str, key: str) -> list[str]:
    """The names in a path such as `/Invoices/2026`. Raises `ValidationFailed` for `..` in it."""
    parts = [part for part in entered.strip().split("/") if part.strip()]
    if any(part.strip() in (".", "..") for part in parts):
        raise parameter_error(
            key, f"“{entered.strip()[:60]}” isn't a folder.", "Enter a path such as /Invoices."
        )
    return parts


def address(ctx: Context, parts: list[str]) -> str:
    """The path of a file or folder of the connection's user on the server."""
    user = text_of(ctx.auth.data, "userId") or text_of(ctx.auth.data, "username")
    return "/".join(["/remote.php/dav/files", segment(user), *map(segment, parts)])


async def folder_entries(ctx: Context, parts: list[str]) -> list[JsonObject]:
    """The files and folders in a folder, the latest change first."""
    response = await ctx.http.request(
        "PROPFIND",
        f"{address(ctx, parts)}/",
        content=_PROPERTIES,
        headers={"Content-Type": "application/xml; charset=utf-8", "Depth": "1"},
    )
    rows = await _resources(ctx, response)
    own = unquote(urlsplit(response.url).path).rstrip("/")
    found = [_entry(row, parts) for row in rows if _path(row) not in ("", own)]
    return sorted(found, key=lambda entry: str(entry["modified"]), reverse=True)


async def _resources(ctx: Context, response: Response) -> list[Resource]:
    content = response.content
    rows = None
    if response.status == _MULTI_STATUS and len(content) <= _INLINE_BYTES:
        rows = read_multi_status(content)
    elif response.status == _MULTI_STATUS:
        rows = await ctx.compute(read_multi_status, content, megabytes=512, output_bytes=64 << 20)
    if rows is None:
        raise UnexpectedResponse(response, "the files in a folder", "something else, such as a web page")
    return rows


def _path(row: Resource) -> str:
    """The path of a file or folder; empty if its address can't be read."""
    try:
        return unquote(urlsplit(row["href"]).path).rstrip("/")
    except ValueError:
        return ""


def _entry(row: Resource, parts: list[str]) -> JsonObject:
    """A file or folder as the item of a flow."""

    def text(name: str) -> str:
        found = row["properties"].get(name)
        return found["text"] if found else ""

    name, kind = _path(row).rpartition("/")[2], row["properties"].get(f"{_DAV}resourcetype")
    size = text(f"{_DAV}getcontentlength")
    return {
        "id": text(f"{_OC}fileid"),
        "name": name,
        "path": "/" + "/".join([*parts, name]),
        "isFolder": kind is not None and any(child[0] == f"{_DAV}collection" for child in kind["children"]),
        "contentType": text(f"{_DAV}getcontenttype"),
        "size": int(size) if size.isdecimal() and len(size) <= _MAX_DIGITS else None,
        "modified": _iso(text(f"{_DAV}getlastmodified")),
        "etag": text(f"{_DAV}getetag").strip('"'),
    }


def _iso(date: str) -> str:
    """An HTTP date as ISO 8601; empty if it can't be read."""
    try:
        return parsedate_to_datetime(date).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return ""
