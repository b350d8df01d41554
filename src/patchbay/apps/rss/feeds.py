"""Reads feeds: RSS 0.9 to 2.0, RDF (RSS 1.0), and Atom. Runs in a worker process, as anyone can write a feed.

Uses defusedxml: the standard parser expands entities, so that a small feed could fill the memory.
"""

from __future__ import annotations

import codecs
import hashlib
import html
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from patchbay.domain.base import Json, JsonObject
from patchbay.domain.charsets import decode_leniently

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # only for the type checker

MAX_DEPTH = 20
"""Of an element that is nested deeper, only the text is kept."""
_ROOTS = ("rss", "RDF", "feed", "channel")
_PREFIXES = {
    "http://purl.org/rss/1.0/modules/content/": "content:",
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://purl.org/dc/terms/": "dcterms:",
    "http://search.yahoo.com/mrss/": "media:",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes:",
    "http://purl.org/rss/1.0/modules/slash/": "slash:",
    "http://wellformedweb.org/CommentAPI/": "wfw:",
    "http://www.georss.org/georss": "georss:",
    "https://podcastindex.org/namespace/1.0": "podcast:",
    "http://www.w3.org/XML/1998/namespace": "xml:",
}
"""The prefixes that most feeds use. Elements of other namespaces, and of the feed itself, have none."""
_TEXTS = ("title", "description", "summary", "content", "guid", "id", "category", "rights", "source")
"""Elements that are their text, whatever attributes they have."""
_MARKUP = ("title", "description", "summary", "content")
"""Elements that are HTML if they have elements: in Atom with the type `xhtml`, elsewhere by mistake."""
_COMMON: dict[str, tuple[str, ...]] = {
    "guid": ("id", "about"),
    "description": ("summary", "content", "content:encoded"),
    "pubDate": ("published", "updated", "dc:date"),
    "author": ("dc:creator", "itunes:author"),
}
"""What each item has under the same name, and the elements with the same meaning in other formats."""
_DOCTYPE = re.compile(r"<!DOCTYPE[^<>\[]*(?:\[[^\]]*\]\s*)?>", re.IGNORECASE)
_DECLARED = re.compile(rb"""<\?xml[^<>]{0,80}?encoding\s*=\s*["']([\w.:-]{1,40})["']""")
_AMPERSAND = re.compile(r"&(?:(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});)?")
_FORBIDDEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF])
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)


def read_feed(content: bytes, charset: str, url: str) -> list[tuple[JsonObject, str]] | None:
    """The items of a feed with their IDs, newest first if all have dates; None if it isn't a feed.

    `charset` is the one of the response's header, `url` the address to which links are relative.
    """
    document = _decode(content, charset)
    root = _parse(document)
    if root is None:
        root = _parse(_repair(document))
    if root is None or _local_name(root.tag) not in _ROOTS:
        return None
    parents = (root, *root.findall("{*}channel"))
    elements = [each for parent in parents for each in parent if _local_name(each.tag) in ("item", "entry")]
    found = [_item(element, url) for element in elements]
    dates = [_date(item["pubDate"]) for item in found]
    known_dates = [date for date in dates if date is not None]
    if len(known_dates) == len(found):
        order = sorted(range(len(found)), key=lambda index: known_dates[index], reverse=True)
        found = [found[index] for index in order]
    return [(item, _internal_id(item)) for item in found]


def _decode(content: bytes, charset: str) -> str:
    """The text of a feed, without its declaration, a document type, and characters that XML doesn't allow."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            content, charset = content[len(mark) :], encoding
            break
    else:
        declared = _DECLARED.search(content[:200])
        charset = charset or (declared[1].decode() if declared else "")
    text = decode_leniently(content, charset).lstrip("\ufeff \t\r\n")
    end = text.find("?>", 0, 200) if text.startswith("<?xml") else -1
    text = text[end + 2 :] if end > 0 else text
    # A document type defines entities, which aren't expanded; feeds of RSS 0.91 have one.
    return _DOCTYPE.sub("", text[:20_000], count=1) + text[20_000:]


def _parse(document: str) -> Element | None:
    # Imported here, because apps are loaded at every start.
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        root: Element = fromstring(document.encode("utf-8", "replace"), forbid_dtd=True)
    except (ParseError, DefusedXmlException, LookupError, ValueError):
        return None
    return root


def _repair(document: str) -> str:
    """The document without what makes feeds malformed: HTML's entities, bare `&`, control characters."""
    text, repaired, position = document.translate(_FORBIDDEN), list[str](), 0
    while (start := text.find("<![CDATA[", position)) >= 0:
        end = text.find("]]>", start)
        repaired += [
            _AMPERSAND.sub(_reference, text[position:start]),
            text[start : end if end >= 0 else None],
        ]
        position = end if end >= 0 else len(text)
    return "".join([*repaired, _AMPERSAND.sub(_reference, text[position:])])


def _reference(match: re.Match[str]) -> str:
    name = match[1] or ""
    if name in ("amp", "lt", "gt", "quot", "apos"):
        return match[0]
    text = html.unescape(match[0])
    return html.escape(text.translate(_FORBIDDEN), quote=False)


def _item(element: Element, url: str) -> JsonObject:
    """An item with its elements, and with what all formats have under the same names."""
    item = _object(element, 1)
    if element.find("{*}link") is not None:
        item["link"] = _link(element, url)
    for name, others in _COMMON.items():
        alternatives = [item[other] for other in others if item.get(other)]
        if not item.get(name):
            item[name] = alternatives[0] if alternatives else ""
    if isinstance(author := item["author"], dict):
        item["author"] = author.get("name") or author.get("text") or ""
    return {"title": "", "link": item["guid"] if _is_web_address(item["guid"]) else "", **item}


def _link(element: Element, url: str) -> str:
    """The address of an item's page. In Atom, it's the link without a relation, or with `alternate`."""
    links = element.findall("{*}link")
    pages = [link for link in links if link.get("rel", "alternate") == "alternate"] or links
    found = [(link.get("href") or link.text or "").strip() for link in pages]
    address = next(filter(None, found), "")
    try:
        return urljoin(url, address) if address else ""
    except ValueError:
        return address


def _is_web_address(value: Json) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://"))


def _object(element: Element, depth: int) -> JsonObject:
    found: JsonObject = {_name(name): value for name, value in element.attrib.items()}
    children: dict[str, list[Json]] = {}
    for child in element:
        if isinstance(child.tag, str):
            children.setdefault(_name(child.tag), []).append(_value(child, depth + 1))
    return found | {name: values[0] if len(values) == 1 else [*values] for name, values in children.items()}


def _value(element: Element, depth: int) -> Json:
    """An element as text, or as an object with its attributes and elements, and its text as `text`."""
    name = _name(element.tag)
    if name in _MARKUP and len(element):
        return _markup(element)
    if name in _TEXTS and not len(element):
        return (element.text or "").strip()
    if depth >= MAX_DEPTH or not (len(element) or element.attrib):
        return "".join(element.itertext()).strip()
    text = (element.text or "").strip()
    return _object(element, depth) | ({"text": text} if text else {})


def _markup(element: Element) -> str:
    """The HTML in an element, without a `div` around it."""
    from defusedxml.ElementTree import tostring

    inner = element[0] if len(element) == 1 and _local_name(element[0].tag) == "div" else element
    for each in inner.iter():
        each.tag = _local_name(each.tag)
    parts = [html.escape(inner.text or "", quote=False)]
    parts += [tostring(child, encoding="unicode", method="html") for child in inner]
    return "".join(parts).strip()


def _name(tag: str) -> str:
    namespace, _, local = tag.rpartition("}")
    return _PREFIXES.get(namespace.lstrip("{"), "") + local


def _local_name(tag: object) -> str:
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _internal_id(item: JsonObject) -> str:
    """The ID that the feed gives the item, else a hash of what is unlikely to change."""
    if isinstance(item["guid"], str) and item["guid"]:
        return item["guid"]
    parts = [str(item[name]) for name in ("link", "title", "pubDate")]
    return hashlib.sha256("\0".join(parts if any(parts) else [repr(item)]).encode()).hexdigest()


def _date(value: Json) -> float | None:
    """Seconds of a date of RSS (RFC 5322) or Atom (RFC 3339); None if it is neither."""
    text = value.strip()[:60] if isinstance(value, str) else ""
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = parse(text)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return None
