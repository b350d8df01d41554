"""XML: a document as an object, and back.

Attributes become `@name`, repeated elements a list, and the text of an element with attributes or children
`#text`. Names lose their namespace. Entities and document types are rejected, because a small document with
them can expand until memory is full.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr  # only writes

from patchbay.domain.base import Json, JsonObject
from patchbay.integration.values import as_text, parameter_error

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # only for the type checker

MAX_ELEMENTS = 100_000
MAX_DEPTH = 100
TEXT = "#text"
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_FORBIDDEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF])


def parse_xml(text: str) -> JsonObject:
    """The document as an object with one key, the name of its outermost element."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    if text.count("<") > 3 * MAX_ELEMENTS:
        raise _too_large()
    try:
        root = fromstring(_without_declared_encoding(text).encode("utf-8", "replace"), forbid_dtd=True)
    except ParseError as error:
        line, column = error.position
        raise parameter_error(
            "input", f"The text isn't valid XML (line {line}, column {column + 1})."
        ) from None
    except DefusedXmlException:
        raise parameter_error(
            "input",
            "The XML contains a document type or entities, which aren't allowed.",
            "Remove them first.",
        ) from None
    except (LookupError, ValueError):
        raise parameter_error("input", "The text isn't valid XML.") from None
    if sum(1 for _ in root.iter()) > MAX_ELEMENTS:
        raise _too_large()
    return {_local_name(root.tag): _value(root, 1)}


def _without_declared_encoding(text: str) -> str:
    """The document without its declaration: a text is decoded already, so its encoding doesn't count."""
    text = text.lstrip("\ufeff \t\r\n")
    end = text.find("?>", 0, 200) if text.startswith("<?xml") else -1
    return text[end + 2 :].lstrip() if end > 0 else text


def _too_large() -> Exception:
    return parameter_error(
        "input", f"The XML has more than {MAX_ELEMENTS:,} elements.", "Use only the part you need."
    )


def _local_name(tag: str) -> str:
    return tag.rpartition("}")[2]


def _value(element: Element, depth: int) -> Json:
    if depth > MAX_DEPTH:
        raise parameter_error("input", f"The XML is nested more than {MAX_DEPTH} levels deep.")
    found: JsonObject = {f"@{_local_name(name)}": value for name, value in element.attrib.items()}
    children: dict[str, list[Json]] = {}
    for child in element:
        children.setdefault(_local_name(child.tag), []).append(_value(child, depth + 1))
    found |= {name: values[0] if len(values) == 1 else [*values] for name, values in children.items()}
    text = "".join([element.text or "", *(child.tail or "" for child in element)]).strip()
    if not found:
        return text
    return found | {TEXT: text} if text else found


def make_xml(value: Json, root: str) -> str:
    """The document of a value, in the form that `parse_xml` reads. An object with one key can be the root."""
    if not root.strip() and isinstance(value, dict) and len(value) == 1:
        root, value = next(iter(value.items()))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    _write(lines, root.strip() or "root", value, 0)
    return "\n".join(lines)


def _write(lines: list[str], name: str, value: Json, depth: int) -> None:
    if not _NAME.fullmatch(name):
        raise parameter_error(
            "input", f"“{name[:60]}” can't be the name of an element.", "Use letters, digits, _, . and -."
        )
    if depth >= MAX_DEPTH or len(lines) > 3 * MAX_ELEMENTS:
        raise parameter_error("input", "The value is too large or nested too deeply for XML.")
    if isinstance(value, list):
        for item in value:
            _write(lines, name, [*item] and {"item": item} if isinstance(item, list) else item, depth)
        return
    indent = "  " * depth
    if not isinstance(value, dict):
        lines.append(f"{indent}<{name}>{_escaped(value)}</{name}>")
        return
    attributes = "".join(_attribute(key, item) for key, item in value.items() if key.startswith("@"))
    children = {key: item for key, item in value.items() if not key.startswith("@") and key != TEXT}
    text = _escaped(value.get(TEXT))
    if not children:
        lines.append(f"{indent}<{name}{attributes}>{text}</{name}>")
        return
    lines.append(f"{indent}<{name}{attributes}>{text}")
    for key, item in children.items():
        _write(lines, key, item, depth + 1)
    lines.append(f"{indent}</{name}>")


def _attribute(key: str, value: Json) -> str:
    if not _NAME.fullmatch(key[1:]):
        raise parameter_error("input", f"“{key[1:61]}” can't be the name of an attribute.")
    return f" {key[1:]}={quoteattr(_allowed(value))}"


def _escaped(value: Json) -> str:
    return escape(_allowed(value))


def _allowed(value: Json) -> str:
    """The text without the characters that XML doesn't allow."""
    return as_text(value).translate(_FORBIDDEN)
