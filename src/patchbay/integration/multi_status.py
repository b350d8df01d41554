"""Parses multi-status responses (RFC 4918, 14.16) into plain data.

Uses defusedxml: the standard parser expands entities, so that a small response could fill the memory.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # only for the type checker

DAV = "{DAV:}"
_MAX_CHILDREN = 100
_FORBIDDEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])
_REFERENCE = re.compile(r"&#(?:x([0-9a-fA-F]{1,9})|([0-9]{1,9}));")


class Property(TypedDict):
    """A property: its text, its link, and its elements with their `name`."""

    text: str
    href: str
    children: list[tuple[str, str]]


class Resource(TypedDict):
    """A resource, and those of its properties that exist, by name."""

    href: str
    properties: dict[str, Property]


def read_multi_status(content: bytes) -> list[Resource] | None:
    """The resources of a response; None if it isn't a multi-status response."""
    root = _root(content)
    if root is None:
        # Servers copy characters from events that aren't allowed in XML.
        text = content.decode("utf-8", "replace").translate(_FORBIDDEN)
        root = _root(_REFERENCE.sub(_allowed, text).encode())
    return None if root is None else [_resource(item) for item in root.iter(f"{DAV}response")]


def _root(content: bytes) -> Element | None:
    # Imported here, because apps with WebDAV are also loaded without reading a response.
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        return fromstring(content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, LookupError, ValueError):
        return None


def _allowed(reference: re.Match[str]) -> str:
    """The character reference if XML allows its character; otherwise empty."""
    number = int(reference[1], 16) if reference[1] else int(reference[2])
    is_control = number < 32 and number not in (9, 10, 13)
    is_not_a_character = 0xD800 <= number <= 0xDFFF or number in (0xFFFE, 0xFFFF) or number > 0x10FFFF
    return "" if is_control or is_not_a_character else reference[0]


def _resource(response: Element) -> Resource:
    found: dict[str, Property] = {}
    for part in response.findall(f"{DAV}propstat"):
        if " 200" in (part.findtext(f"{DAV}status") or " 200"):
            found |= {item.tag: _property(item) for item in part.findall(f"{DAV}prop/*")}
    return {"href": (response.findtext(f"{DAV}href") or "").strip(), "properties": found}


def _property(element: Element) -> Property:
    return {
        "text": (element.text or "").strip(),
        "href": (element.findtext(f"{DAV}href") or "").strip(),
        "children": [(child.tag, child.get("name", "")) for child in element[:_MAX_CHILDREN]],
    }
