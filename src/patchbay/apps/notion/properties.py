"""Values of database properties as Notion sends and expects them."""

from typing import Any

from patchbay.domain.base import Json, JsonObject
from patchbay.integration.values import as_bool, json_number, number, text_of

TEXTS = ("title", "rich_text")
CHOICES = ("select", "status")
PLAIN = ("url", "email", "phone_number")
EDITABLE = (*TEXTS, *CHOICES, *PLAIN, "multi_select", "number", "checkbox", "date")


def title_of(page: dict[str, Any]) -> str:
    """The title of a page or database item."""
    for value in page.get("properties", {}).values():
        if value.get("type") == "title":
            return "".join(part.get("plain_text", "") for part in value["title"])
    return ""


def rich_text(text: str) -> Json:
    """A text without formatting."""
    return [{"text": {"content": text}}]


def paragraph(text: str) -> JsonObject:
    """A block with one paragraph."""
    return {"object": "block", "type": "paragraph", "paragraph": {"rich_text": rich_text(text)}}


def property_value(kind: str, name: str, parameters: JsonObject) -> Json:
    """An entered value as the value of a property of this type."""
    text = text_of(parameters, name)
    if kind in TEXTS:
        return {kind: rich_text(text)}
    if kind in CHOICES:
        return {kind: {"name": text}}
    if kind == "multi_select":
        return {kind: [{"name": part.strip()} for part in text.split(",") if part.strip()]}
    if kind == "number":
        return {kind: json_number(number(parameters, name, name))}
    if kind == "checkbox":
        return {kind: as_bool(parameters.get(name))}
    return {kind: {"start": text}} if kind == "date" else {kind: text}
