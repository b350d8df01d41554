"""Messages of XML-RPC: writes calls, and reads the responses that this app needs.

Results are read with defusedxml, because the standard parser expands entities.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # only for the type checker

_MAX_DEPTH = 20
_FORBIDDEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF])


class Result(TypedDict):
    """What a call returned: its value, or the message and the code of an error."""

    value: int | bool | str | None
    fault: str
    code: str


def write_call(method: str, arguments: list[Any]) -> bytes:
    """The document that calls a method. Characters that XML doesn't allow are left out."""
    values = "".join(f"<param>{_value(argument)}</param>" for argument in arguments)
    call = f"<methodCall><methodName>{_text(method)}</methodName><params>{values}</params></methodCall>"
    return f'<?xml version="1.0" encoding="UTF-8"?>{call}'.encode()


def _value(value: Any) -> str:
    if isinstance(value, bool):
        inner = f"<boolean>{value:d}</boolean>"
    elif isinstance(value, int):
        inner = f"<int>{value}</int>"
    elif isinstance(value, list):
        inner = f"<array><data>{''.join(map(_value, value))}</data></array>"
    elif isinstance(value, dict):
        members = (f"<member><name>{_text(name)}</name>{_value(of)}</member>" for name, of in value.items())
        inner = f"<struct>{''.join(members)}</struct>"
    else:
        inner = f"<string>{_text(str(value))}</string>"
    return f"<value>{inner}</value>"


def _text(text: str) -> str:
    return escape(text.translate(_FORBIDDEN), quote=False)


def read_response(content: bytes) -> Result | None:
    """The value or the error of a response; None if it isn't a valid one."""
    # Imported here, because apps are loaded at every start.
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        root = fromstring(content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, LookupError, ValueError):
        return None
    try:
        return _result(root)
    except ValueError:  # a number that isn't one
        return None


def _result(root: Element) -> Result | None:
    fault, value = root.find("fault/value"), root.find("params/param/value")
    if root.tag != "methodResponse" or (fault is None and value is None):
        return None
    if fault is not None:
        parts = {member.findtext("name"): member.find("value") for member in fault.findall("struct/member")}
        message, code = (_scalar(parts.get(name)) for name in ("faultString", "faultCode"))
        return {"value": None, "fault": str(message or "error"), "code": str(code or "")}
    return {"value": _scalar(value), "fault": "", "code": ""}


def _scalar(value: Element | None) -> int | bool | str | None:
    """A number, a Boolean, or a text; the first one of a list."""
    for _ in range(_MAX_DEPTH):
        if value is None:
            return None
        if len(value) == 0:
            return value.text or ""
        typed = value[0]
        if typed.tag == "array":
            value = typed.find("data/value")
        elif typed.tag in ("int", "i4", "i8"):
            return int(typed.text or 0)
        elif typed.tag == "boolean":
            return (typed.text or "").strip() == "1"
        else:
            return typed.text or ""
    return None
